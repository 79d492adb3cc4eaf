/** The records that the service keeps: their valibot schemas, their types, and the collections that hold them. */
import * as v from "valibot";
import { comparisonForm, fold } from "./text.ts";

/** What a collection holds: the schema of a record, its key, and what it can be found by. */
export interface CollectionDefinition<T = unknown, Index extends string = string> {
  readonly schema: v.GenericSchema<T>;
  readonly key: (record: T) => string;
  /** For each index the value that a record is found by; undefined leaves a record out of it. */
  readonly indexes: Readonly<Record<Index, (record: T) => string | undefined>>;
}

/** The collections of a store, by name. */
// biome-ignore lint/suspicious/noExplicitAny: definitions of different records have no narrower type in common
export type Model = Readonly<Record<string, CollectionDefinition<any, any>>>;

function define<T, Index extends string = never>(
  schema: v.GenericSchema<T>,
  key: (record: T) => string,
  indexes: Readonly<Record<Index, (record: T) => string | undefined>> = {} as Record<Index, never>,
): CollectionDefinition<T, Index> {
  return { schema, key, indexes };
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2147483647));
const instant = v.pipe(v.number(), v.safeInteger());
const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

/** A name of the seed: a group, a faction or a service. `position` is its place in answers. */
const namedSchema = v.object({
  name: v.string(),
  kind: v.picklist(["group", "faction", "service"]),
  position: count,
});
export type Named = v.InferOutput<typeof namedSchema>;

/** A registered player. Instants are milliseconds since 1970. */
const playerSchema = v.object({
  uuid,
  name: v.string(),
  administrator: v.boolean(),
  registeredAt: instant,
});
export type Player = v.InferOutput<typeof playerSchema>;

/** A player's counters; what has no record counts 0. */
const statisticSchema = v.object({
  uuid,
  deaths: count,
  kills: count,
  playTime: count,
  revives: count,
  services: count,
});
export type Statistic = v.InferOutput<typeof statisticSchema>;

/** The types of statistics, each of which adds to one of the counters (contract, section 3). */
export const statisticTypes = ["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"] as const;
export type StatisticType = (typeof statisticTypes)[number];

/**
 * A case of statistics under watch that an operator has closed: the additions up to the change `through` count no more.
 * The player need not be registered any more.
 */
const closedCaseSchema = v.object({
  uuid,
  type: v.picklist(statisticTypes),
  through: v.pipe(v.number(), v.safeInteger()),
});
export type ClosedCase = v.InferOutput<typeof closedCaseSchema>;

/** A player's membership in a faction or a service. */
const membershipSchema = v.object({
  uuid,
  organisation: v.string(),
  rank: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2147483647)),
});
export type Membership = v.InferOutput<typeof membershipSchema>;

/** Somebody named: bound to the UUID where it is known, else to the name (contract, section 2). */
const subject = { name: v.string(), uuid: v.nullable(uuid) };
export interface Subject {
  readonly name: string;
  readonly uuid: string | null;
}

/** A membership in a group; its member need not be a registered player. */
const groupMemberSchema = v.object({ group: v.string(), ...subject });
export type GroupMember = v.InferOutput<typeof groupMemberSchema>;

/** An entry of the target list. `listed` is the number of the change that listed it: the order of the list. */
const targetSchema = v.object({ ...subject, done: v.boolean(), listed: v.pipe(v.number(), v.safeInteger()) });
export type Target = v.InferOutput<typeof targetSchema>;

/** Who added an entry; null where no player did. */
const creator = { creatorName: v.nullable(v.string()), creatorUUID: v.nullable(uuid) };
export interface Creator {
  readonly creatorName: string | null;
  readonly creatorUUID: string | null;
}

const blacklistReasonSchema = v.object({
  faction: v.string(),
  reason: v.string(),
  price: count,
  kills: count,
});
export type BlacklistReason = v.InferOutput<typeof blacklistReasonSchema>;

/** A house ban: it lasts from `startTime` for the sum of the days of its reasons. */
const houseBanSchema = v.object({
  ...subject,
  startTime: instant,
  reasons: v.array(v.object({ reason: v.string(), days: count, ...creator })),
});
export type HouseBan = v.InferOutput<typeof houseBanSchema>;

const millisecondsPerDay = 24 * 60 * 60 * 1000;

/** Returns how long a house ban lasts, in milliseconds. */
export function houseBanDuration({ reasons }: HouseBan): number {
  return reasons.reduce((sum, { days }) => sum + days, 0) * millisecondsPerDay;
}

/** Returns from when on a house ban is over, in milliseconds since 1970. */
export function houseBanEnd(ban: HouseBan): number {
  return ban.startTime + houseBanDuration(ban);
}

/** A house-ban reason. Records from before version 0.2 have no creator, and stay as they are. */
const houseBanReasonSchema = v.object({
  reason: v.string(),
  days: count,
  ...v.partial(v.object(creator)).entries,
});
export type HouseBanReason = v.InferOutput<typeof houseBanReasonSchema>;

const coordinate = v.pipe(v.number(), v.integer());
const naviPointSchema = v.object({
  name: v.string(),
  x: coordinate,
  y: coordinate,
  z: coordinate,
  article: v.picklist(["der", "die", "das"]),
});
export type NaviPoint = v.InferOutput<typeof naviPointSchema>;

const wantedReasonSchema = v.object({ reason: v.string(), points: count });
export type WantedReason = v.InferOutput<typeof wantedReasonSchema>;

/** An addon version that an administrator has marked. */
const versionSchema = v.object({ version: v.string(), current: v.boolean() });
export type Version = v.InferOutput<typeof versionSchema>;

/** The latest start of an event of a kind (`bankRob`, `bomb`). */
const eventSchema = v.object({ kind: v.picklist(["bankRob", "bomb"]), startTime: instant });
export type Event = v.InferOutput<typeof eventSchema>;

/** The score of the gang war: one record, under the key `gangwar`. */
const scoreSchema = v.object({ attacker: count, defender: count });
export type Score = v.InferOutput<typeof scoreSchema>;

/** A token: only the SHA-256 of it is kept, as 64 hex digits. `uuid` is null for a public token. */
const tokenSchema = v.object({
  id: v.string(),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  uuid: v.nullable(uuid),
  label: v.nullable(v.string()),
  addonVersion: v.nullable(v.string()),
  /** Whether it allows no changes. Tokens from before version 0.2 lack it and allow them. */
  readOnly: v.optional(v.boolean()),
  issuedAt: instant,
  expiresAt: v.nullable(instant),
  revokedAt: v.nullable(instant),
});
export type Token = v.InferOutput<typeof tokenSchema>;

/** When a client was last seen, and with which addon version. Saved every minute, not with each request. */
const activitySchema = v.object({ uuid, lastSeen: instant, version: v.nullable(v.string()) });
export type ActivityRecord = v.InferOutput<typeof activitySchema>;

/** Numbers of the service itself, by name: `requests` counts all authenticated requests ever. */
const counterSchema = v.object({ name: v.string(), value: v.pipe(v.number(), v.safeInteger()) });
export type Counter = v.InferOutput<typeof counterSchema>;

/** The answer to an operation that counts, under an `Idempotency-Key`: a repetition gets it, and counts nothing. */
const repetitionSchema = v.object({
  /** Who used the key: a UUID, `token:<id>` or `operator`. */
  scope: v.string(),
  key: v.string(),
  /** A hash of the operation and its parameters, as 64 hex digits. */
  request: v.string(),
  info: v.string(),
  instant,
});
export type Repetition = v.InferOutput<typeof repetitionSchema>;

/** The key of what somebody asked for under an idempotency key. No scope has a space in it. */
export function repetitionKey(scope: string, key: string): string {
  return `${scope} ${key}`;
}

/** The key of somebody named: a UUID, or the folded name behind a character that no UUID has. */
export function subjectKey({ uuid, name }: Subject): string {
  return uuid ?? `~${fold(name)}`;
}

/** What a record that is bound to a UUID is found by once its player is not registered any more: the folded name. */
function boundName({ name, uuid }: Subject): string | undefined {
  return uuid === null ? undefined : fold(name);
}

/** The key of a member of a group. */
export function groupMemberKey(group: string, member: Subject): string {
  return `${group}/${subjectKey(member)}`;
}

/** The collections that are bookkeeping: not what somebody did, but what the service noted of it. */
export const bookkeeping: ReadonlySet<string> = new Set(["activity", "counters", "repetitions"]);

/** All collections. */
export const model = {
  names: define(namedSchema, (named) => `${named.kind}/${fold(named.name)}`, { kind: (named) => named.kind }),
  players: define(playerSchema, (player) => player.uuid, { name: (player) => fold(player.name) }),
  statistics: define(statisticSchema, (statistic) => statistic.uuid),
  closedCases: define(closedCaseSchema, ({ uuid: player, type }) => `${player}/${type}`),
  memberships: define(membershipSchema, (membership) => `${membership.organisation}/${membership.uuid}`, {
    player: (membership) => membership.uuid,
  }),
  groupMembers: define(groupMemberSchema, (member) => groupMemberKey(member.group, member), {
    group: (member) => member.group,
    subject: (member) => subjectKey(member),
    name: boundName,
  }),
  targets: define(targetSchema, (target) => subjectKey(target), { name: boundName }),
  blacklistReasons: define(blacklistReasonSchema, (entry) => `${entry.faction}/${fold(entry.reason)}`, {
    faction: (entry) => entry.faction,
    text: (entry) => `${entry.faction}/${comparisonForm(entry.reason)}`,
  }),
  houseBans: define(houseBanSchema, (ban) => subjectKey(ban), { name: boundName }),
  houseBanReasons: define(houseBanReasonSchema, (entry) => fold(entry.reason), {
    text: (entry) => comparisonForm(entry.reason),
  }),
  naviPoints: define(naviPointSchema, (point) => fold(point.name), {
    text: (point) => comparisonForm(point.name),
  }),
  wantedReasons: define(wantedReasonSchema, (entry) => fold(entry.reason), {
    text: (entry) => comparisonForm(entry.reason),
  }),
  versions: define(versionSchema, (version) => version.version),
  events: define(eventSchema, (event) => event.kind),
  scores: define(scoreSchema, () => "gangwar"),
  tokens: define(tokenSchema, (token) => token.id, {
    hash: (token) => token.hash,
    player: (token) => token.uuid ?? undefined,
  }),
  activity: define(activitySchema, (activity) => activity.uuid),
  repetitions: define(repetitionSchema, ({ scope, key }) => repetitionKey(scope, key), {
    scope: ({ scope }) => scope,
    /** All of them, in the order in which they came. */
    all: () => "",
  }),
  counters: define(counterSchema, (counter) => counter.name),
} satisfies Model;
