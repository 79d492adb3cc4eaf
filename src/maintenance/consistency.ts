/**
 * Whether the records of all collections fit together (contract, section 2): every reference leads to a record, and
 * what has to be unique is. The schemas of `model.ts` tell what is right within one record. An import, a restore,
 * `data verify` and the start all ask here.
 */
import { Failure } from "../errors.ts";
import { model, type Named, type Subject } from "../model.ts";
import type { Rows } from "../store/collection.ts";
import type { Data } from "../store/data.ts";
import type { Files } from "../store/files.ts";
import { readState } from "../store/reading.ts";
import { Slices } from "../store/slices.ts";
import { fold } from "../text.ts";
import { definitionOf } from "./record.ts";

/** What is checked of a collection. */
type Looked<T> = Pick<Rows<T>, "get" | "has" | "values">;

/** The collections that are checked: all but bookkeeping, which refers to players who may be gone. */
export type CheckedData = {
  readonly [Name in Exclude<keyof Data, "activity" | "counters" | "repetitions">]: Data[Name] extends Rows<
    infer T
  >
    ? Looked<T>
    : never;
};

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
  const players = new Map<string, string>();
  await check("players", data.players, ({ uuid, name }) => {
    const other = setOnce(players, fold(name), uuid);
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
  const hashes = new Map<string, string>();
  await check("tokens", data.tokens, ({ id, hash, uuid }) => {
    const other = setOnce(hashes, hash, id);
    if (other !== undefined) return `its hash is that of the token ${other}, too`;
    return uuid === null ? undefined : rules.player(uuid);
  });
  return found;
}

/** Finds them in the newest data of a folder's files; none where damage keeps the data from being read. */
export async function readInconsistencies(files: Files, folder: string): Promise<Inconsistency[]> {
  try {
    const { database } = await readState(files, folder, model);
    return await findInconsistencies(database.view);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** What a record may refer to. */
class Rules {
  readonly #data: CheckedData;

  constructor(data: CheckedData) {
    this.#data = data;
  }

  name({ name, kind }: Named): string | undefined {
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

/** Sets a value where there is none; else gives the one that is there. */
function setOnce(map: Map<string, string>, key: string, value: string): string | undefined {
  const other = map.get(key);
  if (other === undefined) map.set(key, value);
  return other;
}
