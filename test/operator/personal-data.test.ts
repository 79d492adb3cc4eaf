/** The records about one person: which belong to the person, registered or not, and which to others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { houseBanReason } from "../_entries.ts";
import { Desk, one, three, two } from "./_desk.ts";

/** Returns the records of a person that are not empty, and the UUIDs. */
function everythingOf(desk: Desk, player: string) {
  const { name, uuids, records } = desk.run("player.everything", { player });
  return {
    name,
    uuids,
    records: Object.fromEntries(Object.entries(records).filter(([, rows]) => rows.length > 0)),
  };
}

const zero = { deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
const ban = (name: string, uuid: string | null, creator: string | null) => ({
  name,
  uuid,
  startTime: 1,
  reasons: [{ reason: "Noise", days: 1, creatorName: creator === null ? null : "x", creatorUUID: creator }],
});

describe("the personal data of", () => {
  it("a player has every record of the player, without the hashes of tokens, and none of others", () => {
    const desk = new Desk();
    const { data } = desk;
    for (const [name, uuid] of [
      ["Ada", one],
      ["Bob", two],
    ] as const) {
      desk.register(name, uuid, { GROVE: 2 });
      desk.run("token.issue", { player: name });
      desk.run("group.add", { player: name, group: "VIP" });
      desk.run("audit.statistics", { uuid, types: ["KILL", "DEATH"] });
      desk.activity.note(uuid, "2.5.1", desk.now);
      data.statistics.put({ uuid, ...zero });
      data.targets.put({ name, uuid, done: false, listed: 1 });
      data.entries.put(houseBanReason(`by ${name}`, 1, { creatorName: name, creatorUUID: uuid }));
      data.houseBans.put(ban(name, uuid, three));
      data.repetitions.put({ scope: uuid, key: "k", request: "r", info: "i", instant: 1 });
    }
    data.houseBans.put(ban("Carl", null, one));
    data.houseBans.put(ban("Dora", null, null));
    data.entries.put(houseBanReason("old", 1));
    data.entries.put(houseBanReason("by nobody", 1, { creatorName: null, creatorUUID: null }));
    const [issued] = data.tokens.find("player", one);
    assert.ok(issued !== undefined);
    const { hash: _, ...token } = issued;
    assert.deepEqual(everythingOf(desk, "ada"), {
      name: "Ada",
      uuids: [one],
      records: {
        players: [data.players.get(one)],
        statistics: [{ uuid: one, ...zero }],
        closedCases: [
          { uuid: one, type: "KILL", through: data.closedCases.get(`${one}/KILL`)?.through },
          { uuid: one, type: "DEATH", through: data.closedCases.get(`${one}/DEATH`)?.through },
        ],
        memberships: [{ uuid: one, organisation: "GROVE", rank: 2 }],
        groupMembers: [{ group: "VIP", name: "Ada", uuid: one }],
        targets: [{ name: "Ada", uuid: one, done: false, listed: 1 }],
        entries: [houseBanReason("by Ada", 1, { creatorName: "Ada", creatorUUID: one })],
        houseBans: [ban("Ada", one, three), ban("Carl", null, one)],
        tokens: [token],
        activity: [{ uuid: one, lastSeen: desk.now, version: "2.5.1", ...desk.activity.of(one) }],
        repetitions: [{ scope: one, key: "k", request: "r", info: "i", instant: 1 }],
      },
    });
  });

  it("a name that was never registered has the records of the name", () => {
    const desk = new Desk();
    desk.run("group.add", { player: "Eve", group: "VIP" });
    desk.data.targets.put({ name: "Eve", uuid: null, done: true, listed: 1 });
    desk.data.houseBans.put(ban("Eve", null, null));
    assert.deepEqual(everythingOf(desk, "EVE"), {
      name: "EVE",
      uuids: [],
      records: {
        groupMembers: [{ group: "VIP", name: "Eve", uuid: null }],
        targets: [{ name: "Eve", uuid: null, done: true, listed: 1 }],
        houseBans: [ban("Eve", null, null)],
      },
    });
    assert.deepEqual(everythingOf(desk, "Nobody"), { name: "Nobody", uuids: [], records: {} });
  });

  it("a former player is found by the name, also if several had it", () => {
    const desk = new Desk();
    desk.data.groupMembers.put({ group: "BLACKLIST", name: "Eve", uuid: two });
    desk.data.houseBans.put(ban("eve", three, null));
    const records = {
      groupMembers: [{ group: "BLACKLIST", name: "Eve", uuid: two }],
      houseBans: [ban("eve", three, null)],
    };
    assert.deepEqual(everythingOf(desk, "Eve"), { name: "Eve", uuids: [two, three], records });
    // A player who has the name now is somebody else.
    desk.data.players.put({ uuid: one, name: "Eve", administrator: false, registeredAt: 1 });
    assert.deepEqual(everythingOf(desk, "Eve").uuids, [one]);
    assert.deepEqual(everythingOf(desk, two), {
      name: two,
      uuids: [two],
      records: { groupMembers: records.groupMembers },
    });
  });
});

describe("closing the cases of statistics", () => {
  it("notes the number of the change for each type", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    const answer = desk.run("audit.statistics", { uuid: one, types: ["KILL", "DEATH"] });
    assert.deepEqual(answer, {
      info: "Closed the cases of Ada: KILL and DEATH.",
      uuid: one,
      types: ["KILL", "DEATH"],
    });
    const through = desk.sequence;
    assert.equal(
      desk.run("audit.statistics", { uuid: two, types: ["KILL"] }).info,
      `Closed the case of ${two}: KILL.`,
    );
    assert.deepEqual(
      [...desk.data.closedCases.values()],
      [
        { uuid: one, type: "KILL", through },
        { uuid: one, type: "DEATH", through },
        { uuid: two, type: "KILL", through: through + 1 },
      ],
    );
  });
});
