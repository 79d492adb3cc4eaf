/** Undoing a change: its records get the values from before it, unless they have changed since. */
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../errors.ts";
import { bookkeeping, model, type Named, type Player } from "../model.ts";
import type { Rows } from "../store/collection.ts";
import type { Data } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import type { JournalRecord } from "../store/journal.ts";
import { Slices } from "../store/slices.ts";
import { fold, oneOf } from "../text.ts";

/** How many obstacles a refusal names, and how many changes that are in the way of one. */
const mostNamed = 5;

/**
 * Tells what undoing a change makes of each record. Bookkeeping is left as it is, and so are names that the change has
 * added: memberships and the route table may refer to them.
 * @param later the changes since, to tell which of them is in the way
 * @throws Failure `CONFLICT` that names the first records that have changed since, and the changes that did so
 */
export async function undoing(
  data: Data,
  record: JournalRecord,
  later: readonly JournalRecord[],
): Promise<RecordChange[]> {
  const slices = new Slices();
  const undone = record.changes.filter(({ collection }) => !bookkeeping.has(collection));
  const kept = undone.filter((change) => !isAddedName(change));
  if (undone.length === 0) {
    throw new Failure(
      "CONFLICT",
      `Change ${record.sequence} (${record.operation}) has nothing that could be undone.`,
    );
  }
  if (kept.length === 0) {
    const added = undone.map(({ after }) => (after as Named).name);
    throw refusal(
      record,
      added.map((name) => `the name ${name} stays: names are added and never removed`),
    );
  }
  const result = new Result(data, kept);
  const obstacles: string[] = [];
  for (const change of kept) {
    const obstacle =
      sinceChanged(data, change, obstacles.length < mostNamed ? later : []) ?? result.fault(change);
    if (obstacle !== undefined) obstacles.push(obstacle);
    if (slices.isOver) await slices.next();
  }
  if (obstacles.length > 0) throw refusal(record, obstacles);
  return kept.map(({ collection, key, before, after }) => ({
    collection,
    key,
    before: after,
    after: before,
  }));
}

function refusal({ sequence }: JournalRecord, obstacles: readonly string[]): Failure {
  const more = obstacles.length - mostNamed;
  const named = [...obstacles.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more records`] : [])];
  return new Failure("CONFLICT", `Change ${sequence} can not be undone: ${named.join("; ")}.`, {
    hint: "Undo what came later first, or make the change you want.",
  });
}

function isAddedName({ collection, before }: RecordChange): boolean {
  return collection === "names" && before === null;
}

/** Whether a record has another value by now than the change gave it, and which changes gave it that. */
function sinceChanged(
  data: Data,
  { collection, key, after }: RecordChange,
  later: readonly JournalRecord[],
): string | undefined {
  const current = rowsOf(data, collection).get(key) ?? null;
  if (isDeepStrictEqual(current, after)) return undefined;
  const touching = later.filter(({ changes }) =>
    changes.some((each) => each.collection === collection && each.key === key),
  );
  const by = touching
    .slice(0, mostNamed)
    .map(({ sequence, operation }) => `change ${sequence} (${operation})`);
  if (touching.length > mostNamed) by.push(`${touching.length - mostNamed} more`);
  return `${collection} ${key} was changed since${by.length === 0 ? "" : ` by ${by.join(", ")}`}`;
}

/** The collections whose records are nothing without their player. */
const ofPlayers: ReadonlySet<string> = new Set(["statistics", "memberships", "tokens"]);

/** The data as it would be, as far as it is asked. */
class Result {
  readonly #data: Data;
  /** What becomes of the records that are undone, by collection and key. */
  readonly #undone = new Map<string, unknown>();

  constructor(data: Data, changes: readonly RecordChange[]) {
    this.#data = data;
    for (const { collection, key, before } of changes) this.#undone.set(`${collection} ${key}`, before);
  }

  /** What would be wrong with a record. */
  fault({ collection, key, before }: RecordChange): string | undefined {
    if (ofPlayers.has(collection) && before !== null) {
      const { uuid } = before as { readonly uuid: string | null };
      const isThere = uuid === null || this.#has("players", uuid);
      return isThere ? undefined : `the player ${uuid} of ${collection} ${key} is not registered any more`;
    }
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
    return left.length === 0 ? undefined : `the player has ${oneOf(left, "and")} since`;
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
