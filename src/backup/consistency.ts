/**
 * Checks the consistency of the records of all collections: every reference leads to a record, and
 * what must be unique is. The schemas of `model.ts` check each record alone. An import, a restore, `data verify` and the
 * start use this.
 */
import { type AnyRecord, type CollectionDefinition, listIn, type NamedKind } from "../domain/collection.ts";
import type { Entry } from "../domain/entry.ts";
import { collectionNames, definitionOf, type model, nounOf } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { fold } from "../domain/text.ts";
import { type Rows, rowsOf } from "../store/collection.ts";

/** The records to check, which fit the model; at least those of all collections but bookkeeping, which may be obsolete. */
export type CheckedData = Readonly<Record<keyof typeof model, CheckedRows>>;
type CheckedRows = Pick<Rows<AnyRecord>, "get" | "has" | "values">;

/** A record that is inconsistent with others. */
export interface Inconsistency {
  readonly collection: string;
  readonly key: string;
  /** Without a full stop. */
  readonly what: string;
}

/** Returns one line for an operator. */
export function describeInconsistency({ collection, key, what }: Inconsistency): string {
  return `${collection} ${key}: ${what}`;
}

/** Finds every inconsistent record, in slices. The data may change meanwhile. */
export async function findInconsistencies(data: CheckedData): Promise<Inconsistency[]> {
  const found: Inconsistency[] = [];
  const slices = new Slices();
  const rules = new Rules(data);
  for (const name of collectionNames) {
    const definition = definitionOf(name);
    if (definition === undefined || definition.isBookkeeping) continue;
    for (const record of rowsOf<CheckedRows>(data, name).values()) {
      const what = rules.ownFault(name, record) ?? rules.referenceFault(definition, record);
      if (what !== undefined) found.push({ collection: name, key: definition.key(record), what });
      if (slices.isOver) await slices.next();
    }
  }
  return found;
}

class Rules {
  readonly #data: CheckedData;
  /** The UUIDs of players by their folded names. The players come before whatever refers to them. */
  readonly #players = new Map<string, string>();
  /** The tokens and invitations by their hashes. */
  readonly #hashes = new Map<string, string>();

  constructor(data: CheckedData) {
    this.#data = data;
  }

  /** Returns what is wrong with a record of a collection that has rules of its own. */
  ownFault(collection: string, record: AnyRecord): string | undefined {
    const { name, uuid } = textsOf(record);
    switch (collection) {
      case "names": {
        if (record.kind === "group") return undefined;
        const twin = record.kind === "faction" ? "service" : "faction";
        return this.#name(twin, name) === undefined ? undefined : `${name} is also a ${twin}`;
      }
      case "players": {
        const other = setOnce(this.#players, fold(name), uuid);
        return other === undefined ? undefined : `the name ${name} is also that of the player ${other}`;
      }
      case "houseBans": {
        const reasons = listIn(record, "reasons").map(({ reason }) => fold(String(reason)));
        if (reasons.length === 0) return "it has no reason";
        return new Set(reasons).size < reasons.length ? "it has a reason twice" : undefined;
      }
      case "entries": {
        const { key, values, player } = record as Entry;
        const missing = key.find((field) => field !== player && !Object.hasOwn(values, field));
        if (missing !== undefined) return `it has no value of "${missing}", which is in its key`;
        return (player === undefined) === (record.name === undefined) ? undefined : "it has a player in part";
      }
      case "tokens":
      case "invitations": {
        const own = `${nounOf(collection)} ${record.id ?? record.uuid}`;
        const other = setOnce(this.#hashes, String(record.hash), own);
        return other === undefined ? undefined : `its hash is also that of the ${other}`;
      }
      default:
        return undefined;
    }
  }

  /** Returns which reference of a record leads nowhere. */
  referenceFault({ refersTo }: CollectionDefinition, record: AnyRecord): string | undefined {
    const { player, named, subject, entries } = refersTo;
    const uuid = player?.outlives === false ? record[player.field] : null;
    if (typeof uuid === "string" && !this.#data.players.has(uuid)) return `there is no player ${uuid}`;
    for (const { name, kinds } of named?.(record) ?? []) {
      const fault = this.#nameFault(name, kinds);
      if (fault !== undefined) return fault;
    }
    const missing = entries?.(record).find((key) => !this.#data.entries.has(key));
    if (missing !== undefined) return `there is no entry ${missing}`;
    return subject === undefined || record.name === undefined ? undefined : this.#subjectFault(record);
  }

  #name(kind: NamedKind, name: string): AnyRecord | undefined {
    return this.#data.names.get(`${kind}/${fold(name)}`);
  }

  #nameFault(name: string, kinds: readonly NamedKind[]): string | undefined {
    for (const kind of kinds) {
      const known = this.#name(kind, name);
      if (known === undefined) continue;
      return known.name === name ? undefined : `the ${kind} is spelled ${known.name}, not ${name}`;
    }
    return `there is no ${kinds.join(" or ")} ${name}`;
  }

  /** A subject must have its UUID if that is known: by the name alone, an exclusion would not be found. */
  #subjectFault(record: AnyRecord): string | undefined {
    const { name, uuid } = textsOf(record);
    if (record.uuid === null) {
      const registered = this.#players.get(fold(name));
      return registered === undefined ? undefined : `${name} is registered, with the UUID ${registered}`;
    }
    const player = this.#data.players.get(uuid);
    if (player === undefined || fold(String(player.name)) === fold(name)) return undefined;
    return `the player ${uuid} is called ${player.name}, not ${name}`;
  }
}

function textsOf({ name, uuid }: AnyRecord): { readonly name: string; readonly uuid: string } {
  return { name: String(name), uuid: String(uuid) };
}

/** Sets a value if there is none. Returns the existing one if it differs. */
function setOnce(map: Map<string, string>, key: string, value: string): string | undefined {
  const other = map.get(key);
  if (other === undefined) map.set(key, value);
  // A record that is removed and added meanwhile is read twice.
  return other === value ? undefined : other;
}
