/** The operations of the interface, and random requests to them, for property tests. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { character } from "./_character.ts";
import type { PlayerDetails } from "./_setup.ts";
import { type Answered, assertFailure, everyRight, type World } from "./_setup.ts";

/** An operation: its path, whether it changes data, and valid texts for each of its parameters. */
export interface OperationForm {
  readonly path: string;
  readonly changes: boolean;
  readonly parameters: Readonly<Record<string, fc.Arbitrary<string>>>;
}

/** Names of players, in several spellings; some are registered. */
const name = fc.constantFrom(
  "Ada",
  "ADA",
  "ada",
  "Bob",
  "Cleo",
  "Zoë",
  "Zoe\u0308",
  "__proto__",
  "constructor",
  "x.y-z_0",
);
/** Without the excluding group: the callers would soon be in it, and no change would follow. */
const group = fc.constantFrom("CEO", "vip", "TARGETLIST", "Mod", "BETA");
const faction = fc.constantFrom("GROVE", "grove", "Vagos", "CARTEL");
const reason = fc.constantFrom(
  "Mord",
  "MORD",
  "Rotes-Haus",
  "Café",
  "Cafe\u0301",
  "__proto__",
  "hasOwnProperty",
  "🔥",
  "a",
);
const count = fc.constantFrom("0", "1", "2", "7", "2147483647", "-0", "007");
const coordinate = fc.constantFrom("0", "-1", "-120.5", "1.0E7", "2147483647", "-2147483648");
const statisticType = fc.constantFrom("DEATH", "kill", "Playtime", "REVIVE", "SERVICE");
const article = fc.constantFrom("der", "DIE", "das");
const days = fc.constantFrom("1", "2", "30", "3650");
const points = fc.constantFrom("0", "1", "69", "1000");
const mark = fc.constantFrom("add", "remove");
const version = fc.constantFrom("2.5.1", "2.5", "2.10.0.1", "0.0");
const instant = fc.constantFrom("0", "1795262400000", "2026-11-21T12:00:00Z", "2026-11-21T13:00:00+01:00");

/** Every operation of the interface. */
export const operations: readonly OperationForm[] = [
  { path: "/statistic/top", changes: false, parameters: {} },
  { path: "/statistic/{player}", changes: false, parameters: { player: name } },
  { path: "/statistic/{player}/add", changes: true, parameters: { player: name, type: statisticType } },
  {
    path: "/statistic/{player}/set",
    changes: true,
    parameters: { player: name, type: statisticType, amount: count },
  },
  { path: "/player", changes: false, parameters: {} },
  { path: "/player/groups", changes: false, parameters: {} },
  { path: "/player/add", changes: true, parameters: { name, group } },
  { path: "/player/remove", changes: true, parameters: { name, group } },
  { path: "/targetlist", changes: false, parameters: {} },
  { path: "/targetlist/add", changes: true, parameters: { name } },
  { path: "/targetlist/done", changes: true, parameters: { name } },
  { path: "/targetlist/remove", changes: true, parameters: { name } },
  { path: "/blacklistreason/{factionString}", changes: false, parameters: { factionString: faction } },
  {
    path: "/blacklistreason/{factionString}/add",
    changes: true,
    parameters: { factionString: faction, reason, price: count, kills: count },
  },
  {
    path: "/blacklistreason/{factionString}/remove",
    changes: true,
    parameters: { factionString: faction, reason },
  },
  { path: "/houseban", changes: false, parameters: { advanced: fc.constantFrom("true", "FALSE") } },
  { path: "/houseban/add", changes: true, parameters: { name, reason } },
  { path: "/houseban/remove", changes: true, parameters: { name, reason } },
  { path: "/housebanreason", changes: false, parameters: {} },
  { path: "/housebanreason/add", changes: true, parameters: { reason, days } },
  { path: "/housebanreason/remove", changes: true, parameters: { reason } },
  { path: "/navipoint", changes: false, parameters: {} },
  {
    path: "/navipoint/add",
    changes: true,
    parameters: { name: reason, x: coordinate, y: coordinate, z: coordinate, article },
  },
  { path: "/navipoint/remove", changes: true, parameters: { name: reason } },
  { path: "/wantedreason", changes: false, parameters: {} },
  { path: "/wantedreason/add", changes: true, parameters: { reason, points } },
  { path: "/wantedreason/remove", changes: true, parameters: { reason } },
  { path: "/mgmt", changes: false, parameters: {} },
  { path: "/mgmt/users", changes: false, parameters: {} },
  { path: "/mgmt/version", changes: true, parameters: { type: mark, version } },
  { path: "/event", changes: false, parameters: {} },
  { path: "/event/bankrob", changes: true, parameters: { startTime: instant } },
  { path: "/event/bomb", changes: true, parameters: { startTime: instant } },
  { path: "/event/gangwar", changes: true, parameters: { attacker: count, defender: count } },
];

/** Returns the raw path of an operation, without prefix and token. @param texts percent-encoded */
export function toPath(form: OperationForm, texts: Readonly<Record<string, string>>): string {
  const inPath = (parameter: string) => form.path.includes(`{${parameter}}`);
  const path = form.path.replace(/\{(\w+)\}/g, (_, parameter: string) => texts[parameter] ?? "");
  const query = Object.entries(texts).filter(([parameter]) => !inPath(parameter));
  return query.length === 0 ? path : `${path}?${query.map((pair) => pair.join("=")).join("&")}`;
}

function texts(form: OperationForm, toText: (good: fc.Arbitrary<string>) => fc.Arbitrary<string>) {
  return fc.record(
    Object.fromEntries(Object.entries(form.parameters).map(([key, good]) => [key, toText(good)])),
  );
}

/** Well-formed paths of reads or of changes. */
export function goodPath(changes: boolean): fc.Arbitrary<string> {
  const forms = operations.filter((form) => form.changes === changes);
  return fc
    .constantFrom(...forms)
    .chain((form) =>
      texts(form, (good) => good.map(encodeURIComponent)).map((values) => toPath(form, values)),
    );
}

/** Names of JavaScript properties, and texts that have broken other services. */
const notorious = fc.constantFrom(
  ...["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", "prototype", "length", "then"],
  ...[
    "",
    "%",
    "%2",
    "%zz",
    "%00",
    "%C0%80",
    "%ED%A0%80",
    "%F4%90%80%80",
    ".",
    "..",
    "%2e%2e",
    "%2F",
    "%5C",
    "+",
  ],
  ...[
    "NaN",
    "Infinity",
    "1e9",
    "-0",
    "0x10",
    "99999999999999999999",
    "null",
    "undefined",
    "[]",
    "{}",
    "true",
  ],
  ...[
    "~ada",
    "GROVE/ada",
    "group/ceo",
    "%E2%80%AE",
    "%EF%BB%BF",
    "a%0D%0AX:y",
    "a;b",
    "a,b",
    "a&b=c",
    "#",
    "?",
    "*",
  ],
);
const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 8 })
  .map((all) => Array.from(all, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
/** Arbitrary texts as a client may write them into a path, percent-encoded or not. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  notorious,
  bytes,
  fc.string({ unit: character, maxLength: 80 }).map(encodeURIComponent),
  fc.string({ unit: "grapheme", maxLength: 40 }).map(encodeURIComponent),
  fc.string({ maxLength: 20 }),
);

/** Paths with valid and invalid texts, and with missing, unknown or repeated parameters. */
export const anyPath: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...operations).chain((form) => {
      const values = texts(form, (good) =>
        fc.oneof({ weight: 2, arbitrary: good.map(encodeURIComponent) }, anyText),
      );
      return values.map((all) => toPath(form, all));
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.oneof(goodPath(true), goodPath(false)),
        fc.oneof(anyText, fc.constantFrom("name", "reason", "type", "advanced")),
        anyText,
      )
      .map(([path, key, text]) => `${path}${path.includes("?") ? "&" : "?"}${key}=${text}`),
  },
  { weight: 1, arbitrary: goodPath(true).map((path) => path.replace(/[?&][^&]*$/, "")) },
  { weight: 1, arbitrary: fc.array(anyText, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`) },
);

/** Registers a caller of every kind; returns their tokens, by kind. */
export async function openCallers(world: World): Promise<ReadonlyMap<string, string>> {
  const members = (rank: number) => ({ GROVE: rank, VAGOS: rank, RESCUE: rank, POLICE: rank });
  const kinds: Readonly<Record<string, readonly [string, PlayerDetails]>> = {
    "a player": ["Bob", {}],
    "a member of rank 3": ["Cleo", { members: members(3) }],
    "a member of rank 4": ["Dora", { members: members(4), groups: ["TARGETLIST"] }],
    "an administrator": ["Emil", { administrator: true }],
    "a player with every right": ["Ada", everyRight],
    "a player with the name of a JavaScript property": ["constructor", everyRight],
    "an excluded player": ["Mallory", { ...everyRight, groups: ["BLACKLIST"] }],
  };
  const callers = new Map([["the holder of a public token", world.publicToken]]);
  for (const [kind, [player, details]] of Object.entries(kinds))
    callers.set(kind, (await world.player(player, details)).token);
  const { service, clock } = world;
  const expiring = await service.administer("token.issue", { player: "Ada", expiresIn: 1 });
  clock.advance(1);
  callers.set("the holder of an expired token", expiring.token);
  const revoked = await service.administer("token.issue", { player: "Ada" });
  await service.administer("token.revoke", { id: revoked.id });
  callers.set("the holder of a revoked token", revoked.token);
  const { token: readOnly } = await service.administer("token.issue", { player: "Ada", readOnly: true });
  callers.set("the holder of a read-only token", readOnly);
  callers.set("a stranger", `gat_${"A".repeat(43)}`);
  return callers;
}

/** The status of each failure. */
const statusOf: ReadonlyMap<string, number> = new Map([
  ["PARAMETER_MISSING", 400],
  ["PARAMETER_INVALID", 400],
  ["PARAMETER_UNKNOWN", 400],
  ["PARAMETER_REPEATED", 400],
  ["REQUEST_MALFORMED", 400],
  ["TOKEN_UNKNOWN", 401],
  ["TOKEN_EXPIRED", 401],
  ["TOKEN_REVOKED", 401],
  ["RESTRICTED", 403],
  ["READ_ONLY", 403],
  ["EXCLUDED", 403],
  ["UNKNOWN_PATH", 404],
  ["UNKNOWN_PLAYER", 404],
  ["UNKNOWN_GROUP", 404],
  ["UNKNOWN_FACTION", 404],
  ["UNKNOWN_ENTRY", 404],
  ["CONFLICT", 409],
]);
const failureKeys = ["httpStatusCode", "httpStatus", "info", "code", "requestId", "parameter", "hint"];

/** Asserts that an answer to a GET is a 200 or a documented failure; returns which. */
export function assertContract(answer: Answered): "success" | "failure" {
  const { status, body, headers } = answer;
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("access-control-allow-origin"), "*");
  if (status === 200) return "success";
  const expected = statusOf.get(body?.code);
  assert.ok(expected !== undefined, `${status} ${JSON.stringify(body)} is no documented failure`);
  assertFailure(answer, expected, body.code);
  const others = Object.keys(body).filter((key) => !failureKeys.includes(key));
  assert.deepEqual(others, []);
  for (const key of ["parameter", "hint"]) assert.ok(["string", "undefined"].includes(typeof body[key]), key);
  return "failure";
}

/** Kinds of callers; every other is the player with every right. */
export function anyCaller(callers: ReadonlyMap<string, string>): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...callers.keys()), fc.constant("a player with every right"));
}
