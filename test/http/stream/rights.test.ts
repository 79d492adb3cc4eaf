/** Of what a stream tells whom, and when it ends, over a socket. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { it, type TestContext } from "node:test";
import { day, everyRight, openWorld, shippedRoutes, type World } from "../../_setup.ts";
import { type Listening, listen, listenAt } from "./_listening.ts";

const reason = (faction: string) => `/blacklistreason/${faction}/add`;
const betrayal = { reason: "Betrayal", price: 5, kills: 3 };

/** Removes the pages of a table, which require that what they show is open. */
const withoutPages = (table: string) => table.replace(/^pages: .*\n/m, "");

async function open(t: TestContext, edit = (table: string) => table): Promise<World> {
  const shipped = await readFile(shippedRoutes, "utf8");
  return openWorld(t, { transport: "socket", routes: edit(shipped) });
}

/** Opens streams, and returns them after their first event. */
async function openStreams(t: TestContext, world: World, ...tokens: string[]): Promise<Listening[]> {
  const streams = await Promise.all(tokens.map((token) => listen(t, world, token)));
  for (const stream of streams) await stream.next();
  return streams;
}

/** Returns what the next event names. One of statistics alone comes up to five seconds late, which tells nothing here. */
async function nextResources(stream: Listening | undefined): Promise<readonly string[]> {
  const { event, data } = (await stream?.next()) ?? { event: "", data: {} };
  assert.equal(event, "changed");
  return data.resources.join() === "statistic" ? nextResources(stream) : data.resources;
}

it("only members of a faction hear of changes to its list", async (t) => {
  const world = await open(t);
  const [ada, bob] = await Promise.all([
    world.player("Ada", { ...everyRight, members: { GROVE: 4, POLICE: 4 } }),
    world.player("Bob", { members: { BALLAS: 1 } }),
  ]);
  const [hers, his, anybodys] = await openStreams(t, world, ada.token, bob.token, world.publicToken);
  await world.ok(ada.token, reason("GROVE"), betrayal);
  assert.deepEqual(await nextResources(hers), ["blacklistreason"]);
  await world.ok(ada.token, "/wantedreason/add", { reason: "Theft", points: 3 });
  for (const stream of [hers, his, anybodys]) assert.deepEqual(await nextResources(stream), ["wantedreason"]);
});

it("a player hears of a list from becoming a member until leaving", async (t) => {
  const world = await open(t, (table) => table.replace(/\/blacklistreason(\/{\w+}):/, "$1/black:"));
  const ada = await world.player("Ada", { members: { GROVE: 4, POLICE: 4 } });
  const bob = await world.player("Bob");
  const [his] = await openStreams(t, world, bob.token);
  const member = { player: "Bob", organisation: "GROVE" };
  await world.service.administer("member.set", { ...member, rank: 1 });
  const joined = await nextResources(his);
  assert.ok(joined.includes("blacklistreason"), `the list is new to him: ${joined}`);
  await world.ok(ada.token, reason("GROVE"), betrayal);
  assert.deepEqual(await nextResources(his), ["blacklistreason"]);
  await world.service.administer("member.remove", member);
  await world.ok(ada.token, reason("GROVE"), { ...betrayal, reason: "Spying" });
  await world.ok(ada.token, "/wantedreason/add", { reason: "Theft", points: 3 });
  assert.ok(!(await nextResources(his)).includes("blacklistreason"));
});

it("the events are only for those who may read them", async (t) => {
  const world = await open(t, (table) =>
    withoutPages(table).replace(/(\/event:\n.*\n\s+restriction:) open/, "$1 { service: POLICE }"),
  );
  const ada = await world.player("Ada", { members: { POLICE: 4 } });
  const anybodys = await listen(t, world, world.publicToken);
  const [hers] = await openStreams(t, world, ada.token);
  await world.ok(ada.token, "/event/gangwar", { attacker: 1, defender: 0 });
  assert.equal((await hers?.next())?.event, "event");
  await world.ok(ada.token, "/wantedreason/add", { reason: "Theft", points: 3 });
  assert.deepEqual(await nextResources(anybodys), ["wantedreason"]);
});

it("the events are for whoever may read any route of them", async (t) => {
  const live = "  /event/live: { summary: L., restriction: open, handler: event.current }\n";
  const world = await open(t, (table) =>
    withoutPages(table).replace(
      /(\n {2}\/event:\n.*\n\s+restriction:) open(\n(?: {4}.*\n)*)/,
      `$1 { service: POLICE }$2${live}`,
    ),
  );
  const ada = await world.player("Ada", { members: { POLICE: 4 } });
  const [anybodys] = await openStreams(t, world, world.publicToken);
  await world.ok(ada.token, "/event/gangwar", { attacker: 1, defender: 0 });
  assert.equal((await anybodys?.next())?.event, "event");
});

it("a table that restricts a list ends the news of it, and one that opens it begins them", async (t) => {
  const world = await open(t);
  const ada = await world.player("Ada", { members: { POLICE: 4 } });
  const [anybodys] = await openStreams(t, world, world.publicToken);
  const { file } = world.service.routes;
  const shipped = await readFile(file, "utf8");
  const restricted = withoutPages(shipped).replace(
    /(\/wantedreason:\n.*\n\s+restriction:) open/,
    "$1 { service: POLICE }",
  );
  await writeFile(file, restricted);
  await world.service.reloadRoutes();
  await world.ok(ada.token, "/wantedreason/add", { reason: "Theft", points: 3 });
  await world.ok(ada.token, "/event/gangwar", { attacker: 1, defender: 0 });
  assert.equal((await anybodys?.next())?.event, "event");
  await writeFile(file, shipped);
  await world.service.reloadRoutes();
  assert.deepEqual(await nextResources(anybodys), ["wantedreason"]);
});

it("a table with another order of names, or another default, changes lists, one with another title nothing", async (t) => {
  const world = await open(t);
  const ada = await world.player("Ada", { members: { POLICE: 4 } });
  const [anybodys] = await openStreams(t, world, world.publicToken);
  const { file } = world.service.routes;
  const shipped = await readFile(file, "utf8");
  await writeFile(file, `title: Another\n${shipped}`);
  await world.service.reloadRoutes();
  await world.ok(ada.token, "/event/gangwar", { attacker: 1, defender: 0 });
  assert.equal((await anybodys?.next())?.event, "event", "nothing was told of before");
  await writeFile(file, shipped.replace("language: en", "language: sv"));
  await world.service.reloadRoutes();
  assert.ok((await nextResources(anybodys)).includes("wantedreason"));
  const limited = /handler: wantedreason\.list$/m;
  const parameters = "\n    parameters: { limit: { type: integer, maximum: 9, default: 9 } }";
  await writeFile(
    file,
    withoutPages(shipped).replace("language: en", "language: sv").replace(limited, `$&${parameters}`),
  );
  await world.service.reloadRoutes();
  assert.deepEqual(await nextResources(anybodys), ["wantedreason"]);
});

/** What takes the right to a stream away from Ada, whose token has an id. */
const endings: Readonly<Record<string, (world: World, token: string) => unknown>> = {
  "its token is revoked": (world) => world.service.administer("token.revoke", { player: "Ada" }),
  "its token expires": (world) => world.clock.advance(2 * day),
  "its player is excluded": (world) =>
    world.service.administer("group.add", { player: "Ada", group: "BLACKLIST" }),
  "its player is removed": (world) => world.service.administer("player.remove", { player: "Ada" }),
  "a table without streams is put in force": async (world) => {
    const { file } = world.service.routes;
    await writeFile(file, (await readFile(file, "utf8")).replace(/^stream:.*\n/m, ""));
    await world.service.reloadRoutes();
  },
};

for (const [what, end] of Object.entries(endings)) {
  it(`a stream ends within a second when ${what}`, async (t) => {
    const world = await open(t);
    await world.service.administer("player.add", { name: "Ada" });
    const issued = await world.service.administer("token.issue", { player: "Ada", expiresIn: day });
    const [stream] = await openStreams(t, world, issued.token);
    await end(world, issued.token);
    const ended = performance.now();
    await stream?.ended;
    assert.ok(performance.now() - ended < 1000);
    assert.equal(stream?.response.complete, true);
    assert.equal(world.service.streams.size, 0);
  });
}

it("a machine that must not answer ends the streams of tokens, and keeps those of its pages", async (t) => {
  const world = await open(t);
  const [stream] = await openStreams(t, world, world.publicToken);
  const overlay = await listenAt(t, `${world.url}/overlay/gangwar/stream`);
  await overlay.next();
  const { store, streams } = world.service;
  Object.defineProperty(store, "shared", { value: { unfit: "It is behind." }, configurable: true });
  await stream?.ended;
  assert.equal(streams.size, 1);
  Reflect.deleteProperty(store, "shared");
});
