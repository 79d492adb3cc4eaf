/**
 * Whether the records of all collections fit together (contract, section 2): every reference leads to a record, and
 * what has to be unique is. The schemas of `model.ts` tell what is right within one record. An import, a restore,
 * `data verify` and the start all ask here.
 */
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import * as v from "valibot";
import type { Named, Subject } from "../domain/model.ts";
import { fold } from "../domain/text.ts";
import type { Rows } from "../store/collection.ts";
import { Slices } from "../store/slices.ts";
import { definitionOf } from "./record.ts";

const subject = { name: v.string(), uuid: v.nullable(v.string()) };
const organisation = { uuid: v.string(), organisation: v.string() };

/** What is checked of the records: all but bookkeeping, which refers to players who may be gone, and what refers to nothing. */
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

/** What is checked of a collection. */
type Looked<T> = Pick<Rows<T>, "get" | "has" | "values">;

/** The records that are checked. */
export type CheckedData = {
  readonly [Name in keyof typeof checked]: Looked<v.InferOutput<(typeof checked)[Name]>>;
};

/** Only what is checked of records, so that those of a whole folder take little memory. */
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

  /** Sets what a record is from now on; anything that is no record of its collection removes it. */
  set(collection: string, key: string, record: unknown): void {
    this.#collections.get(collection)?.set(key, record);
  }
}

/** The checked fields of the records of a collection. */
class CheckedCollection<T> implements Looked<T> {
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
    // Most changes leave these fields as they are: new objects would be garbage soon.
    else if (!isDeepStrictEqual(this.#records.get(key), output)) this.#records.set(key, output);
  }
}

/** A record that does not fit the others. */
export interface Inconsistency {
  readonly collection: string;
  readonly key: string;
  /** Without a full stop. */
  readonly what: string;
}

/** As one sentence for an operator. */
export function describeInconsistency({ collection, key, what }: Inconsistency): string {
  return `${collection} ${key}: ${what}`;
}

/** Finds every record that does not fit the others, in slices. The data may change meanwhile. */
export async function findInconsistencies(data: CheckedData): Promise<Inconsistency[]> {
  const found: Inconsistency[] = [];
  const slices = new Slices();
  const check = async <T>(
    name: keyof CheckedData,
    rows: Looked<T>,
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
  const names = await repeated(data.players, ({ name }) => fold(name), slices);
  for (const rows of [data.groupMembers, data.targets, data.houseBans]) {
    for (const { name, uuid } of rows.values()) {
      if (uuid === null) names.add(fold(name));
      if (slices.isOver) await slices.next();
    }
  }
  /** The UUIDs of the players with those names. */
  const players = new Map<string, string>();
  await check("players", data.players, ({ uuid, name }) => {
    const other = names.has(fold(name)) ? setOnce(players, fold(name), uuid) : undefined;
    return other === undefined ? undefined : `the name ${name} is that of the player ${other}, too`;
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
  const repeatedHashes = await repeated(data.tokens, ({ hash }) => hash, slices);
  const hashes = new Map<string, string>();
  await check("tokens", data.tokens, ({ id, hash, uuid }) => {
    const other = repeatedHashes.has(hash) ? setOnce(hashes, hash, id) : undefined;
    if (other !== undefined) return `its hash is that of the token ${other}, too`;
    return uuid === null ? undefined : rules.player(uuid);
  });
  return found;
}

/** What a record may refer to. */
class Rules {
  readonly #data: CheckedData;

  constructor(data: CheckedData) {
    this.#data = data;
  }

  name({ name, kind }: Pick<Named, "name" | "kind">): string | undefined {
    if (kind === "group") return undefined;
    const twin = kind === "faction" ? "service" : "faction";
    return this.#data.names.has(`${twin}/${fold(name)}`) ? `${name} is a ${twin}, too` : undefined;
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

  /** Somebody named is bound to the UUID where it is known: under the name alone, an exclusion would not be found. */
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

/**
 * Returns the values that several records have, and a few others. Most values are told apart by one bit each, so that
 * those of all records are never in memory together.
 */
async function repeated<T>(
  rows: Looked<T>,
  fieldOf: (record: T) => string,
  slices: Slices,
): Promise<Set<string>> {
  const bits = new Uint8Array(2 ** 20);
  const found = new Set<string>();
  for (const record of rows.values()) {
    const value = fieldOf(record);
    const hash = crc32(value);
    const at = (hash >>> 3) % bits.length;
    const bit = 1 << (hash & 7);
    const byte = bits[at] ?? 0;
    if ((byte & bit) === 0) bits[at] = byte | bit;
    else found.add(value);
    if (slices.isOver) await slices.next();
  }
  return found;
}

/** Sets a value where there is none; else gives the one that is there, where it is another one. */
function setOnce(map: Map<string, string>, key: string, value: string): string | undefined {
  const other = map.get(key);
  if (other === undefined) map.set(key, value);
  // A record that is removed and added while all are read comes twice.
  return other === value ? undefined : other;
}
