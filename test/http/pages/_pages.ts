/** A service with pages, and the data that they show. */
import { readFile } from "node:fs/promises";
import { type Cleanup, day, openWorld, shippedRoutes, type World } from "../../_setup.ts";

/** The pages of the shipped table, and one of a list. */
export const paths = [
  "/",
  "/overlay/gangwar",
  "/top",
  "/player",
  "/housebans",
  "/wanted",
  "/team",
  "/lists/navipoint",
];

/** Opens a service that listens, with the page of another list beside those of the shipped table. */
export async function openPages(
  t: Cleanup,
  edit: (table: string) => string = (table) => table,
): Promise<World> {
  const shipped = await readFile(shippedRoutes, "utf8");
  const described = shipped.replace("    description: A named place and its coordinates.\n", "");
  const routes = described.replace(/^pages: \[(.*)\]$/m, "pages: [$1, { list: navipoint }]");
  return openWorld(t, { transport: "socket", routes: edit(routes) });
}

/** Requests a page as a browser does. */
export async function open(world: World, path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${world.url}${path}`, { headers: { Accept: "text/html", ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const names = [
  "Ada",
  "Bob",
  "Cleo",
  "Dmitri",
  "Edda",
  "Fynn",
  "Gustav_Maximilian_Obermeier",
  "Hanna",
  "Ida",
  "Ömer",
  "Otto",
  "Zoe",
];

/** Fills a service with what a community has after some months. */
export async function fill(world: World): Promise<void> {
  const { service, clock } = world;
  await service.administer("token.issue", { label: "web" });
  for (const [index, name] of names.entries()) {
    const faction = index % 2 === 0 ? "GROVE" : "BALLAS";
    await world.player(name, { members: { [faction]: 1 + (index % 6) }, addonVersion: "2.5.1" });
    for (const group of ["VIP", "BETA", "MOD", "DEV"].slice(0, (names.length - index) / 3))
      await service.administer("group.add", { player: name, group });
  }
  await service.administer("group.add", { player: "Mallory", group: "BLACKLIST" });
  const call = (path: string, pairs: Readonly<Record<string, string | number>>) =>
    service.call(
      path,
      Object.entries(pairs).map(([name, value]): [string, string] => [name, String(value)]),
    );
  await call("/mgmt/version", { type: "add", version: "2.5.1" });
  for (const [reason, points] of [
    ["Bank-robbery", 60],
    ["Theft", 10],
    ["Speeding", 5],
    ["Assault-of-an-officer", 45],
    ["Ärger", 2],
  ] as const)
    await call("/wantedreason/add", { reason, points });
  for (let index = 1; index <= 60; index += 1)
    await call("/wantedreason/add", { reason: `Offence-${index}`, points: index });
  for (const [name, x] of [
    ["City-hall", 120],
    ["Police-station", -340],
  ] as const)
    await call("/navipoint/add", { name, x, y: 70, z: -35, article: "das" });
  for (const [reason, days] of [
    ["Vandalism", 7],
    ["Noise-at-night", 3],
  ] as const)
    await call("/housebanreason/add", { reason, days });
  for (const [name, reason] of [
    ["Mallory", "Vandalism"],
    ["Mallory", "Noise-at-night"],
    ["Trudy", "Noise-at-night"],
  ] as const)
    await call("/houseban/add", { name, reason });
  await call("/event/gangwar", { attacker: 12, defender: 9 });
  const end = clock.time;
  const players = names.map(
    (name) => service.store.data.players.find("name", name.toLowerCase())[0]?.uuid ?? "",
  );
  await service.store.change({ who: "operator", operation: "import" }, (draft) => {
    for (const [index, uuid] of players.entries()) {
      const share = names.length - index;
      draft.statistics.put({
        uuid,
        kills: 211 * share,
        deaths: 97 + 13 * index,
        playTime: 40 * share,
        revives: index * 31,
        services: index % 3,
      });
    }
    for (let ago = 0; ago < 90; ago += 1) {
      const date = new Date(end - ago * day).toISOString().slice(0, 10);
      const wave = (height: number, shift: number) =>
        Math.round(height * (1.2 + Math.sin(ago / 3 + shift) + 0.4 * Math.sin(ago * 1.7)));
      for (const [counter, value] of [
        ["kills", wave(420, 0)],
        ["deaths", wave(380, 1)],
        ["playTime", wave(90, 2)],
        ["revives", wave(25, 3)],
      ] as const)
        draft.counters.put({ name: `${date}/${counter}`, value: Math.max(0, value) });
    }
  });
}
