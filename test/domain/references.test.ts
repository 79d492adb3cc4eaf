/** A field that refers to somebody or to a name must be declared: adoption, undo, rename and the audit follow only those. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { collectionNames, definitionOf } from "../../src/domain/model.ts";

/** Returns the fields of a record by a schema, and those of objects in a list, such as `reasons.creatorUUID`. */
function fieldsOf(schema: object, prefix = ""): string[] {
  const parts = schema as { entries?: Record<string, object>; wrapped?: object; item?: object };
  const inner = parts.wrapped ?? parts.item;
  if (parts.entries === undefined) return inner === undefined ? [] : fieldsOf(inner, prefix);
  return Object.entries(parts.entries).flatMap(([field, value]) => [
    `${prefix}${field}`,
    ...fieldsOf(value, `${prefix}${field}.`),
  ]);
}

/** Returns the fields of a record that a function reads. */
function readBy(read: (record: unknown) => unknown): string[] {
  const fields: string[] = [];
  read(new Proxy({}, { get: (_, field) => void fields.push(String(field)) }));
  return fields;
}

for (const name of collectionNames) {
  if (name === "players" || name === "names") continue;
  it(`${name} declare the fields that refer to others`, () => {
    const definition = definitionOf(name);
    assert.ok(definition, "it is in the model");
    const { player, subject, named, creator } = definition.refersTo;
    const path = creator === "record" ? "" : `${creator}.`;
    const declared = new Set([
      ...(player === undefined ? [] : [player.field]),
      ...(subject === undefined ? [] : ["name", "uuid"]),
      ...(named === undefined ? [] : readBy(named)),
      ...(creator === undefined ? [] : [`${path}creatorName`, `${path}creatorUUID`]),
    ]);
    const fields = fieldsOf(definition.schema);
    const referring = /(^|\.)(uuid|\w*UUID|creatorName|scope|group|organisation|faction)$/;
    assert.deepEqual(
      fields.filter((field) => referring.test(field) && !declared.has(field)),
      [],
    );
    for (const field of declared) assert.ok(fields.includes(field), `${name} have no field ${field}`);
    if (subject !== undefined)
      assert.deepEqual(
        ["name", "subject"],
        Object.keys(definition.indexes)
          .filter((index) => index === "name" || index === "subject")
          .sort(),
      );
    if (player?.index !== undefined) assert.ok(player.index in definition.indexes, `${name} have that index`);
  });
}
