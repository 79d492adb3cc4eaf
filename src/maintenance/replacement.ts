/**
 * What a restore or an import makes of the data: the records of a source take the place of the present ones, and the
 * difference is one change. Some of what is there stays:
 *
 * - bookkeeping: activity, counters and idempotency keys are notes of what really happened;
 * - tokens, unless they are asked for. A token of a player whom the source lacks goes with that player, as with
 *   `player remove`. A revoked token stays revoked, whatever the source says;
 * - names: memberships and the route table in force refer to them, so they are added and never removed.
 */
import { isDeepStrictEqual } from "node:util";
import { bookkeeping, model, type Named, type Token } from "../model.ts";
import { Collection, type Database, type DurableRows, type Rows } from "../store/collection.ts";
import type { DurableData } from "../store/data.ts";
import type { RecordChange } from "../store/draft.ts";
import { Slices } from "../store/slices.ts";
import { fold } from "../text.ts";
import type { CheckedData } from "./consistency.ts";
import { definitionOf } from "./record.ts";
import type { Revocations } from "./revocations.ts";

/** What is to be replaced beyond the rest. */
export interface ReplacementOptions {
  /** Whether tokens are as the source has them, too. */
  readonly tokens: boolean;
  /** Tokens that stay revoked, though they are not there any more. */
  readonly revocations: Revocations;
}

/** What became of a collection at one of its versions. */
interface Compared {
  readonly version: number;
  readonly changes: readonly RecordChange[];
}

/** See the head of this file. */
export class Replacement {
  readonly #present: DurableData;
  readonly #source: Database<typeof model>;
  readonly #options: ReplacementOptions;
  readonly #compared = new Map<string, Compared>();

  /**
   * @param source is changed: its target list is put into the order of the present changes
   * @param sequence the number of the last change of the present data
   */
  constructor(
    present: DurableData,
    source: Database<typeof model>,
    sequence: number,
    options: ReplacementOptions,
  ) {
    this.#present = present;
    this.#source = source;
    this.#options = options;
    listBefore(source, sequence);
  }

  /**
   * The changes that lead from the present data to the result. Asked again it compares only what was changed since, so
   * that asking within the store's writer is short.
   */
  async changes(): Promise<RecordChange[]> {
    const present: Readonly<Record<string, DurableRows<unknown>>> = this.#present;
    const slices = new Slices();
    const all: RecordChange[] = [];
    for (const [name, rows] of Object.entries(present)) {
      if (bookkeeping.has(name)) continue;
      const { version } = rows;
      let compared = this.#compared.get(name);
      if (compared?.version !== version) {
        compared = { version, changes: await difference(name, rows, this.#wanted(name), slices) };
        this.#compared.set(name, compared);
      }
      for (const change of compared.changes) all.push(change);
    }
    return all;
  }

  /** The result, to be checked. */
  get result(): CheckedData {
    return { ...this.#source.view, names: this.#names(), tokens: this.#tokens() };
  }

  #wanted(name: string): Rows<unknown> {
    if (name === "names") return this.#names();
    return name === "tokens" ? this.#tokens() : this.#source.collection(name);
  }

  #names(): Collection<Named> {
    const wanted = new Collection<Named>(model.names);
    const counts = { group: 0, faction: 0, service: 0 };
    const put = (named: Named) => {
      wanted.set(model.names.key(named), named);
      counts[named.kind] = Math.max(counts[named.kind], named.position + 1);
    };
    for (const named of this.#source.view.names.values()) put(named);
    for (const named of this.#present.names.values()) {
      const isThere = wanted.has(model.names.key(named));
      const twin = named.kind === "faction" ? "service" : "faction";
      if (isThere || (named.kind !== "group" && wanted.has(`${twin}/${fold(named.name)}`))) continue;
      put({ ...named, position: Math.max(named.position, counts[named.kind]) });
    }
    return wanted;
  }

  #tokens(): Collection<Token> {
    const wanted = new Collection<Token>(model.tokens);
    const { tokens, players } = this.#source.view;
    if (this.#options.tokens) {
      const { revocations } = this.#options;
      for (const token of tokens.values()) {
        wanted.set(token.id, { ...token, revokedAt: token.revokedAt ?? revocations.get(token.id) ?? null });
      }
    }
    for (const token of this.#present.tokens.values()) {
      if (token.uuid !== null && !players.has(token.uuid)) continue;
      const { revokedAt } = token;
      if (this.#options.tokens && revokedAt === null) continue;
      const other = wanted.get(token.id);
      wanted.set(token.id, other === undefined ? token : { ...other, revokedAt });
    }
    return wanted;
  }
}

async function difference(
  collection: string,
  present: Rows<unknown>,
  wanted: Rows<unknown>,
  slices: Slices,
): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  const keyOf = (record: unknown) => String(definitionOf(collection)?.key(record));
  for (const after of wanted.values()) {
    const key = keyOf(after);
    const before = present.get(key) ?? null;
    if (!isDeepStrictEqual(before, after)) changes.push({ collection, key, before, after });
    if (slices.isOver) await slices.next();
  }
  for (const before of present.values()) {
    const key = keyOf(before);
    if (!wanted.has(key)) changes.push({ collection, key, before, after: null });
    if (slices.isOver) await slices.next();
  }
  return changes;
}

/**
 * Moves the numbers of a target list of other data before the next change: what is listed from now on comes behind.
 * Those of the folder's own past are before it already.
 */
function listBefore(source: Database<typeof model>, sequence: number): void {
  const targets = source.collection("targets");
  let latest = 0;
  for (const { listed } of source.view.targets.values()) latest = Math.max(latest, listed);
  if (latest <= sequence) return;
  for (const target of [...source.view.targets.values()]) {
    targets.set(model.targets.key(target), { ...target, listed: target.listed - latest + sequence });
  }
}
