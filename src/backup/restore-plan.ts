/**
 * Plans a restore or an import: the records of a source replace the present ones, and the difference is one change.
 * Some present records stay:
 *
 * - bookkeeping: activity, counters and idempotency keys record what really happened. Only the counters of numbered
 *   entries grow with the numbers of the source;
 * - tokens, unless they are to be restored. The token of a player whom the source lacks is removed with that player, as by
 *   `player remove`. A revoked token stays revoked, whatever the source says;
 * - invitations, except those of players whom the source lacks: codes that have ended since must not be valid again;
 * - names: memberships and the route table in force refer to them, so they are added and never removed.
 */
import { isDeepStrictEqual } from "node:util";
import { type Entry, isNumberCounter, numberCounter } from "../domain/entry.ts";
import { isBookkeeping, model, type Named, type Target, type Token } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { fold } from "../domain/text.ts";
import { isLive } from "../identity/tokens.ts";
import type { RecordChange } from "../store/change.ts";
import { Collection, type Database, type DurableRows, type Rows, rowsOf } from "../store/collection.ts";
import type { DurableData } from "../store/data.ts";
import type { CheckedData } from "./consistency.ts";
import type { Overlay } from "./overlay.ts";
import type { Revocations } from "./revocations.ts";

export class RestorePlan {
  readonly #present: DurableData;
  readonly #overlay: Overlay;
  readonly #source: DurableData;
  readonly #revocations: Revocations | undefined;

  /**
   * @param overlay the source; is modified: its target list gets numbers before the next change
   * @param sequence the number of the last change of the present data
   * @param revocations if tokens are restored, too: those that stay revoked, though they no longer exist
   */
  constructor(present: DurableData, overlay: Overlay, sequence: number, revocations?: Revocations) {
    this.#present = present;
    this.#overlay = overlay;
    this.#source = overlay.view;
    this.#revocations = revocations;
    renumberTargets(overlay, present, sequence);
  }

  /** Returns the changes from the present data to the result. */
  async changes(): Promise<RecordChange[]> {
    const present: Readonly<Record<string, DurableRows<unknown>>> = this.#present;
    const slices = new Slices();
    const changes: RecordChange[] = [];
    for (const [collection, rows] of Object.entries(present)) {
      if (isBookkeeping(collection)) continue;
      const { keys, wanted } = this.#wanted(collection);
      for (const key of keys) {
        const before = rows.get(key) ?? null;
        const after = wanted.get(key) ?? null;
        if (!isDeepStrictEqual(before, after)) changes.push({ collection, key, before, after });
        if (slices.isOver) await slices.next();
      }
    }
    return changes;
  }

  /** Returns the changes of counters below the source's, or below numbers of its entries: no number is given twice. */
  raised(changes: readonly RecordChange[]): RecordChange[] {
    if (changes.length === 0) return [];
    // The source may have removed what had the highest number.
    const counters = [...this.#source.counters.values()].filter(({ name }) => isNumberCounter(name));
    const highest = new Map(counters.map(({ name, value }) => [name, value]));
    for (const { collection, after } of changes) {
      if (collection !== "entries" || after === null) continue;
      const { list, key, values } = after as Entry;
      // A key that is declared can have this name as well, and texts as values.
      if (key.join() !== "number" || typeof values.number !== "number") continue;
      const { number } = values;
      const name = numberCounter(list);
      highest.set(name, Math.max(highest.get(name) ?? 0, number));
    }
    return [...highest].flatMap(([name, value]) => {
      const before = this.#present.counters.get(name) ?? null;
      if (before !== null && before.value >= value) return [];
      return [{ collection: "counters", key: name, before, after: { name, value } }];
    });
  }

  /** Returns whether a collection without records in the source loses the present ones. */
  removesAll(collection: string): boolean {
    const stays = isBookkeeping(collection) || ["names", "tokens", "invitations"].includes(collection);
    return !stays && rowsOf(this.#present, collection).size > 0;
  }

  /** The result, for the check of its consistency. */
  get result(): CheckedData {
    const get = (id: string) => this.#token(id);
    const has = (id: string) => get(id) !== undefined;
    const values = () => this.#tokens();
    return { ...this.#source, names: this.#names(), tokens: { get, has, values } };
  }

  /** The number of valid tokens of the source that the result lacks. */
  get tokensLeftOut(): number {
    if (this.#revocations !== undefined) return 0;
    let count = 0;
    for (const id of this.#overlay.differing("tokens")) {
      const token = this.#present.tokens.has(id) ? undefined : this.#source.tokens.get(id);
      if (token !== undefined && isLive(token, Date.now())) count += 1;
    }
    return count;
  }

  /** Returns the result for a collection, and the keys of all records that may change. */
  #wanted(name: string): { wanted: Pick<Rows<unknown>, "get">; keys: Iterable<string> } {
    if (name === "tokens") return { wanted: { get: (id) => this.#token(id) }, keys: this.#tokenIds() };
    if (name === "invitations") {
      const { players } = this.#source;
      const get = (uuid: string) => (players.has(uuid) ? this.#present.invitations.get(uuid) : undefined);
      return { wanted: { get }, keys: this.#overlay.differing("players") };
    }
    if (name !== "names") {
      return { wanted: this.#overlay.collection(name), keys: this.#overlay.differing(name) };
    }
    const wanted = this.#names();
    const all = [...wanted.values(), ...this.#present.names.values()];
    return { wanted, keys: new Set(all.map((named) => model.names.key(named))) };
  }

  #names(): Collection<Named> {
    const wanted = new Collection<Named>(model.names);
    const counts = { group: 0, faction: 0, service: 0 };
    const put = (named: Named) => {
      wanted.set(model.names.key(named), named);
      counts[named.kind] = Math.max(counts[named.kind], named.position + 1);
    };
    for (const named of this.#source.names.values()) put(named);
    for (const named of this.#present.names.values()) {
      const isThere = wanted.has(model.names.key(named));
      const twin = named.kind === "faction" ? "service" : "faction";
      if (isThere || (named.kind !== "group" && wanted.has(`${twin}/${fold(named.name)}`))) continue;
      put({ ...named, position: Math.max(named.position, counts[named.kind]) });
    }
    return wanted;
  }

  /** Returns a token of the result: computed when it is read, since others may change the present one. */
  #token(id: string): Token | undefined {
    const restored = this.#restoredToken(id);
    const token = this.#present.tokens.get(id);
    if (token === undefined || (token.uuid !== null && !this.#source.players.has(token.uuid)))
      return restored;
    if (this.#revocations === undefined) return token;
    const { revokedAt } = token;
    if (revokedAt === null) return restored;
    return restored === undefined ? token : { ...restored, revokedAt };
  }

  #restoredToken(id: string): Token | undefined {
    const token = this.#revocations && this.#source.tokens.get(id);
    if (token === undefined) return undefined;
    const revokedAt = token.revokedAt ?? this.#revocations?.get(id) ?? null;
    // The same one is compared at once.
    return revokedAt === token.revokedAt ? token : { ...token, revokedAt };
  }

  *#tokens(): Generator<Token> {
    for (const id of this.#tokenIds()) {
      const token = this.#token(id);
      if (token !== undefined) yield token;
    }
  }

  /** Yields the ids of the present tokens, and of those of the source that may be restored. */
  *#tokenIds(): Generator<string> {
    const { tokens } = this.#present;
    for (const { id } of tokens.values()) yield id;
    if (this.#revocations === undefined) return;
    for (const id of this.#overlay.differing("tokens")) if (!tokens.has(id)) yield id;
  }
}

/**
 * Moves the numbers of a target list of other data before the next change, so that later entries come after them. Those
 * of the folder's own past are before it already. A list in the present order keeps the present numbers: the same data once
 * more changes nothing.
 */
function renumberTargets(source: Database<typeof model>, present: DurableData, sequence: number): void {
  const { key } = model.targets;
  const inOrder = (targets: Iterable<Target>) =>
    [...targets].sort((a, b) => a.listed - b.listed || (key(a) < key(b) ? -1 : 1));
  const [theirs, ours] = [inOrder(source.view.targets.values()), inOrder(present.targets.values())];
  const isSame = isDeepStrictEqual(theirs.map(key), ours.map(key));
  const excess = (theirs.at(-1)?.listed ?? 0) - sequence;
  if (!isSame && excess <= 0) return;
  const targets = source.collection("targets");
  for (const [index, target] of theirs.entries()) {
    const listed = isSame ? (ours[index]?.listed ?? 0) : target.listed - excess;
    targets.set(key(target), { ...target, listed });
  }
}
