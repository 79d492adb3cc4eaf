/** `routes list` and `routes check`: the table with its restrictions, and its faults (contract, section 4). */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Desk, emptyDesk, linesOf, seededDesk } from "./_setup.ts";

/** Every path of section 4 of the specification, and the bundle of lists. */
const paths = `
/statistic/top /statistic/{player} /statistic/{player}/add /statistic/{player}/set
/player /player/groups /player/add /player/remove
/targetlist /targetlist/add /targetlist/done /targetlist/remove
/blacklistreason/{factionString} /blacklistreason/{factionString}/add /blacklistreason/{factionString}/remove
/houseban /houseban/add /houseban/remove /housebanreason /housebanreason/add /housebanreason/remove
/navipoint /navipoint/add /navipoint/remove /wantedreason /wantedreason/add /wantedreason/remove
/mgmt /mgmt/users /mgmt/version /event /event/bankrob /event/bomb /event/gangwar /bundle
`
  .trim()
  .split(/\s+/);

interface Fault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

async function faultsOf(desk: Desk, text: string): Promise<readonly Fault[]> {
  await desk.write("bad.yaml", text);
  return (await desk.failsAs<{ faults: Fault[] }>("routes", "check", "bad.yaml")).faults;
}

/** Returns a table with one route, which starts in its third line. */
function tableOf(route: string): string {
  return `prefix: /gameaddon/v1/{tokenString}\nroutes:\n${route}`;
}

describe("routes list", () => {
  it("when the shipped table is listed, every path of the specification is in it, with its restriction", async (t) => {
    const desk = await seededDesk(t);
    const rows = linesOf(await desk.ok("routes", "list")).map((line) => line.split("\t"));
    assert.deepEqual(rows.map(([path]) => path).sort(), [...paths].sort());
    const restriction = Object.fromEntries(rows);
    assert.match(restriction["/wantedreason/add"], /members of the service POLICE with rank 4 or higher/);
    assert.match(restriction["/targetlist/add"], /TARGETLIST/);
    assert.match(restriction["/navipoint/add"], /administrators/);
    assert.match(restriction["/houseban"], /RESCUE.*advanced/);
  });

  it("when it goes to a terminal, it is a table", async (t) => {
    const desk = await seededDesk(t);
    const { stdout } = await desk.run(["routes", "list"], { terminal: true, env: { NO_COLOR: "1" } });
    // A restriction that does not fit beside its path continues in the next line.
    const starting = linesOf(stdout).filter((line) => line.startsWith("/"));
    assert.deepEqual(starting.map((line) => line.split(" ")[0]).sort(), [...paths].sort());
    assert.match(stdout, /PATH +RESTRICTION/);
    assert.doesNotMatch(stdout, /\t/);
  });

  it("when there is no data yet, the shipped table is listed and nothing is created", async (t) => {
    const desk = await emptyDesk(t);
    assert.equal(linesOf(await desk.ok("routes", "list")).length, paths.length);
    await assert.rejects(desk.files(), { code: "ENOENT" });
  });
});

describe("routes check", () => {
  it("when the table is good, it reports that, with the number of routes, and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.ok("routes", "check"), /35 routes, no faults/);
    const document = await desk.json<{ routes: number; faults: unknown[] }>("routes", "check");
    assert.equal(document.routes, 35);
    assert.deepEqual(document.faults, []);
  });

  it("when there is no data yet, the table is checked against the shipped names", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(await desk.ok("routes", "check"), /no faults/);
    await assert.rejects(desk.files(), { code: "ENOENT" });
  });

  it("when a restriction names a group that was added by seed groups, that is no fault", async (t) => {
    const desk = await seededDesk(t);
    const route = "  /event: { summary: Events., restriction: { group: EVENT }, handler: event.current }\n";
    await desk.write("routes.yaml", tableOf(route));
    assert.match(await desk.fails("routes", "check"), /EVENT/);
    await desk.write("more.yaml", "groups: [EVENT]\n");
    await desk.ok("seed", "groups", "more.yaml");
    assert.match(await desk.ok("routes", "check"), /no faults/);
  });

  for (const [what, text, line, column, says] of [
    [
      "a group is mistyped",
      tableOf(
        "  /event:\n    summary: Events.\n    restriction: { group: TARGETLST }\n    handler: event.current\n",
      ),
      ...[5, 27],
      /TARGETLST.*TARGETLIST/,
    ],
    [
      "a service is mistyped",
      tableOf(
        "  /event:\n    summary: Events.\n    restriction: { service: RESQUE, rank: 4 }\n    handler: event.current\n",
      ),
      ...[5, 29],
      /RESQUE.*RESCUE/,
    ],
    [
      "a handler is mistyped",
      tableOf("  /event:\n    summary: Events.\n    restriction: open\n    handler: event.curent\n"),
      ...[6, 14],
      /event\.curent.*event\.current/,
    ],
    [
      "a key is mistyped",
      tableOf("  /event:\n    summary: Events.\n    restriction: open\n    handlr: event.current\n"),
      ...[6, 5],
      /handlr.*handler/,
    ],
    [
      "a type is mistyped",
      tableOf(
        "  /wantedreason/remove:\n    summary: Removes.\n    restriction: open\n    parameters: { reason: txt }\n    handler: wantedreason.remove\n",
      ),
      ...[6, 27],
      /txt.*text/,
    ],
    [
      "a parameter that the handler needs is missing",
      tableOf(
        "  /wantedreason/remove:\n    summary: Removes.\n    restriction: open\n    handler: wantedreason.remove\n",
      ),
      ...[3, 3],
      /reason/,
    ],
    [
      "a path is given twice",
      tableOf(
        "  /event: { summary: E., restriction: open, handler: event.current }\n" +
          "  /event: { summary: E., restriction: open, handler: event.current }\n",
      ),
      ...[4, 3],
      /./,
    ],
    ["it is no YAML", "prefix: a: b\n", ...[1, 9], /YAML/],
  ] as const) {
    it(`when ${what}, line ${line} and column ${column} are shown, and the exit code is 1`, async (t) => {
      const desk = await seededDesk(t);
      const faults = await faultsOf(desk, text);
      const found = faults.find((fault) => fault.line === line && fault.column === column);
      assert.ok(found !== undefined, JSON.stringify(faults));
      assert.match(found.message, says);
      const stderr = await desk.fails("routes", "check", "bad.yaml");
      assert.ok(stderr.includes(`${join(desk.folder, "bad.yaml")}:${line}:${column}: `), stderr);
    });
  }

  it("when there are several faults, all are shown at once, in the order of the file", async (t) => {
    const desk = await seededDesk(t);
    const faults = await faultsOf(
      desk,
      tableOf(
        "  /event: { summary: E., restriction: opn, handler: event.current }\n" +
          "  /mgmt: { summary: M., restriction: open, handler: mgmt.overvew }\n",
      ),
    );
    assert.deepEqual(
      faults.map(({ line }) => line),
      [3, 4],
    );
  });

  it("when there is no such file, the exit code is 1 and the message names it", async (t) => {
    const desk = await seededDesk(t);
    assert.ok((await desk.fails("routes", "check", "none.yaml")).includes(join(desk.folder, "none.yaml")));
  });

  it("when the table has faults, commands that do not need it work beside it", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("routes.yaml", "routes: nowhere\n");
    await desk.ok("player", "add", "Ada");
    await desk.ok("token", "issue", "--player", "Ada");
    assert.match(await desk.fails("call", "/event"), /routes\.yaml:1:\d+/);
  });

  it("when the seed file of a folder without data is empty, the error names what was expected", async (t) => {
    const desk = await emptyDesk(t);
    await mkdir(desk.data);
    await desk.write("data/seed.yaml", "");
    assert.match(await desk.fails("routes", "check"), /groups, factions and services/);
  });
});
