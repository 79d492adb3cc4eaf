/**
 * `data import` of an export from before version 0.2: records without later fields, and texts and instants
 * that requests no longer accept.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { it } from "node:test";
import { houseBanReason } from "../_entries.ts";
import { assertFailure, Clock, day, openWorld } from "../_setup.ts";
import { emptyDesk } from "../cli/_setup.ts";

const token = `gat_${"A".repeat(43)}`;
const uuid = "0123456789abcdef0123456789abcdef";
const nobody = { creatorName: null, creatorUUID: null };
const asOperator = { creatorName: "operator", creatorUUID: "" };
/** U+200B is invisible. */
const invisible = "No\u200bise";
/** The last possible instant, which events used to accept. */
const farAway = 8_640_000_000_000_000;

const clock = new Clock();
const startTime = clock.time - day;

/** An export of that time, without empty collections. */
const earlier = {
  format: "gameaddon-export",
  version: 1,
  exported: clock.time,
  collections: {
    names: [
      { name: "TARGETLIST", kind: "group", position: 0 },
      { name: "GROVE", kind: "faction", position: 0 },
      { name: "RESCUE", kind: "service", position: 0 },
    ],
    players: [{ uuid, name: "Ada", administrator: false, registeredAt: startTime }],
    statistics: [{ uuid, deaths: 0, kills: 0, playTime: 90, revives: 0, services: 0 }],
    memberships: [{ uuid, organisation: "RESCUE", rank: 4 }],
    houseBans: [
      {
        name: "Mallory",
        uuid: null,
        startTime,
        reasons: [
          { reason: "all", days: 5, ...nobody },
          { reason: invisible, days: 2, creatorName: "Ada", creatorUUID: uuid },
        ],
      },
    ],
    houseBanReasons: [
      { reason: "all", days: 5 },
      { reason: invisible, days: 2 },
    ],
    events: [{ kind: "bankRob", startTime: farAway }],
    tokens: [
      {
        ...{ id: "12dfcc1a", hash: createHash("sha256").update(token).digest("hex"), uuid, label: null },
        ...{ addonVersion: null, expiresAt: null, issuedAt: startTime, revokedAt: null },
      },
    ],
  },
};

it("an export from before version 0.2 is imported as it is, answered as documented, and can be changed", async (t) => {
  const desk = await emptyDesk(t);
  await desk.write("earlier.json", JSON.stringify(earlier));
  assert.match(await desk.ok("data", "import", "earlier.json"), /^Imported 11 records\.$/m);
  assert.equal((await desk.json<{ ok: boolean }>("data", "verify")).ok, true);
  const { collections } = JSON.parse(await desk.ok("data", "export"));
  const { houseBanReasons, ...others } = earlier.collections;
  const entries = houseBanReasons.map(({ reason, days }) => houseBanReason(reason, days, nobody));
  for (const [name, records] of Object.entries({ ...others, entries }))
    assert.deepEqual(collections[name], records, `${name}: stored values are not converted`);

  const world = await openWorld(t, { folder: desk.folder, clock });
  assert.deepEqual(await world.ok(token, "/housebanreason"), [
    { reason: "all", days: 5, ...asOperator },
    { reason: invisible, days: 2, ...asOperator },
  ]);
  assert.deepEqual(await world.ok(token, "/houseban", { advanced: "true" }), [
    {
      name: "Mallory",
      uuid: null,
      startTime,
      duration: 7 * day,
      expirationTime: startTime + 7 * day,
      houseBanReasonList: [
        { reason: "all", days: 5, ...asOperator },
        { reason: invisible, days: 2, creatorName: "Ada", creatorUUID: uuid },
      ],
    },
  ]);
  const { gameplay, faction } = await world.ok(token, "/statistic/Ada");
  assert.equal(gameplay.playTime, 90);
  assert.deepEqual(faction, { name: "RESCUE", rank: 4 });

  // The token predates read-only ones, and allows changes.
  assert.equal((await world.ok(token, "/event")).bankRob, farAway);
  await world.ok(token, "/event/bankrob", { startTime: clock.time });
  assert.equal((await world.ok(token, "/event")).bankRob, clock.time);
  await world.ok(token, "/housebanreason/remove", { reason: invisible });
  await world.ok(token, "/houseban/remove", { name: "Mallory", reason: invisible });
  // First the reason of that name, then the rest of the ban.
  await world.ok(token, "/houseban/add", { name: "Zed", reason: "all" });
  for (const name of ["Mallory", "Zed"]) await world.ok(token, "/houseban/remove", { name, reason: "all" });
  assert.deepEqual(await world.ok(token, "/houseban"), []);
  await world.ok(token, "/housebanreason/remove", { reason: "all" });
  const refused = await world.get(token, "/housebanreason/add", { reason: "all", days: 5 });
  assertFailure(refused, 400, "PARAMETER_INVALID", "reason");
});
