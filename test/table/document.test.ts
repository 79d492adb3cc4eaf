/** What a route table's texts are in memory, whatever else is in its file. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { serialize } from "node:v8";
import { check } from "./_library.ts";

/** How many bytes V8 spends on each character of a text: its serialisation says so, behind header and padding. */
function bytesACharacter(text: string): number {
  const tag = String.fromCharCode(serialize(text).find((byte, index) => index >= 2 && byte !== 0) ?? 0);
  assert.match(tag, /["c]/, "this version of V8 writes texts in another form");
  return tag === '"' ? 1 : 2;
}

const table = `
prefix: /library/{card}
product: reading
excluded: { group: BARRED }
routes:
  /house/close:
    summary: Closes the house.
    restriction: { group: STAFF }
    handler: house.close
`;

it("a comment beyond Latin-1 does not make the texts of the table take twice the room", () => {
  const text = `# Who may see what …\n${table}`;
  assert.equal(bytesACharacter(text), 2);
  const { table: checked, faults } = check(text);
  assert.deepEqual(faults, []);
  const { prefix, product, excludedGroup, routes } = checked ?? assert.fail("there is no table");
  const [route] = routes;
  const member = route?.restriction;
  assert.ok(member?.kind === "member" && "name" in member.reference, "the route is for members");
  const { path, handler, summary } = route ?? assert.fail("there is no route");
  for (const each of [prefix, product, excludedGroup, path, handler, summary, member.reference.name]) {
    assert.equal(bytesACharacter(each ?? ""), 1, each);
  }
});

it("texts beyond ASCII stay what they are", () => {
  const { table: checked } = check(table.replace("Closes the", "Schließt – 閉"));
  assert.equal(checked?.routes[0]?.summary, "Schließt – 閉 house.");
});
