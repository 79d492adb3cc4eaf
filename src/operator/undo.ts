/** Undoing a change: its records get their former values, unless they have changed since. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { operationName } from "../audit/operations.ts";
import { type NamedKind, namedKinds } from "../domain/collection.ts";
import { Failure } from "../domain/errors.ts";
import { labelOf, textOf } from "../domain/label.ts";
import { definitionOf, isBookkeeping, model, type Named, nounOf } from "../domain/model.ts";
import { fold, oneOf } from "../domain/text.ts";
import { collectionsOf, recordsOfPlayer } from "../identity/references.ts";
import type { JournalRecord, RecordChange } from "../store/change.ts";
import type { Rows } from "../store/collection.ts";
import type { Data } from "../store/data.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";
import { Slices } from "../store/slices.ts";
import { defineCommand, type Environment, type Info } from "./define.ts";

/** The most obstacles that a message names, and the most changes for each. */
const mostNamed = 5;

export const undo = defineCommand({
  input: v.strictObject({
    sequence: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    /** Whether to undo the other records if some cannot be undone. */
    exceptChanged: v.optional(v.boolean(), false),
  }),
  /**
   * Returns a sentence, and the number of records that were not undone, if there are any.
   * @throws Failure `UNKNOWN_ENTRY` where the journal does not have the change, `CONFLICT` where it cannot be undone
   */
  async run(
    environment: Environment,
    { sequence, exceptChanged },
    signal,
  ): Promise<Info & { readonly left?: number }> {
    const { store } = environment;
    const { data } = store;
    const record = await changeAt(environment, sequence);
    let decided: Undoing = { changes: [], obstacles: [] };
    // The change may have been a bulk change.
    await store.changeInBulk({ who: "operator", operation: "undo", undoes: sequence }, async () => {
      decided = await undoing(data, record, exceptChanged);
      // Whoever killed the command sees that it has changed nothing, and must not lose what is changed since.
      signal?.throwIfAborted();
      return exceptChanged || decided.obstacles.length === 0 ? decided.changes : [];
    });
    const { changes, obstacles } = decided;
    const what = `change ${sequence} (${operationName(record)})`;
    if (obstacles.length === 0) return { info: `Undid ${what}.` };
    // Outside the store's writer, so that other changes do not wait for it.
    const words = await describeObstacles(
      obstacles,
      historyAfter(environment, sequence),
      (uuid) => data.players.get(uuid)?.name,
    );
    if (!exceptChanged || changes.length === 0) throw refusal(sequence, words, changes.length > 0);
    const left = obstacles.length;
    const part = `except for ${left} of ${left + changes.length} records`;
    return { info: `Undid ${what}, ${part}: ${words}.`, left };
  },
});

/** Returns the journal's record of a change. @throws Failure `UNKNOWN_ENTRY` where the journal does not have it */
async function changeAt(environment: Environment, sequence: number): Promise<JournalRecord> {
  for await (const record of historyAfter(environment, sequence - 1)) {
    if (record.sequence === sequence) return record;
    break;
  }
  const last = environment.store.sequence;
  throw new Failure("UNKNOWN_ENTRY", `The journal has no change ${sequence}; the last one is ${last}.`, {
    hint: "`addon-cli audit` lists the changes in the journal.",
  });
}

function historyAfter({ files = nodeFiles, store }: Environment, after: number) {
  return readHistory(files, store.folder, after);
}

/** A record that cannot be undone. */
export interface Obstacle {
  readonly change: RecordChange;
  /** The reason; undefined for a record that has changed since. */
  readonly why: string | undefined;
}

/** The decision on an undo. */
export interface Undoing {
  /** The changes of the records that can be undone. */
  readonly changes: readonly RecordChange[];
  /** The records that cannot be undone. */
  readonly obstacles: readonly Obstacle[];
}

/**
 * Decides which records of a change can be undone. Bookkeeping stays, and so do names that the change added: memberships
 * and the route table may refer to them.
 * @param exceptChanged whether to undo the other records if some cannot be undone. Records that depend on one of those,
 * such as a membership on its player, cannot be undone either
 * @throws Failure `CONFLICT` where the change contains nothing that can be undone
 */
export async function undoing(data: Data, record: JournalRecord, exceptChanged: boolean): Promise<Undoing> {
  const slices = new Slices();
  let remaining = undoable(record);
  const outcome = new Outcome(data, remaining);
  const obstacles: Obstacle[] = [];
  for (let isDone = false; !isDone; ) {
    const still: RecordChange[] = [];
    for (const change of remaining) {
      const hasChanged = !isDeepStrictEqual(
        rowsOf(data, change.collection).get(change.key) ?? null,
        change.after,
      );
      const why = hasChanged ? undefined : outcome.fault(change);
      if (hasChanged || why !== undefined) {
        obstacles.push({ change, why });
        if (exceptChanged) outcome.keep(change);
      } else still.push(change);
      if (slices.isOver) await slices.next();
    }
    isDone = !exceptChanged || still.length === remaining.length;
    remaining = still;
  }
  const changes = remaining.map(({ collection, key, before, after }) => ({
    collection,
    key,
    before: after,
    after: before,
  }));
  return { changes, obstacles };
}

/** Returns the records of a change that an undo considers. @throws Failure `CONFLICT` where there are none */
function undoable(record: JournalRecord): readonly RecordChange[] {
  const changes = record.changes.filter(({ collection }) => !isBookkeeping(collection));
  const undoable = changes.filter(({ collection, before }) => collection !== "names" || before !== null);
  if (changes.length === 0) {
    throw new Failure(
      "CONFLICT",
      `Change ${record.sequence} (${operationName(record)}) contains nothing to undo.`,
    );
  }
  if (undoable.length === 0) {
    throw addedNames(
      record.sequence,
      changes.map(({ after }) => fieldsOf(nameFields, after)),
    );
  }
  return undoable;
}

/** Returns the refusal of a change that only added names. */
function addedNames(sequence: number, names: readonly Pick<Named, "kind" | "name">[]): Failure {
  const commands = names.map(({ kind, name }) => `\`addon-cli seed remove ${kind} ${name}\``);
  const more = commands.length > mostNamed ? `, and likewise the other ${commands.length - mostNamed}` : "";
  const stay = names.map(({ name }) => `the name ${name} stays`);
  return new Failure("CONFLICT", `Change ${sequence} cannot be undone: ${listed(stay)}.`, {
    hint: `Remove a name that nothing refers to: ${commands.slice(0, mostNamed).join(", ")}${more}.`,
  });
}

/** Returns the refusal of a change with obstacles. @param isPart whether its other records can be undone */
export function refusal(sequence: number, obstacles: string, isPart: boolean): Failure {
  const part = isPart ? ` \`addon-cli undo ${sequence} --except-changed\` undoes the other records.` : "";
  return new Failure("CONFLICT", `Change ${sequence} cannot be undone: ${obstacles}.`, {
    hint: `Undo the later changes first, or make a new change.${part}`,
  });
}

/**
 * Describes the first obstacles, each with the first changes that caused it, and the number of further ones.
 * @param history the changes after the undone one; read only if a record has changed
 * @param nameOf returns the name of a registered player
 */
export async function describeObstacles(
  obstacles: readonly Obstacle[],
  history: AsyncIterable<JournalRecord>,
  nameOf: (uuid: string) => string | undefined,
): Promise<string> {
  const first = obstacles.slice(0, mostNamed);
  const named = first.map((obstacle) => ({ ...obstacle, by: [] as string[], count: 0 }));
  const changed = named.filter(({ why }) => why === undefined);
  if (changed.length > 0) {
    for await (const record of history) {
      for (const obstacle of changed) {
        const { collection, key } = obstacle.change;
        if (!record.changes.some((change) => change.collection === collection && change.key === key))
          continue;
        obstacle.count += 1;
        if (obstacle.count <= mostNamed) obstacle.by.push(changeWords(record));
      }
    }
  }
  // Players whom a later change has removed.
  const removed = new Map(
    named.map(({ change: { key, before, after } }) => [key, textOf(after ?? before, "name")]),
  );
  const sentences = named.map(({ change, why, by, count }) => {
    if (why !== undefined) return why;
    const others = count > by.length ? [`${count - by.length} more`] : [];
    const what = recordWords(change, (uuid) => nameOf(uuid) ?? removed.get(uuid) ?? uuid);
    return `${what} has since been changed${by.length === 0 ? "" : ` by ${[...by, ...others].join(", ")}`}`;
  });
  return listed(sentences, obstacles.length);
}

/** Returns a record in words, such as `the membership Ada (GROVE)`. */
function recordWords(
  { collection, key, before, after }: RecordChange,
  nameOf: (uuid: string) => string,
): string {
  // A player may have another name by now.
  const label = collection === "players" ? nameOf(key) : labelOf(after ?? before, key, nameOf);
  return `the ${nounOf(collection)} ${label}`;
}

/** Returns a change in words, such as `change 7 (targetlist.add)` or `change 8 (undo 7)`. */
function changeWords(record: JournalRecord): string {
  const { sequence, undoes } = record;
  return `change ${sequence} (${operationName(record)}${undoes === null ? "" : ` ${undoes}`})`;
}

/** Joins the first phrases, with the number of further ones. */
function listed(all: readonly string[], count = all.length): string {
  const named = all.slice(0, mostNamed);
  return [...named, ...(count > named.length ? [`and ${count - named.length} more records`] : [])].join("; ");
}

const nameFields = v.object({ kind: v.picklist(namedKinds), name: v.string() });
const playerFields = v.object({ name: v.string() });

/** Returns the key of a group, a faction or a service. */
function namedKey(kind: NamedKind, name: string): string {
  return model.names.key({ kind, name, position: 0 });
}

/** Returns a field of a record, as {@link fieldsOf} does. */
function fieldOf(field: string, record: unknown): string | null {
  return fieldsOf(v.object({ [field]: v.nullable(v.string()) }), record)[field] ?? null;
}

/** Returns some fields of a record, whatever its others contain. @throws Failure `CONFLICT` if one is malformed */
function fieldsOf<T>(schema: v.GenericSchema<unknown, T>, record: unknown): T {
  const result = v.safeParse(schema, record);
  if (result.success) return result.output;
  throw new Failure("CONFLICT", `A record of the change is malformed: ${result.issues[0].message}.`, {
    hint: "`addon-cli data verify` shows what is wrong with the data.",
  });
}

/** The data after the undo. */
class Outcome {
  readonly #data: Data;
  /** The values of the undone records, by collection and key. */
  readonly #undone = new Map<string, unknown>();

  constructor(data: Data, changes: readonly RecordChange[]) {
    this.#data = data;
    for (const { collection, key, before } of changes) this.#undone.set(`${collection} ${key}`, before);
  }

  /** Excepts a record from the undo. */
  keep({ collection, key }: RecordChange): void {
    this.#undone.delete(`${collection} ${key}`);
  }

  /** Returns why a record cannot be undone. */
  fault(change: RecordChange): string | undefined {
    const { collection, key, before, after } = change;
    const { players } = this.#data;
    const nameOf = (uuid: string) =>
      players.get(uuid)?.name ?? textOf(this.#undone.get(`players ${uuid}`), "name") ?? uuid;
    const what = recordWords(change, nameOf);
    const { player, named } = definitionOf(collection)?.refersTo ?? {};
    if (player?.outlives === false && before !== null) {
      const uuid = fieldOf(player.field, before);
      const exists = uuid === null || this.#has("players", uuid);
      if (!exists) return `the player of ${what} is no longer registered`;
    }
    if (named !== undefined && before !== null) {
      const name = fieldOf(named.field, before) ?? "";
      const exists = named.kinds.some((kind) => this.#has("names", namedKey(kind, name)));
      if (!exists) return `the ${oneOf(named.kinds)} ${name} of ${what} has been removed since`;
    }
    if (collection === "names" && before !== null) return this.#otherKind(fieldsOf(nameFields, before));
    if (collection !== "players") return undefined;
    if (before !== null) {
      const { name } = fieldsOf(playerFields, before);
      const other = this.#left("players", this.#data.players.find("name", fold(name)), ({ uuid }) => uuid)[0];
      return other === undefined ? undefined : `the player ${other.uuid} now has the name ${name}`;
    }
    // Whoever gets the UUID next would take over what the player has been given since.
    const left = collectionsOf(this.#data).flatMap((collection) => {
      const ends =
        collection.refersTo.subject !== undefined || collection.refersTo.player?.outlives === false;
      if (!ends || collection.isBookkeeping) return [];
      const { length } = this.#left(collection.name, recordsOfPlayer(collection, key), collection.key);
      return length === 0 ? [] : [`${length} ${collection.noun}${length === 1 ? "" : "s"}`];
    });
    return left.length === 0
      ? undefined
      : `other records refer to the player ${fieldsOf(playerFields, after).name}: ${oneOf(left, "and")}`;
  }

  /** Returns the conflict of a name that would be both a faction and a service. */
  #otherKind({ kind, name }: Pick<Named, "kind" | "name">): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    const isTaken = this.#has("names", namedKey(twin, name));
    return isTaken ? `${name} is now a ${twin}` : undefined;
  }

  #has(collection: string, key: string): boolean {
    const undone = this.#undone.get(`${collection} ${key}`);
    return undone === undefined ? rowsOf(this.#data, collection).has(key) : undone !== null;
  }

  /** Returns the records that are not undone. */
  #left<T>(collection: string, records: readonly T[], keyOf: (record: T) => string): T[] {
    return records.filter((record) => !this.#undone.has(`${collection} ${keyOf(record)}`));
  }
}

/** Returns the records of a collection, by its name in the journal. */
function rowsOf(data: Data, collection: string): Rows<unknown> {
  const all: Readonly<Record<string, Rows<unknown>>> = data;
  const rows = all[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}
