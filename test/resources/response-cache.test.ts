/** The response cache: through random changes, cached answers equal fresh ones. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { comparisonIn } from "../../src/domain/text.ts";
import { ReadyBody } from "../../src/engine/body.ts";
import { Clients } from "../../src/resources/clients.ts";
import { ListVersions } from "../../src/resources/common/list-versions.ts";
import { handlersFor } from "../../src/resources/index.ts";
import { Ranking } from "../../src/resources/ranking.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";
import { runs } from "../_depth.ts";
import { day, everyRight, openAs, type World } from "../_setup.ts";

const handlers = handlersFor(defaultDeclarations());
const compare = comparisonIn("en");

/** Every cached read: its path, its handler, and the input of that. */
const reads: readonly (readonly [string, string, Readonly<Record<string, string | boolean>>])[] = [
  ["/statistic/top", "statistic.top", {}],
  ["/player", "player.overview", {}],
  ["/player/groups", "player.groups", {}],
  ["/targetlist", "targetlist.list", {}],
  ["/blacklistreason/GROVE", "blacklistreason.list", { factionString: "GROVE" }],
  ["/houseban", "houseban.list", { advanced: false }],
  ["/houseban?advanced=true", "houseban.list", { advanced: true }],
  ["/housebanreason", "housebanreason.list", {}],
  ["/navipoint", "navipoint.list", {}],
  ["/wantedreason", "wantedreason.list", {}],
  ["/event", "event.current", {}],
  ["/statistic/Ada", "statistic.show", { player: "Ada" }],
  ["/statistic/bob", "statistic.show", { player: "bob" }],
];

it("this test lists every cached read", () => {
  const cached = Array.from(handlers).flatMap(([name, handler]) =>
    handler.effect === "read" && handler.cacheable !== undefined ? [name] : [],
  );
  assert.deepEqual(cached.toSorted(), [...new Set(reads.map(([, handler]) => handler))].toSorted());
});

/** Returns the answer without a cache. */
function freshAnswer({ service, clock }: World, name: string, input: object): unknown {
  const handler = handlers.get(name);
  if (handler?.effect !== "read") throw new Error(`${name} does not read`);
  const { data } = service.store;
  const context = { now: clock.time, activity: service.activity, excludedGroup: "BLACKLIST", compare };
  const sources = {
    ...data,
    ranking: new Ranking(data),
    clients: new Clients(data, service.activity),
    lists: new ListVersions(data),
  };
  const answer = handler.read(sources, input, context as never);
  return answer instanceof ReadyBody ? JSON.parse(answer.for(null).bytes.toString()) : answer;
}

const some = fc.constantFrom("Ada", "Bob", "Mallory", "eve");
const reason = fc.constantFrom("Theft", "Noise", "Fraud");
const number = fc.integer({ min: 1, max: 5 });
const start = fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_009 });

/** A change of the data by path and parameters, or of the clock. */
const change = fc.oneof(
  fc.record({
    path: fc.constantFrom("/targetlist/add", "/targetlist/done", "/targetlist/remove"),
    name: some,
  }),
  fc.record({ path: fc.constant("/wantedreason/add"), reason, points: number }),
  fc.record({
    path: fc.constantFrom("/wantedreason/remove", "/housebanreason/remove", "/blacklistreason/GROVE/remove"),
    reason,
  }),
  fc.record({ path: fc.constant("/housebanreason/add"), reason, days: number }),
  fc.record({ path: fc.constantFrom("/houseban/add", "/houseban/remove"), name: some, reason }),
  fc.record({ path: fc.constant("/blacklistreason/GROVE/add"), reason, price: number, kills: number }),
  fc.record({
    path: fc.constant("/navipoint/add"),
    name: reason,
    x: number,
    y: number,
    z: number,
    article: fc.constantFrom("der", "die", "das"),
  }),
  fc.record({ path: fc.constant("/navipoint/remove"), name: reason }),
  fc.record({
    path: fc.constantFrom("/player/add", "/player/remove"),
    name: some,
    group: fc.constantFrom("VIP", "BETA"),
  }),
  fc.record({
    path: fc.constantFrom("/statistic/Ada/set", "/statistic/Bob/set"),
    type: fc.constantFrom("KILL", "DEATH"),
    amount: number,
  }),
  fc.record({ path: fc.constantFrom("/event/bankrob", "/event/bomb"), startTime: start }),
  fc.record({ path: fc.constant("/event/gangwar"), attacker: number, defender: number }),
  fc.record({ path: fc.constant("clock"), days: number }),
  fc.record({ path: fc.constant("client"), version: fc.constantFrom("2.5.1", "2.6") }),
  fc.record({ path: fc.constant("token"), version: fc.constantFrom("2.4", "2.7") }),
  fc.record({ path: fc.constant("rank"), rank: number }),
);

it("a cached answer equals a fresh one, through random changes", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight);
  const bob = await world.player("Bob");
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 25 }), async (changes) => {
      for (const { path, ...parameters } of changes) {
        if (path === "clock") world.clock.advance((Number(Object.values(parameters)[0]) * day) / 2);
        else if (path === "client") {
          const headers = { "User-Agent": `gameaddon/${Object.values(parameters)[0]}` };
          await world.get(bob.token, "/player/groups", {}, { headers });
        } else if (path === "token") {
          const addonVersion = String(Object.values(parameters)[0]);
          await world.service.administer("token.issue", { player: "Bob", addonVersion, expiresIn: 3 * day });
        } else if (path === "rank") {
          const rank = Number(Object.values(parameters)[0]);
          await world.service.administer("member.set", { player: "Bob", organisation: "GROVE", rank });
        } else await world.get(token, path, parameters as Record<string, string | number>);
        // Requested twice: computed, then cached.
        for (let time = 0; time < 2; time += 1) {
          for (const [read, handler, input] of reads) {
            assert.deepEqual(await world.ok(token, read), freshAnswer(world, handler, input), read);
          }
        }
      }
    }),
    { numRuns: runs(25) },
  );
});

it("a cached top list omits a removed or reset player", async (t) => {
  const { world, token } = await openAs(t, "Ada", everyRight);
  await world.player("Bob");
  await world.ok(token, "/statistic/Bob/set", { type: "KILL", amount: 5 });
  assert.deepEqual((await world.ok(token, "/statistic/top")).kills, [{ name: "Bob", value: 5 }]);
  await world.service.administer("player.reset-statistic", { player: "Bob" });
  assert.deepEqual((await world.ok(token, "/statistic/top")).kills, []);
  await world.ok(token, "/statistic/Bob/set", { type: "KILL", amount: 6 });
  await world.service.administer("player.remove", { player: "Bob" });
  assert.deepEqual((await world.ok(token, "/statistic/top")).kills, []);
});
