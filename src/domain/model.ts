/** The data model: the records' valibot schemas and types, and the collections that contain them. */
import * as v from "valibot";
import { type CollectionDefinition, define, type Model, namedKinds } from "./collection.ts";
import { entries } from "./entry.ts";
import { dayMilliseconds, latestInstant } from "./instant.ts";
import { integerRange } from "./limits.ts";
import type { Terms } from "./terms.ts";
import { fold } from "./text.ts";
import { uuid } from "./uuid.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(integerRange.maximum));
const instant = v.pipe(v.number(), v.safeInteger());

/** A group, a faction or a service. `position` orders them in answers, and pages show factions and services in their `color`. */
const namedSchema = v.object({
  name: v.string(),
  kind: v.picklist(namedKinds),
  position: count,
  color: v.optional(v.string()),
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

/** A player's counters, by name. Those of no table stay; see {@link countIn}. */
const statisticSchema: v.GenericSchema<Statistic> = v.objectWithRest({ uuid }, count);
export type Statistic = { readonly uuid: string; readonly [counter: string]: string | number };

/** Returns a count in a record: 0 without the record, or without the count in it. */
export function countIn(record: Readonly<Record<string, unknown>> | undefined, name: string): number {
  const value = record?.[name];
  return typeof value === "number" ? value : 0;
}

/**
 * A case of watched statistics that the operator has closed: additions up to the change `through` no longer count. The
 * player may no longer be registered.
 */
const closedCaseSchema = v.object({
  uuid,
  type: v.string(),
  through: v.pipe(v.number(), v.safeInteger()),
});
export type ClosedCase = v.InferOutput<typeof closedCaseSchema>;

/** The end of a membership in milliseconds since 1970: from then on it counts for nothing. Without it there is none. */
const ending = { until: v.optional(v.pipe(instant, v.maxValue(latestInstant))) };
export type Ending = Pick<Terms, "until">;

/** Whether a membership counts at an instant. One that has ended stays until a change removes it, soon after. */
export function countsAt({ until }: Ending, now: number): boolean {
  return until === undefined || now < until;
}

/** A player's membership in a faction or a service. */
const membershipSchema = v.object({
  uuid,
  organisation: v.string(),
  rank: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(integerRange.maximum)),
  ...ending,
});
export type Membership = v.InferOutput<typeof membershipSchema>;

/** Somebody, registered or not: bound to the UUID if it is known, else to the name. */
const subject = { name: v.string(), uuid: v.nullable(uuid) };
export type Subject = Pick<Target, keyof typeof subject>;

/** A membership in a group, with the reason of an exclusion. The member need not be registered. */
const groupMemberSchema = v.object({
  group: v.string(),
  ...subject,
  ...ending,
  reason: v.optional(v.string()),
});
export type GroupMember = v.InferOutput<typeof groupMemberSchema>;

/** Who added an entry; null if no player did. */
const creator = { creatorName: v.nullable(v.string()), creatorUUID: v.nullable(uuid) };
export type Creator = Pick<HouseBan["reasons"][number], keyof typeof creator>;

/** An entry of the target list. `listed` is the number of the change that added it, and orders the list. */
const targetSchema = v.object({
  ...subject,
  done: v.boolean(),
  listed: v.pipe(v.number(), v.safeInteger()),
  ...v.partial(v.object(creator)).entries,
});
export type Target = v.InferOutput<typeof targetSchema>;

/** A house ban: it lasts from `startTime` for the sum of the days of its reasons. */
const houseBanSchema = v.object({
  ...subject,
  startTime: instant,
  reasons: v.array(v.object({ reason: v.string(), days: count, ...creator })),
});
export type HouseBan = v.InferOutput<typeof houseBanSchema>;

/** Returns how long a house ban lasts, in milliseconds. */
export function houseBanDuration({ reasons }: HouseBan): number {
  return reasons.reduce((sum, { days }) => sum + days, 0) * dayMilliseconds;
}

/** Returns when a house ban ends, in milliseconds since 1970. */
export function houseBanEnd(ban: HouseBan): number {
  return ban.startTime + houseBanDuration(ban);
}

/** An addon version that an administrator has marked. */
const versionSchema = v.object({ version: v.string(), current: v.boolean() });

/** The latest start of an event of a kind, such as `bankRob`. */
const eventSchema = v.object({ kind: v.string(), startTime: instant });

/** The points of the sides of a score, by side. An older record has no name: it is that of the gang war. */
const scoreSchema: v.GenericSchema<Score> = v.objectWithRest({ name: v.optional(v.string()) }, count);
export type Score = {
  readonly name?: string | undefined;
  readonly [side: string]: string | number | undefined;
};

/** A SHA-256 in 64 hex digits. */
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** A token, stored as its hash. `uuid` is null for a public token. */
const tokenSchema = v.object({
  id: v.string(),
  hash,
  uuid: v.nullable(uuid),
  label: v.nullable(v.string()),
  addonVersion: v.nullable(v.string()),
  /** Whether the token allows only reads. Tokens of version 0.1 lack this and allow changes. */
  readOnly: v.optional(v.boolean()),
  issuedAt: instant,
  expiresAt: v.nullable(instant),
  revokedAt: v.nullable(instant),
});
export type Token = v.InferOutput<typeof tokenSchema>;

/** A player's latest invitation: its code, stored as its hash, is exchanged for a token until that token is used. */
const invitationSchema = v.object({
  uuid,
  hash,
  issuedAt: instant,
  expiresAt: instant,
  revokedAt: v.nullable(instant),
  /** The id of the token that the code gave last, or null. */
  token: v.nullable(v.string()),
  /** The id of the token that it gave before, which is revoked, or null. */
  formerToken: v.nullable(v.string()),
  /** When the token was first used, which ends the code. */
  usedAt: v.nullable(instant),
});
export type Invitation = v.InferOutput<typeof invitationSchema>;

/** When a client was last seen, and its addon version. Saved every minute, not with each request. */
const activitySchema = v.object({ uuid, lastSeen: instant, version: v.nullable(v.string()) });
export type ActivityRecord = v.InferOutput<typeof activitySchema>;

/**
 * The service's own counters, by name: `requests` counts all authenticated requests ever,
 * `2026-11-25/kills` what all players added on that day, and `list plates` is the highest number given in that list.
 */
const counterSchema = v.object({ name: v.string(), value: v.pipe(v.number(), v.safeInteger()) });
export type Counter = v.InferOutput<typeof counterSchema>;

/** The answer of an operation that counts, stored under its `Idempotency-Key` for repeated requests. */
const repetitionSchema = v.object({
  /** Who used the key: a UUID, `token:<id>` or `operator`. */
  scope: v.string(),
  /** A hash of the key, or the key itself in older data. */
  key: v.string(),
  /** A hash of the operation and its parameters, as 64 hex digits. */
  request: v.string(),
  info: v.string(),
  instant,
});

/** Returns the key of a repetition. No scope contains a space. */
export function repetitionKey(scope: string, key: string): string {
  return `${scope} ${key}`;
}

/** Returns when a stored answer is deleted: after a day, with all others of a minute, so that few changes do that. */
function repetitionEnd({ instant }: v.InferOutput<typeof repetitionSchema>): number {
  return Math.ceil((instant + dayMilliseconds) / 60_000) * 60_000;
}

/** Returns the key of somebody: the UUID, or `~` and the folded name. */
export function subjectKey({ uuid, name }: Subject): string {
  return uuid ?? `~${fold(name)}`;
}

/** Returns the folded name of a record with a UUID: a former player is found by it. */
function boundName({ name, uuid }: Subject): string | undefined {
  return uuid === null ? undefined : fold(name);
}

/** Returns the key of a group's member. */
export function groupMemberKey(group: string, member: Subject): string {
  return `${group}/${subjectKey(member)}`;
}

/** The record ends with the player of its UUID. */
const ofPlayer = { player: { field: "uuid", outlives: false } };
const indexedOfPlayer = { player: { ...ofPlayer.player, index: "player" } };

/** Of two memberships of the same person in a group, the one that ends later comes first, or has a reason. */
function lastingLonger(a: GroupMember, b: GroupMember): number {
  const difference = (b.until ?? latestInstant) - (a.until ?? latestInstant);
  return difference || Number(a.reason === undefined) - Number(b.reason === undefined);
}

const membershipEnds = { of: ({ until }: Ending) => until, operation: "membership.end" };

/** All collections. */
export const model = {
  names: define("name", namedSchema, (named) => `${named.kind}/${fold(named.name)}`, {
    indexes: { kind: (named) => named.kind },
  }),
  players: define("player", playerSchema, (player) => player.uuid, {
    indexes: { name: (player) => fold(player.name) },
  }),
  statistics: define("statistic", statisticSchema, (statistic) => statistic.uuid, { refersTo: ofPlayer }),
  closedCases: define("closed case", closedCaseSchema, ({ uuid: player, type }) => `${player}/${type}`, {
    indexes: { player: (closed) => closed.uuid },
    refersTo: { player: { ...indexedOfPlayer.player, outlives: true } },
  }),
  memberships: define(
    "membership",
    membershipSchema,
    (membership) => `${membership.organisation}/${membership.uuid}`,
    {
      indexes: { player: (membership) => membership.uuid },
      refersTo: {
        ...indexedOfPlayer,
        named: ({ organisation: name }) => [{ name, kinds: ["faction", "service"] }],
      },
      ends: membershipEnds,
    },
  ),
  groupMembers: define("group member", groupMemberSchema, (member) => groupMemberKey(member.group, member), {
    indexes: { group: (member) => member.group, subject: subjectKey, name: boundName },
    refersTo: { subject: lastingLonger, named: ({ group: name }) => [{ name, kinds: ["group"] }] },
    ends: membershipEnds,
  }),
  targets: define("target", targetSchema, subjectKey, {
    indexes: { subject: subjectKey, name: boundName, creator: ({ creatorUUID }) => creatorUUID ?? undefined },
    // One that is not done stays, and keeps its place.
    refersTo: {
      subject: (a, b) => Number(a.done) - Number(b.done) || a.listed - b.listed,
      creator: "record",
    },
  }),
  entries,
  houseBans: define("house ban", houseBanSchema, subjectKey, {
    indexes: { subject: subjectKey, name: boundName },
    // The one that ends later stays.
    refersTo: { subject: (a, b) => houseBanEnd(b) - houseBanEnd(a), creator: "reasons" },
    ends: { of: houseBanEnd, operation: "houseban.end" },
  }),
  versions: define("version", versionSchema, (version) => version.version),
  events: define("event", eventSchema, (event) => event.kind),
  scores: define("score", scoreSchema, ({ name = "gangwar" }) => name),
  tokens: define("token", tokenSchema, (token) => token.id, {
    indexes: { hash: (token) => token.hash, player: (token) => token.uuid ?? undefined },
    refersTo: indexedOfPlayer,
  }),
  invitations: define("invitation", invitationSchema, (invitation) => invitation.uuid, {
    indexes: { hash: (invitation) => invitation.hash, token: (invitation) => invitation.token ?? undefined },
    refersTo: ofPlayer,
  }),
  activity: define("note of activity", activitySchema, (activity) => activity.uuid, {
    refersTo: ofPlayer,
    isBookkeeping: true,
  }),
  repetitions: define("stored answer", repetitionSchema, ({ scope, key }) => repetitionKey(scope, key), {
    indexes: { scope: ({ scope }) => scope },
    refersTo: { player: { field: "scope", index: "scope", outlives: true } },
    ends: { of: repetitionEnd, operation: "repetitions.forget" },
    isBookkeeping: true,
  }),
  counters: define("counter", counterSchema, (counter) => counter.name, { isBookkeeping: true }),
} satisfies Model;

/** The same for code that treats all collections alike. */
const definitions: Model = model;

/** The names of all collections, in the order of the model. */
export const collectionNames: readonly string[] = Object.keys(model);

/** Returns the definition of a collection, or undefined where the model has none of that name. */
export function definitionOf(collection: string): CollectionDefinition | undefined {
  return Object.hasOwn(definitions, collection) ? definitions[collection] : undefined;
}

/** Returns whether undo and the audit leave a collection out. */
export function isBookkeeping(collection: string): boolean {
  return definitionOf(collection)?.isBookkeeping === true;
}

/** Returns the noun of a collection's records. Old changes may have collections that the model lacks. */
export function nounOf(collection: string): string {
  return definitionOf(collection)?.noun ?? `record of ${collection}`;
}
