/** Limits at the command line: how `serve` turns them off, what it says and logs, and how `routes diff` shows them. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TableDiff } from "../../src/explain/diff.ts";
import { prefix, shippedRoutes } from "../_setup.ts";
import { type Desk, type Running, seededDesk } from "./_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const declared = /^limits:\n(?: {2}.*\n)+/m;
const allOff = shipped.replace(declared, "limits: off\n");
/** With a limit that no time of a test refills. */
const slow = shipped.replace(/^ {2}unknown: .*$/m, "  unknown: { rate: 1/h, burst: 20 }");

/** Sends 25 requests without a token, of which the shipped limits refuse some. Returns how many were refused. */
async function refusedOf(serving: Running): Promise<number> {
  const [url] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const statuses: number[] = [];
  for (let number = 0; number < 25; number += 1)
    statuses.push((await fetch(`${url}${prefix}/x/wantedreason`)).status);
  return statuses.filter((status) => status === 429).length;
}

async function deskWith(desk: Desk, routes: string): Promise<Desk> {
  await desk.write("routes.yaml", routes);
  return desk;
}

describe("serve", () => {
  for (const [what, args, env, routes, isLimited, says] of [
    ["applies the limits of the table", [], {}, shipped, true, undefined],
    [
      "applies the shipped limits if the table has none",
      [],
      {},
      shipped.replace(declared, ""),
      true,
      undefined,
    ],
    [
      "applies no limits with --limits off, and says so",
      ["--limits", "off"],
      {},
      shipped,
      false,
      /All limits are off/,
    ],
    [
      "applies no limits with ADDON_LIMITS=off, and says so",
      [],
      { ADDON_LIMITS: "off" },
      shipped,
      false,
      /All limits are off/,
    ],
    ["applies the limits if ADDON_LIMITS is empty", [], { ADDON_LIMITS: "" }, shipped, true, undefined],
    [
      "applies no limits if the table has turned them off, and says so",
      [],
      {},
      allOff,
      false,
      /In \S+routes\.yaml these limits are off: reads, changes, unknown, pages\./,
    ],
    [
      "says which limit is off",
      [],
      {},
      shipped.replace(/^ {2}unknown: .*$/m, "  unknown: off"),
      false,
      /these limits are off: unknown\./,
    ],
  ] as const) {
    it(what, async (t) => {
      const desk = await deskWith(await seededDesk(t), routes);
      const serving = desk.serve(args, { env });
      assert.equal((await refusedOf(serving)) > 0, isLimited);
      assert.equal(await serving.stop(), 0);
      const lines = serving.stderr.text.split("\n").filter((line) => /limits are off/.test(line));
      assert.equal(lines.length, says === undefined ? 0 : 1);
      if (says !== undefined) assert.match(lines.join(""), says);
    });
  }

  it("refuses another value of --limits and ADDON_LIMITS", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.misused("serve", "--limits", "on"), /--limits <which>.*'on' is invalid.*off/);
    const { exitCode, stderr } = await desk.run(["serve"], { env: { ADDON_LIMITS: "0" } });
    assert.equal(exitCode, 2);
    assert.match(stderr, /ADDON_LIMITS is "0".*Expected off/);
  });

  it("logs of the requests that a limit refuses in a row only the first", async (t) => {
    const desk = await deskWith(await seededDesk(t), slow);
    const serving = desk.serve();
    assert.equal(await refusedOf(serving), 5);
    assert.equal(await serving.stop(), 0);
    const lines = serving.stderr.text.split("\n").filter((line) => line.startsWith("{"));
    const requests = lines.map((line) => JSON.parse(line)).filter(({ status }) => status !== undefined);
    assert.deepEqual(
      requests.map(({ code, limit }) => [code, limit]),
      [...Array.from({ length: 20 }, () => ["TOKEN_UNKNOWN", undefined]), ["RATE_LIMITED", "unknown"]],
    );
  });
});

describe("routes diff", () => {
  it("shows changed limits of the table and of a route, also in JSON", async (t) => {
    const desk = await seededDesk(t);
    const next = shipped
      .replace("reads: { rate: 10/s, burst: 60 }", "reads: { rate: 5/s, burst: 60 }")
      .replace(/^ {2}unknown: .*$/m, "  unknown: off")
      .replace(
        "    handler: event.gangwar\n",
        "    handler: event.gangwar\n    limit: { rate: 2/min, burst: 1 }\n",
      )
      .replace("    handler: event.bomb\n", "    handler: event.bomb\n    limit: off\n");
    await desk.write("next.yaml", next);
    const text = await desk.ok("routes", "diff", "next.yaml");
    assert.match(
      text,
      /^changed limits\.reads: 10\/s, burst 60 -> 5\/s, burst 60\nchanged limits\.unknown: 20\/min, burst 20 -> off$/m,
    );
    assert.match(text, /^changed \/event\/gangwar\n {2}limit: none -> 2\/min, burst 1$/m);
    assert.match(text, /^changed \/event\/bomb\n {2}limit: none -> off$/m);
    assert.match(
      text,
      /^Routes: 2 changed\. No player loses access, no player gains access\. The limits change\.$/m,
    );
    const { settings, routes } = await desk.json<TableDiff>(
      "routes",
      "diff",
      "next.yaml",
      join(desk.folder, "routes.yaml"),
    );
    assert.deepEqual(settings, [
      { name: "limits.reads", before: "5/s, burst 60", after: "10/s, burst 60" },
      { name: "limits.unknown", before: "off", after: "20/min, burst 20" },
    ]);
    assert.deepEqual(
      routes.map(({ path, limit }) => [path, limit]),
      [
        ["/event/bomb", { before: "off", after: null }],
        ["/event/gangwar", { before: "2/min, burst 1", after: null }],
      ],
    );
  });
});
