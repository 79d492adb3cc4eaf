/** Undoing a change: its records get the values from before it, unless they have changed since. */
import { isDeepStrictEqual } from "node:util";
import { uuidIn } from "../audit/names.ts";
import { operationName } from "../audit/operations.ts";
import { Failure } from "../domain/errors.ts";
import { bookkeeping, model, type Named, type Player } from "../domain/model.ts";
import { fold, oneOf } from "../domain/text.ts";
import type { Rows } from "../store/collection.ts";
import type { Data } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import type { JournalRecord } from "../store/journal/journal.ts";
import { Slices } from "../store/slices.ts";

/** How many obstacles are named, and how many changes that are in the way of one. */
const mostNamed = 5;

/** A record that an undo leaves as it is. */
export interface Obstacle {
  readonly change: RecordChange;
  /** Why; undefined where it has changed since. */
  readonly why: string | undefined;
}

/** What undoing a change comes to. */
export interface Undoing {
  /** What it makes of the records that can be undone. */
  readonly changes: readonly RecordChange[];
  /** The records that can not be undone. */
  readonly obstacles: readonly Obstacle[];
}

/**
 * Decides what undoing a change makes of each record. Bookkeeping is left as it is, and so are names that the change
 * has added: memberships and the route table may refer to them.
 * @param exceptChanged whether the other records are to be undone where some can not be. Those that need one of these
 * can not be undone either, such as a membership without its player
 * @throws Failure `CONFLICT` where the change has nothing that is ever undone
 */
export async function undoing(data: Data, record: JournalRecord, exceptChanged: boolean): Promise<Undoing> {
  const slices = new Slices();
  let kept = undoable(record);
  const result = new Result(data, kept);
  const obstacles: Obstacle[] = [];
  for (let isDone = false; !isDone; ) {
    const still: RecordChange[] = [];
    for (const change of kept) {
      const hasChanged = !isDeepStrictEqual(
        rowsOf(data, change.collection).get(change.key) ?? null,
        change.after,
      );
      const why = hasChanged ? undefined : result.fault(change);
      if (hasChanged || why !== undefined) {
        obstacles.push({ change, why });
        if (exceptChanged) result.leave(change);
      } else still.push(change);
      if (slices.isOver) await slices.next();
    }
    isDone = !exceptChanged || still.length === kept.length;
    kept = still;
  }
  const changes = kept.map(({ collection, key, before, after }) => ({
    collection,
    key,
    before: after,
    after: before,
  }));
  return { changes, obstacles };
}

/** What of a change can be undone at all. @throws Failure `CONFLICT` where nothing can */
function undoable(record: JournalRecord): readonly RecordChange[] {
  const undone = record.changes.filter(({ collection }) => !bookkeeping.has(collection));
  const kept = undone.filter((change) => !isAddedName(change));
  if (undone.length === 0) {
    throw new Failure(
      "CONFLICT",
      `Change ${record.sequence} (${operationName(record)}) has nothing that could be undone.`,
    );
  }
  if (kept.length === 0) {
    throw addedNames(
      record.sequence,
      undone.map(({ after }) => after as Named),
    );
  }
  return kept;
}

/** The refusal where a change has only added names. */
function addedNames(sequence: number, names: readonly Named[]): Failure {
  const commands = names.map(({ kind, name }) => `\`addon-cli seed remove ${kind} ${name}\``);
  const more = commands.length > mostNamed ? `, and likewise the other ${commands.length - mostNamed}` : "";
  const stay = names.map(({ name }) => `the name ${name} stays`);
  return new Failure("CONFLICT", `Change ${sequence} can not be undone: ${listed(stay)}.`, {
    hint: `A name is removed by itself, while nothing refers to it: ${commands.slice(0, mostNamed).join(", ")}${more}.`,
  });
}

/** The refusal where some records can not be undone. @param isPart whether others can be */
export function refusal(sequence: number, obstacles: string, isPart: boolean): Failure {
  const part = isPart ? ` \`addon-cli undo ${sequence} --except-changed\` undoes the other records.` : "";
  return new Failure("CONFLICT", `Change ${sequence} can not be undone: ${obstacles}.`, {
    hint: `Undo what came later first, or make the change you want.${part}`,
  });
}

/**
 * The obstacles in words: the first of them, each with the first changes that are in the way, and how many more.
 * @param history what came after the change that is undone; it is read only where a record has changed
 * @param nameOf the name of a registered player, by UUID
 */
export async function describeObstacles(
  obstacles: readonly Obstacle[],
  history: AsyncIterable<JournalRecord>,
  nameOf: (uuid: string) => string | undefined,
): Promise<string> {
  const named = obstacles.slice(0, mostNamed).map((each) => ({ ...each, by: [] as string[], count: 0 }));
  const changed = named.filter(({ why }) => why === undefined);
  if (changed.length > 0) {
    for await (const record of history) {
      for (const each of changed) {
        if (!record.changes.some((change) => isSameRecord(change, each.change))) continue;
        each.count += 1;
        if (each.count <= mostNamed) each.by.push(changeWords(record));
      }
    }
  }
  const words = named.map(({ change: { collection, key }, why, by, count }) => {
    if (why !== undefined) return why;
    const others = count > by.length ? [`${count - by.length} more`] : [];
    const name = nameOf(uuidIn(key) ?? key);
    const what = `${collection} ${key}${name === undefined ? "" : ` (${name})`}`;
    return `${what} was changed since${by.length === 0 ? "" : ` by ${[...by, ...others].join(", ")}`}`;
  });
  return listed(words, obstacles.length);
}

/** Such as `change 7 (targetlist.add)`; of an undo also what it has undone: `change 8 (undo 7)`. */
function changeWords(record: JournalRecord): string {
  const { sequence, undoes } = record;
  return `change ${sequence} (${operationName(record)}${undoes === null ? "" : ` ${undoes}`})`;
}

/** The first of some sentences, and how many more there are. */
function listed(all: readonly string[], count = all.length): string {
  const named = all.slice(0, mostNamed);
  return [...named, ...(count > named.length ? [`and ${count - named.length} more records`] : [])].join("; ");
}

function isSameRecord(one: RecordChange, other: RecordChange): boolean {
  return one.collection === other.collection && one.key === other.key;
}

function isAddedName({ collection, before }: RecordChange): boolean {
  return collection === "names" && before === null;
}

/** The collections whose records are nothing without their player. */
const ofPlayers: ReadonlySet<string> = new Set(["statistics", "memberships", "tokens"]);

/** The collections whose records refer to a name, and the kinds of it. */
const referringTo: Readonly<Record<string, readonly Named["kind"][]>> = {
  groupMembers: ["group"],
  memberships: ["faction", "service"],
  blacklistReasons: ["faction"],
};

/** The data as it would be, as far as it is asked. */
class Result {
  readonly #data: Data;
  /** What becomes of the records that are undone, by collection and key. */
  readonly #undone = new Map<string, unknown>();

  constructor(data: Data, changes: readonly RecordChange[]) {
    this.#data = data;
    for (const { collection, key, before } of changes) this.#undone.set(`${collection} ${key}`, before);
  }

  /** Leaves a record as it is. */
  leave({ collection, key }: RecordChange): void {
    this.#undone.delete(`${collection} ${key}`);
  }

  /** What would be wrong with a record. */
  fault({ collection, key, before, after }: RecordChange): string | undefined {
    if (ofPlayers.has(collection) && before !== null) {
      const { uuid } = before as { readonly uuid: string | null };
      const isThere = uuid === null || this.#has("players", uuid);
      if (!isThere) return `the player ${uuid} of ${collection} ${key} is not registered any more`;
    }
    const missing = before === null ? undefined : this.#missingName(collection, before);
    if (missing !== undefined) return `the ${missing} of ${collection} ${key} was removed since`;
    if (collection === "names" && before !== null) return this.#otherKind(before as Named);
    if (collection !== "players") return undefined;
    if (before !== null) {
      const { name } = before as Player;
      const other = this.#left("players", this.#data.players.find("name", fold(name)), ({ uuid }) => uuid)[0];
      return other === undefined ? undefined : `the name ${name} is that of the player ${other.uuid} by now`;
    }
    // Without the player, what was given to the player since would be left to whoever has that UUID next.
    const { tokens, memberships, groupMembers } = this.#data;
    const belongings: Readonly<Record<string, boolean>> = {
      tokens: this.#left("tokens", tokens.find("player", key), ({ id }) => id).length > 0,
      memberships:
        this.#left("memberships", memberships.find("player", key), model.memberships.key).length > 0,
      groups:
        this.#left("groupMembers", groupMembers.find("subject", key), model.groupMembers.key).length > 0,
      statistics: this.#has("statistics", key),
      "a place on the target list": this.#has("targets", key),
      "a house ban": this.#has("houseBans", key),
    };
    const left = Object.keys(belongings).filter((name) => belongings[name]);
    return left.length === 0
      ? undefined
      : `the player ${(after as Player).name} has ${oneOf(left, "and")} since`;
  }

  /** The group, faction or service that a record refers to, where there is no such name any more. */
  #missingName(collection: string, record: unknown): string | undefined {
    const kinds = referringTo[collection];
    if (kinds === undefined) return undefined;
    const { group, organisation, faction } = record as Readonly<Record<string, string | undefined>>;
    const name = group ?? organisation ?? faction ?? "";
    const isThere = kinds.some((kind) => this.#has("names", model.names.key({ kind, name, position: 0 })));
    return isThere ? undefined : `${oneOf(kinds)} ${name}`;
  }

  /** A name cannot be a faction and a service. */
  #otherKind({ kind, name }: Named): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    const isTaken = this.#has("names", model.names.key({ kind: twin, name, position: 0 }));
    return isTaken ? `${name} is a ${twin} by now` : undefined;
  }

  #has(collection: string, key: string): boolean {
    const undone = this.#undone.get(`${collection} ${key}`);
    return undone === undefined ? rowsOf(this.#data, collection).has(key) : undone !== null;
  }

  /** Those of some records that are not undone themselves. */
  #left<T>(collection: string, records: readonly T[], keyOf: (record: T) => string): T[] {
    return records.filter((record) => !this.#undone.has(`${collection} ${keyOf(record)}`));
  }
}

/** The records of a collection by its name in the journal. */
function rowsOf(data: Data, collection: string): Rows<unknown> {
  const all: Readonly<Record<string, Rows<unknown>>> = data;
  const rows = all[collection];
  if (rows === undefined) throw new Error(`there is no collection "${collection}"`);
  return rows;
}
