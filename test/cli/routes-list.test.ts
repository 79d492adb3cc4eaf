/** `routes list`: filtered by resource and by caller, and as Markdown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shippedRoutes } from "../_setup.ts";
import { type Desk, emptyDesk, linesOf, seededDesk } from "./_setup.ts";

interface Row {
  readonly path: string;
  readonly restriction: string;
  readonly parameters: readonly { name: string; in: string; type: string; default?: unknown }[];
  readonly may?: string;
  readonly dependsOn?: readonly string[];
}

/** The operations that are open to everyone (specification, section 4), and the bundle of lists. */
const open = `
/statistic/top /statistic/{player} /player /player/groups /targetlist /housebanreason /navipoint /wantedreason
/mgmt /mgmt/users /event /event/gangwar /bundle
`
  .trim()
  .split(/\s+/);
const forAdministrators = `
/statistic/{player}/set /player/add /player/remove /navipoint/add /navipoint/remove /mgmt/version
`
  .trim()
  .split(/\s+/);

/** Returns the paths that a caller may call always, and those that depend on parameters. */
async function mayOf(desk: Desk, who: string): Promise<{ yes: string[]; depends: Record<string, unknown> }> {
  const rows = await desk.json<Row[]>("routes", "list", "--for", who);
  for (const { may } of rows) assert.ok(may === "yes" || may === "depends", may);
  const depending = rows.filter(({ may }) => may === "depends");
  return {
    yes: rows.flatMap(({ may, path }) => (may === "yes" ? path : [])).sort(),
    depends: Object.fromEntries(depending.map(({ path, dependsOn }) => [path, dependsOn])),
  };
}

describe("--resource", () => {
  it("when it is given, only the routes under it are listed", async (t) => {
    const desk = await emptyDesk(t);
    const lines = linesOf(await desk.ok("routes", "list", "--resource", "houseban"));
    assert.deepEqual(
      lines.map((line) => line.split("\t")[0]),
      ["/houseban", "/houseban/add", "/houseban/remove"],
    );
    assert.deepEqual(linesOf(await desk.ok("routes", "list", "--resource", "/HouseBan")), lines);
  });

  it("when there is no resource of that name, it suggests the nearest", async (t) => {
    const desk = await emptyDesk(t);
    const stderr = await desk.fails("routes", "list", "--resource", "navipiont");
    assert.match(stderr, /no resource "navipiont".*"navipoint"/);
  });
});

describe("--for", () => {
  it("when the caller is public, it lists open operations, and those that depend on parameters", async (t) => {
    const desk = await emptyDesk(t);
    const { yes, depends } = await mayOf(desk, "public");
    assert.deepEqual(yes, open.toSorted());
    assert.deepEqual(depends, { "/houseban": ["advanced"] });
  });

  it("when it is a player without rights, also what every player may", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Bob");
    const { yes, depends } = await mayOf(desk, "bob");
    assert.deepEqual(yes, [...open, "/event/bankrob", "/event/bomb"].sort());
    assert.deepEqual(depends, { "/houseban": ["advanced"], "/statistic/{player}/add": ["player"] });
  });

  it("when the caller is a member, it lists what the rank allows", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok(
      "player",
      "add",
      "Ada",
      "--member",
      "GROVE:3",
      "--member",
      "RESCUE:4",
      "--member",
      "POLICE:3",
    );
    await desk.ok("group", "add", "Ada", "TARGETLIST");
    const { yes, depends } = await mayOf(desk, "Ada");
    const more = `
      /event/bankrob /event/bomb /targetlist/add /targetlist/done /targetlist/remove
      /houseban /houseban/add /houseban/remove /housebanreason/add /housebanreason/remove
    `;
    assert.deepEqual(yes, [...open, ...more.trim().split(/\s+/)].sort());
    assert.deepEqual(depends, {
      "/blacklistreason/{factionString}": ["factionString"],
      "/statistic/{player}/add": ["player"],
    });
  });

  it("when the caller is an administrator, it lists what administrators may call, and nothing else", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Root", "--admin");
    const { yes } = await mayOf(desk, "Root");
    assert.deepEqual(yes, [...open, ...forAdministrators, "/event/bankrob", "/event/bomb"].sort());
  });

  it("when the player is excluded, nothing is listed", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Eve", "--admin");
    await desk.ok("player", "exclude", "Eve", "--yes");
    assert.deepEqual(await desk.json("routes", "list", "--for", "Eve"), []);
    const { exitCode, stdout, stderr } = await desk.run(["routes", "list", "--for", "Eve"]);
    assert.deepEqual([exitCode, stdout], [0, ""]);
    assert.match(stderr, /Eve may call none/);
  });

  it("when it is shown to a person, it says what it depends on", async (t) => {
    const desk = await emptyDesk(t);
    const out = await desk.ok("routes", "list", "--for", "public", "--resource", "houseban");
    const [path, may] = out.split("\t");
    assert.deepEqual([path, may], ["/houseban", "depends on advanced"]);
  });

  it("when there is no such player, it fails", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("routes", "list", "--for", "Nobody"), /Nobody/);
  });

  it("when a service runs on the data, it is asked", async (t) => {
    const desk = await seededDesk(t);
    await desk.serve().shows(/Listening/);
    await desk.ok("player", "add", "Bob");
    assert.ok((await mayOf(desk, "Bob")).yes.includes("/event/bomb"));
  });
});

describe("--markdown", () => {
  it("prints two tables, of operations and of the types of their parameters", async (t) => {
    const desk = await emptyDesk(t);
    const args = ["routes", "list", "--routes", shippedRoutes, "--markdown", "--resource", "houseban"];
    const text = await desk.ok(...args);
    assert.equal(
      text,
      `| path               | who                                                                                        | parameters                            |
| ------------------ | ------------------------------------------------------------------------------------------ | ------------------------------------- |
| \`/houseban\`        | members of the service RESCUE when advanced is true; everyone with a valid token otherwise | \`advanced\`: boolean (default \`false\`) |
| \`/houseban/add\`    | members of the service RESCUE with rank 4 or higher                                        | \`name\`: playerName, \`reason\`: reason  |
| \`/houseban/remove\` | members of the service RESCUE with rank 4 or higher                                        | \`name\`: playerName, \`reason\`: reason  |

| parameter type | what it is                                                             |
| -------------- | ---------------------------------------------------------------------- |
| \`boolean\`      | true or false                                                          |
| \`playerName\`   | a player name of letters, digits, "_", "." or "-" (1 to 32 characters) |
| \`reason\`       | a reason, with "-" for each space (1 to 64 characters)                 |

Members of the group BLACKLIST may call nothing.
`,
    );
  });

  it("prints the same on a terminal", async (t) => {
    const desk = await emptyDesk(t);
    const { stdout } = await desk.run(["routes", "list", "--markdown"], { terminal: true });
    assert.equal(stdout, await desk.ok("routes", "list", "--markdown"));
    assert.equal(stdout.match(/^\| `\//gm)?.length, 35);
  });
});
