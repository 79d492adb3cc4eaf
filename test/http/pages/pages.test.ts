/** The pages as they are served: what they show, to whom, and what never reaches a browser. `browser.test.ts` looks at them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertIncludes, assertLacks, day, openWorld, shared, type World } from "../../_setup.ts";
import { fill, open, openPages, paths } from "./_pages.ts";

describe("pages", () => {
  const world = shared(async (t) => {
    const opened = await openPages(t);
    await fill(opened);
    return opened;
  });

  it("are served without a token, with the headers of /docs, and answer 304 and HEAD", async () => {
    for (const path of paths) {
      const { status, headers } = await open(world(), path);
      assert.equal(status, 200, path);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.deepEqual(headers.get("content-security-policy")?.split("; ").sort(), [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        "style-src 'self'",
      ]);
      const again = await open(world(), path, { "If-None-Match": headers.get("etag") ?? "" });
      assert.equal(again.status, 304, path);
      const head = await fetch(`${world().url}${path}`, { method: "HEAD", headers: { Accept: "text/html" } });
      assert.equal(head.headers.get("etag"), headers.get("etag"), path);
      const refused = await fetch(`${world().url}${path}`, { method: "POST" });
      assert.equal(refused.status, 405, path);
    }
  });

  it("have the title of the table, and before it that of the page", async () => {
    const titleOf = async (path: string) =>
      /<title>(.*)<\/title>/.exec((await open(world(), path)).text)?.[1];
    assert.deepEqual(
      [await titleOf("/"), await titleOf("/top")],
      ["Game-addon data service", "Top list – Game-addon data service"],
    );
  });

  it("have no token in anything that they answer", async () => {
    const files = [
      "/wanted.csv",
      "/wanted.json",
      "/housebans.csv",
      "/pages/page.css",
      "/pages/page.js",
      "/pages/overlay.js",
    ];
    for (const path of [...paths, ...files, "/player?name=Ada", "/overlay/gangwar?a=x"]) {
      const { text, headers } = await open(world(), path);
      assert.doesNotMatch(text + JSON.stringify([...headers]), /ga[ti]_[\w-]{4}/, path);
    }
  });

  it("mask a token that somebody searches for, also percent-encoded", async () => {
    const token = `gat_${"Ab-_".repeat(11).slice(1)}`;
    for (const path of ["/player?name=", "/wanted?q=x+", "/overlay/gangwar?a="])
      for (const sent of [token, token.replace("gat_", "%67at%5F")]) {
        const { text } = await open(world(), `${path}${sent}`);
        assertIncludes(text, "gat_…");
        assertLacks(text, token.slice(4));
      }
  });

  it("show a team in the colour that the seed gives its faction, and others without one", async () => {
    const { text } = await open(world(), "/overlay/gangwar?a=grove&b=Nobody");
    const sides = text.split('class="side"').slice(1);
    assert.deepEqual(
      sides.map((side) => /fill="(#\w+)"/.exec(side)?.[1]),
      ["#2e9e4f", undefined],
    );
    // Forty characters, of which the last has two UTF-16 units.
    const longest = `${"a".repeat(39)}\u{1F600}`;
    assertIncludes((await open(world(), `/overlay/gangwar?a=${encodeURIComponent(longest)}b`)).text, longest);
  });

  it("show a hyphen of a text as a space, numbers in the table's language, and names in its order", async () => {
    assertIncludes((await open(world(), "/wanted")).text, "<td>Assault of an officer</td>");
    assertIncludes((await open(world(), "/top")).text, ">2,532</td>");
    const names = [...(await open(world(), "/team")).text.matchAll(/name=([^"]*)"/g)].map(
      ([, name = ""]) => name,
    );
    assert.ok(names.indexOf(encodeURIComponent("Ömer")) > names.indexOf("Ida"));
    assertLacks((await open(world(), "/team")).text, "Mallory");
  });

  it("are headed by the title of a list that the table declares, with a capital", async () => {
    assertIncludes((await open(world(), "/lists/navipoint")).text, "<h1>Navi points</h1>\n\n<form");
    for (const more of ["/stream", ".csv/"])
      assert.equal((await open(world(), `/lists/navipoint${more}`)).status, 404);
  });

  it("mark the link to themselves among the links to all", async () => {
    for (const path of ["/top", "/wanted", "/team/"]) {
      const { text } = await open(world(), path);
      const marked = [...text.matchAll(/<a href="([^"]*)" aria-current="page">/g)].map(([, link]) => link);
      assert.deepEqual(marked, [path.replace(/\/$/, "")]);
    }
  });

  it("escape what players have written", async () => {
    const { service } = world();
    await service.call("/wantedreason/add", [
      ["reason", "<b>bold</b>"],
      ["points", "3"],
    ]);
    const { text } = await open(world(), "/wanted?q=%22%3E%3Ci%3E");
    assertIncludes(text, 'value="&quot;&gt;&lt;i&gt;"');
    assertIncludes((await open(world(), "/wanted")).text, "&lt;b&gt;bold&lt;/b&gt;");
    for (const path of ["/player?name=%3Ci%3E", "/overlay/gangwar?a=%3Ci%3E"])
      assertLacks((await open(world(), path)).text.split("<main")[1] ?? "", "<i>");
  });

  it("show a text of hyphens alone as it is, and offer no formula to a spreadsheet", async (t) => {
    const own = await openPages(t);
    for (const reason of ["--", "=1", "-1", "'@1", "＝1", "a=1", "x;=1"])
      await own.service.call("/wantedreason/add", [
        ["reason", reason],
        ["points", "3"],
      ]);
    assertIncludes((await open(own, "/wanted")).text, "<td>--</td>");
    const rows = (await open(own, "/wanted.csv")).text.trim().split("\r\n").slice(1).sort();
    assert.deepEqual(
      rows,
      [`"x;'=1",3`, `"''@1",3`, `"'--",3`, `"'-1",3`, `"'=1",3`, `"'＝1",3`, `"a=1",3`].sort(),
    );
  });

  it("find entries without a script, and offer them as CSV and JSON", async () => {
    const found = (await open(world(), "/wanted?q=bank%20ROB")).text;
    assertIncludes(found, "Bank robbery");
    assertLacks(found, "Speeding");
    const csv = await open(world(), "/wanted.csv");
    assert.match(csv.headers.get("content-disposition") ?? "", /^attachment; filename="wanted.csv"$/);
    assertIncludes(csv.text, '\r\n"Bank-robbery",60\r\n');
    const json = JSON.parse((await open(world(), "/wanted.json")).text) as { reason: string }[];
    assert.ok(json.some(({ reason }) => reason === "Bank-robbery"));
    const bans = await open(world(), "/housebans.csv");
    assertIncludes(
      bans.text,
      '"Mallory","Vandalism, Noise-at-night",2026-11-21T12:00:00.000Z,2026-12-01T12:00:00.000Z',
    );
  });

  it("read a list once for all searches of it, and again when it has changed", async (t) => {
    await open(world(), "/wanted");
    const parse = t.mock.method(JSON, "parse");
    const readings = () =>
      parse.mock.calls.filter(({ arguments: [text] }) => text.includes("Offence-1")).length;
    for (const query of ["?q=bank", "?q=offence%201", ""])
      assert.equal((await open(world(), `/wanted${query}`)).status, 200);
    assert.equal(readings(), 0);
    await world().service.call("/wantedreason/add", [
      ["reason", "Perjury"],
      ["points", "9"],
    ]);
    assertIncludes((await open(world(), "/wanted?q=perj")).text, "Perjury");
    assert.equal(readings(), 1);
  });

  it("show a player with the place in each category, and suggest others for an unknown name", async () => {
    const ada = (await open(world(), "/player?name=ada")).text;
    for (const part of ["<h2>Ada</h2>", "GROVE, rank 1", "2,532", "Place 1<", "Place 12<", "<li>VIP</li>"])
      assertIncludes(ada, part);
    const some = (await open(world(), "/player?name=+a+")).text;
    assert.deepEqual([...some.matchAll(/<li><a[^>]*>([^<]*)/g)].map(([, name]) => name).slice(0, 2), [
      "Ada",
      "Edda",
    ]);
    assertIncludes((await open(world(), "/player?name=top")).text, "No player is called top.");
  });

  it("suggest names that begin with a text before those that contain it, also a name that is new", async (t) => {
    const own = await openPages(t);
    const suggested = async (text: string) =>
      [...(await open(own, `/player?name=${text}`)).text.matchAll(/<li><a[^>]*>([^<]*)/g)].map(
        ([, name]) => name,
      );
    assert.deepEqual(await suggested("o"), []);
    for (const name of ["Bob", "Ödön", "OTTO"]) await own.player(name);
    assert.deepEqual(await suggested("o&new"), ["OTTO", "Bob"]);
    assert.deepEqual(await suggested("%C3%B6D"), ["Ödön"]);
    assert.deepEqual(await suggested("b%0A%C3%B6"), []);
    for (let number = 10; number < 30; number += 1) await own.player(`Cloto${number}`);
    assert.deepEqual((await suggested("lot")).length, 10);
  });

  it("show the place that a player has now", async (t) => {
    const own = await openPages(t);
    const [ada, bob] = [await own.player("Ada"), await own.player("Bob")];
    const place = async () => /Place \d+/.exec((await open(own, "/player?name=Bob")).text)?.[0];
    await own.ok(bob.token, "/statistic/Bob/add", { type: "KILL" });
    assert.equal(await place(), "Place 1");
    for (let number = 0; number < 2; number += 1)
      await own.ok(ada.token, "/statistic/Ada/add", { type: "KILL" });
    assert.equal(await place(), "Place 2");
  });

  it("show the time until a house ban ends, and leave it out after that", async (t) => {
    const own = await openPages(t);
    await fill(own);
    assertIncludes((await open(own, "/housebans")).text, ">in 3 days</time>");
    own.clock.advance(2 * day);
    assertIncludes((await open(own, "/housebans")).text, ">in 1 day</time>");
    own.clock.advance(2 * day);
    assertLacks((await open(own, "/housebans")).text, "Trudy");
  });

  it("change with their data, and are logged by their path", async () => {
    const before = (await open(world(), "/wanted")).headers.get("etag");
    await world().service.call("/wantedreason/add", [
      ["reason", "Arson"],
      ["points", "30"],
    ]);
    assertIncludes((await open(world(), "/wanted?x=1")).text, "Arson");
    assert.notEqual((await open(world(), "/wanted")).headers.get("etag"), before);
    const { route, caller } = world().log.findLast(() => true) ?? {};
    assert.deepEqual([route, caller], ["/wanted", null]);
  });
});

it("the page of players answers as for an unknown name where the table restricts a player", async (t) => {
  const world = await openPages(t, (table) =>
    table.replace(
      /restriction: open(?=\n.*\n {4}handler: statistic\.show)/,
      "restriction: [{ when: { player: Ada }, group: VIP }, open]",
    ),
  );
  for (const name of ["Ada", "Bob"]) await world.player(name, { members: { GROVE: 3 } });
  const hers = await open(world, "/player?name=Ada");
  assert.equal(hers.status, 200);
  assertLacks(hers.text, "GROVE");
  assertIncludes((await open(world, "/player?name=Bob")).text, "GROVE, rank 3");
});

it("the links to two overlays name their scores", async (t) => {
  const world = await openPages(t, (table) => table.replace(/^scores:$/m, "$&\n  capTheFlag: [red, blue]"));
  const { text } = await open(world, "/top");
  for (const label of ["Overlay: Gangwar", "Overlay: Cap the flag"]) assertIncludes(text, `>${label}</a>`);
});

it("the team lacks members who are excluded", async (t) => {
  const world = await openPages(t);
  for (const name of ["Ada", "Bob"]) await world.player(name, { groups: ["VIP"] });
  await world.service.administer("group.add", { player: "Bob", group: "BLACKLIST" });
  for (const [player, group] of [
    ["Eve", "VIP"],
    ["EVE", "BLACKLIST"],
  ] as const)
    await world.service.administer("group.add", { player, group });
  const { text } = await open(world, "/team");
  assertIncludes(text, ">Ada<");
  for (const name of [">Bob<", ">Eve<", ">EVE<"]) assertLacks(text, name);
  assertLacks(text, "more.");
});

it("the team shows 300 members of a group, and how many more there are", async (t) => {
  const world = await openPages(t);
  const rows = Array.from({ length: 302 }, (_, index) => `P${index + 1000},VIP`);
  await world.service.administer("roster.apply", {
    file: "team.csv",
    text: ["name,groups", ...rows].join("\n"),
    remove: false,
    preview: false,
  });
  const { text } = await open(world, "/team");
  assert.equal(text.match(/name=P1\d{3}"/g)?.length, 300);
  assertIncludes(text, "And 2 more.");
});

it("a table without pages has none but the start page, which has its title", async (t) => {
  const world = await openPages(t, (table) => table.replace(/^pages: .*\n/m, "title: Cops & robbers\n"));
  for (const path of paths.slice(1)) assert.equal((await open(world, path)).status, 404, path);
  assert.equal((await open(world, "/pages/page.css")).status, 404);
  const { text } = await open(world, "/");
  assertLacks(text, "/pages/");
  for (const tag of ["title", "h1"]) assertIncludes(text, `<${tag}>Cops &amp; robbers<`);
});

it("a page and its files show as much of a list as the open route that gives most", async (t) => {
  const route = (most: number) => `handler: wantedreason.list
    parameters: { limit: { type: integer, maximum: ${most}, default: 1 } }`;
  const shorter = `  /wantedreason/first:\n    summary: One.\n    restriction: open\n    ${route(1)}\n`;
  const whole = /handler: wantedreason\.list$/m;
  for (const [expected, edit] of [
    [2, (table: string) => table.replace(whole, route(2))],
    [3, (table: string) => table.replace(whole, route(2).replace("maximum: 2, ", ""))],
    [3, (table: string) => table.replace("  /wantedreason:\n", `${shorter}$&`)],
    [
      1,
      (table: string) =>
        table
          .replace(whole, route(3))
          .replace(
            /(wanted list\.\n {4}restriction: )open/,
            "$1[{ when: { limit: 3 }, anyOf: [administrators] }, open]",
          ),
    ],
  ] as const) {
    const own = await openPages(t, edit);
    for (const reason of ["Arson", "Theft", "Treason"])
      await own.service.call("/wantedreason/add", Object.entries({ reason, points: "1" }));
    const rows = (await open(own, "/wanted.csv")).text.trim().split("\r\n").slice(1);
    assert.equal(rows.length, expected, rows.join());
    assert.equal((await open(own, "/wanted?q=theft")).text.includes("<td>Theft</td>"), expected > 1);
  }
});

it("pages count against the limit of pages", async (t) => {
  const world = await openWorld(t, { limits: true });
  const statuses = [];
  for (let count = 0; count < 61; count += 1)
    statuses.push((await world.service.fetch(new Request("http://in-process/top"))).status);
  assert.deepEqual([statuses[59], statuses[60]], [200, 429]);
});

describe("activity", () => {
  it("is counted by day with each addition, and survives a restart and an undo", async (t) => {
    const first = await openWorld(t);
    const { folder, clock } = first;
    const { token } = await first.player("Ada");
    const totals = async ({ service }: World) => {
      const request = new Request("http://in-process/top", { headers: { Accept: "text/html" } });
      const text = await (await service.fetch(request)).text();
      const last = [...text.matchAll(/<title>([^<:]+, \d{4}): /g)].at(-1)?.[1];
      assert.ok(last === undefined || Date.parse(`${last} UTC`) === clock.time - (clock.time % day), last);
      // The highest bar reaches the top.
      assert.equal(/class="bar"[^>]* y="0\.00"/.test(text), last !== undefined);
      return [...text.matchAll(/<title>([^<]*: [1-9][^<]*)<\/title>/g)].map(([, title]) => title);
    };
    assert.deepEqual(await totals(first), []);
    for (const type of ["KILL", "KILL", "DEATH"]) await first.ok(token, "/statistic/Ada/add", { type });
    clock.advance(day);
    await first.ok(token, "/statistic/Ada/add", { type: "KILL" });
    const counted = ["Nov 21, 2026: 2", "Nov 22, 2026: 1", "Nov 21, 2026: 1"];
    assert.deepEqual(await totals(first), counted);
    await first.service.administer("undo", { sequence: first.service.store.sequence });
    await first.service.close({ snapshot: false });
    assert.deepEqual(await totals(await openWorld(t, { folder, clock })), counted);
  });
});
