/** The sentence in the answer of each change: what it did, or that there was nothing to do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everyRight, openAs } from "../_setup.ts";

const start = Date.parse("2026-11-21T11:30:00Z");

/** Changes in order: path, query, status and sentence. */
type Steps = readonly (readonly [string, Readonly<Record<string, string | number>>, number, string])[];

const theft = { reason: "Theft", points: 10 };
const betrayal = { reason: "Betrayal", price: 5, kills: 3 };
const noise = { reason: "Noise", days: 3 };
const base = { name: "Base", x: 1, y: 2, z: 3, article: "die" };
const vip = { name: "Mallory", group: "VIP" };
const banned = { name: "Mallory", reason: "Noise" };
const kills = { type: "KILL", amount: 2147483647 };

const changes: Readonly<Record<string, Steps>> = {
  "a wanted reason": [
    ["/wantedreason/add", theft, 200, "Added the wanted reason Theft."],
    ["/wantedreason/add", { ...theft, reason: "theft" }, 200, "The wanted reason Theft already exists."],
    [
      "/wantedreason/add",
      { ...theft, points: 11 },
      409,
      "The wanted reason Theft already exists with different values.",
    ],
    ["/wantedreason/remove", { reason: "THEFT" }, 200, "Removed the wanted reason Theft."],
    ["/wantedreason/remove", { reason: "THEFT" }, 404, "There is no wanted reason THEFT."],
  ],
  "an entry of another list": [
    ["/blacklistreason/GROVE/add", betrayal, 200, "Added the blacklist reason Betrayal."],
    ["/blacklistreason/GROVE/remove", { reason: "betrayal" }, 200, "Removed the blacklist reason Betrayal."],
    ["/navipoint/add", base, 200, "Added the navi point Base."],
    ["/navipoint/add", { ...base, y: 4 }, 409, "The navi point Base already exists with different values."],
    ["/navipoint/remove", { name: "Base" }, 200, "Removed the navi point Base."],
  ],
  "a house ban": [
    ["/housebanreason/add", noise, 200, "Added the house-ban reason Noise."],
    ["/housebanreason/add", { ...noise, reason: "Theft" }, 200, "Added the house-ban reason Theft."],
    ["/houseban/remove", banned, 404, "Mallory has no house ban."],
    ["/houseban/add", banned, 200, "Added the house-ban reason Noise to Mallory."],
    ["/houseban/add", banned, 200, "Mallory already has a house ban for Noise."],
    ["/houseban/remove", { ...banned, reason: "Theft" }, 404, "Mallory has no house ban for Theft."],
    ["/houseban/add", { ...banned, reason: "Theft" }, 200, "Added the house-ban reason Theft to Mallory."],
    ["/houseban/remove", banned, 200, "Removed the house-ban reason Noise from Mallory."],
    ["/houseban/remove", { ...banned, reason: "Theft" }, 200, "Removed the house ban of Mallory."],
  ],
  "a group": [
    ["/player/add", vip, 200, "Added Mallory to the group VIP."],
    ["/player/add", vip, 200, "Mallory is already in the group VIP."],
    ["/player/remove", vip, 200, "Removed Mallory from the group VIP."],
    ["/player/remove", vip, 404, "Mallory is not in the group VIP."],
  ],
  "a version": [
    ["/mgmt/version", { type: "remove", version: "2.5" }, 404, "There is no version 2.5."],
    ["/mgmt/version", { type: "add", version: "2.5" }, 200, "Marked version 2.5 as current."],
    ["/mgmt/version", { type: "add", version: "2.5" }, 200, "Version 2.5 is already current."],
    ["/mgmt/version", { type: "remove", version: "2.5" }, 200, "Marked version 2.5 as outdated."],
    ["/mgmt/version", { type: "remove", version: "2.5" }, 200, "Version 2.5 is already outdated."],
  ],
  "a statistic": [
    ["/statistic/Ada/set", kills, 200, "Set KILL of Ada to 2147483647."],
    ["/statistic/ada/set", kills, 200, "KILL of Ada is already 2147483647."],
    ["/statistic/Ada/add", { type: "KILL" }, 200, "Ada already has the maximum for KILL."],
    ["/statistic/Ada/add", { type: "DEATH" }, 200, "Added one DEATH for Ada."],
    ["/statistic/Eve/set", kills, 404, 'There is no player "Eve".'],
  ],
  "a bank robbery": [
    ["/event/bankrob", { startTime: start }, 200, "Added the bank robbery."],
    ["/event/bankrob", { startTime: start }, 200, "The bank robbery is already known."],
    ["/event/bankrob", { startTime: start - 1 }, 200, "A later bank robbery is already known."],
    ["/event/bankrob", { startTime: start + 1 }, 200, "Added the bank robbery."],
  ],
  "a score": [
    ["/event/gangwar", { attacker: 1, defender: 2 }, 200, "The score is now 1 to 2."],
    ["/event/gangwar", { attacker: 1, defender: 2 }, 200, "The score is already 1 to 2."],
  ],
};

describe("the sentence of a change", () => {
  for (const [what, steps] of Object.entries(changes)) {
    it(`the sentence of ${what} says what the change did, or that there was nothing to do`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      for (const [path, query, status, info] of steps) {
        const { sequence } = world.service.store;
        const answer = await world.get(token, path, query);
        assert.deepEqual([answer.status, answer.body.info], [status, info]);
        const isDone = status === 200 && !/ already /.test(info);
        assert.equal(world.service.store.sequence - sequence, isDone ? 1 : 0, info);
      }
    });
  }
});
