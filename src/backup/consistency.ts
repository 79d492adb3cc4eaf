/**
 * Checks the consistency of the records of all collections (contract, section 2): every reference leads to a record, and
 * what must be unique is. The schemas of `model.ts` check each record alone. An import, a restore, `data verify` and the
 * start use this.
 */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { definitionOf, type Named, type Subject } from "../domain/model.ts";
import { fold } from "../domain/text.ts";
import type { Rows } from "../store/collection.ts";
import { Slices } from "../store/slices.ts";

const subject = { name: v.string(), uuid: v.nullable(v.string()) };
const organisation = { uuid: v.string(), organisation: v.string() };

/** The checked fields: not of bookkeeping, which may refer to removed players, nor of records that refer to nothing. */
const checked = {
  names: v.object({ name: v.string(), kind: v.picklist(["group", "faction", "service"]) }),
  players: v.object({ uuid: v.string(), name: v.string() }),
  statistics: v.object({ uuid: v.string() }),
  memberships: v.object(organisation),
  groupMembers: v.object({ ...subject, group: v.string() }),
  targets: v.object(subject),
  blacklistReasons: v.object({ faction: v.string(), reason: v.string() }),
  houseBans: v.object({ ...subject, reasons: v.array(v.object({ reason: v.string() })) }),
  tokens: v.object({ id: v.string(), hash: v.string(), uuid: v.nullable(v.string()) }),
};

/** The records of a collection, as the check reads them. */
type CheckedRows<T> = Pick<Rows<T>, "get" | "has" | "values">;

/** The records to check. */
export type CheckedData = {
  readonly [Name in keyof typeof checked]: CheckedRows<v.InferOutput<(typeof checked)[Name]>>;
};

/** The checked fields of all records, which take less memory than the records. */
export class CheckedRecords {
  readonly data = {
    names: new CheckedCollection(checked.names),
    players: new CheckedCollection(checked.players),
    statistics: new CheckedCollection(checked.statistics),
    memberships: new CheckedCollection(checked.memberships),
    groupMembers: new CheckedCollection(checked.groupMembers),
    targets: new CheckedCollection(checked.targets),
    blacklistReasons: new CheckedCollection(checked.blacklistReasons),
    houseBans: new CheckedCollection(checked.houseBans),
    tokens: new CheckedCollection(checked.tokens),
  } satisfies CheckedData;
  readonly #collections = new Map<string, { set(key: string, record: unknown): void }>(
    Object.entries(this.data),
  );

  /** Sets a record; anything that is not a record of its collection removes it. */
  set(collection: string, key: string, record: unknown): void {
    this.#collections.get(collection)?.set(key, record);
  }
}

/** The checked fields of the records of a collection. */
class CheckedCollection<T> implements CheckedRows<T> {
  readonly #schema: v.GenericSchema<unknown, T>;
  readonly #records = new Map<string, T>();

  constructor(schema: v.GenericSchema<unknown, T>) {
    this.#schema = schema;
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

  has(key: string): boolean {
    return this.#records.has(key);
  }

  values(): Iterable<T> {
    return this.#records.values();
  }

  set(key: string, record: unknown): void {
    const { success, output } = v.safeParse(this.#schema, record);
    if (!success) this.#records.delete(key);
    // Most changes leave these fields unchanged: new objects would soon be garbage.
    else if (!isDeepStrictEqual(this.#records.get(key), output)) this.#records.set(key, output);
  }
}

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
  const check = async <T>(
    name: keyof CheckedData,
    rows: CheckedRows<T>,
    faultOf: (record: T) => string | undefined,
  ) => {
    for (const record of rows.values()) {
      const what = faultOf(record);
      if (what !== undefined)
        found.push({ collection: name, key: definitionOf(name)?.key(record) ?? "", what });
      if (slices.isOver) await slices.next();
    }
  };
  const rules = new Rules(data);
  await check("names", data.names, (each) => rules.name(each));
  /** The UUIDs of players by their folded names. */
  const players = new Map<string, string>();
  await check("players", data.players, ({ uuid, name }) => {
    const other = setOnce(players, fold(name), uuid);
    return other === undefined ? undefined : `the name ${name} is also that of the player ${other}`;
  });
  await check("statistics", data.statistics, ({ uuid }) => rules.player(uuid));
  await check(
    "memberships",
    data.memberships,
    ({ uuid, organisation }) => rules.player(uuid) ?? rules.named(organisation, ["faction", "service"]),
  );
  await check(
    "groupMembers",
    data.groupMembers,
    (member) => rules.named(member.group, ["group"]) ?? rules.subject(member, players),
  );
  await check("targets", data.targets, (target) => rules.subject(target, players));
  await check("blacklistReasons", data.blacklistReasons, ({ faction }) => rules.named(faction, ["faction"]));
  await check("houseBans", data.houseBans, (ban) => {
    const reasons = new Set(ban.reasons.map(({ reason }) => fold(reason)));
    if (reasons.size === 0) return "it has no reason";
    if (reasons.size < ban.reasons.length) return "it has a reason twice";
    return rules.subject(ban, players);
  });
  const hashes = new Map<string, string>();
  await check("tokens", data.tokens, ({ id, hash, uuid }) => {
    const other = setOnce(hashes, hash, id);
    if (other !== undefined) return `its hash is also that of the token ${other}`;
    return uuid === null ? undefined : rules.player(uuid);
  });
  return found;
}

/** The rules for what a record may refer to. */
class Rules {
  readonly #data: CheckedData;

  constructor(data: CheckedData) {
    this.#data = data;
  }

  name({ name, kind }: Pick<Named, "name" | "kind">): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    return this.#data.names.has(`${twin}/${fold(name)}`) ? `${name} is also a ${twin}` : undefined;
  }

  player(uuid: string): string | undefined {
    return this.#data.players.has(uuid) ? undefined : `there is no player ${uuid}`;
  }

  named(name: string, kinds: readonly Named["kind"][]): string | undefined {
    for (const kind of kinds) {
      const known = this.#data.names.get(`${kind}/${fold(name)}`);
      if (known === undefined) continue;
      return known.name === name ? undefined : `the ${kind} is spelled ${known.name}, not ${name}`;
    }
    return `there is no ${kinds.join(" or ")} ${name}`;
  }

  /** A subject must have its UUID if that is known: by the name alone, an exclusion would not be found. */
  subject({ name, uuid }: Subject, players: ReadonlyMap<string, string>): string | undefined {
    if (uuid === null) {
      const registered = players.get(fold(name));
      return registered === undefined ? undefined : `${name} is registered, with the UUID ${registered}`;
    }
    const player = this.#data.players.get(uuid);
    if (player === undefined || fold(player.name) === fold(name)) return undefined;
    return `the player ${uuid} is called ${player.name}, not ${name}`;
  }
}

/** Sets a value if there is none. Returns the existing one if it differs. */
function setOnce(map: Map<string, string>, key: string, value: string): string | undefined {
  const other = map.get(key);
  if (other === undefined) map.set(key, value);
  // A record that is removed and added meanwhile is read twice.
  return other === value ? undefined : other;
}
