/** Tables that were in force: their log lines, `routes history`, and revisions in place of files. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { TableDiff } from "../../src/explain/diff.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { HistoryEntry } from "../../src/table-in-force/history.ts";
import { shippedRoutes } from "../_setup.ts";
import { spoil } from "../store/_faults.ts";
import {
  colourBegins,
  type Desk,
  emptyDesk,
  linesOf,
  type Running,
  type Surroundings,
  seededDesk,
} from "./_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const stricter = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");
const looser = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 3 }");

/** The log line of a table. */
interface TableLine {
  readonly level: number;
  readonly msg: string;
  readonly table: {
    readonly cause: string;
    readonly revision: string;
    readonly before: string;
    readonly registered: number;
    readonly gain: number;
    readonly lose: number;
    readonly firstLosing: readonly string[];
    readonly operations: readonly object[];
  };
}

const isTableLine = (line: object): line is TableLine => "table" in line;
const tableLines = ({ stderr }: Running): TableLine[] =>
  linesOf(stderr.text)
    .filter((line) => line.startsWith("{"))
    .map((line): object => JSON.parse(line))
    .filter(isTableLine);

/** Waits until the log has so many lines about tables. Returns them. */
async function tableLinesOf(serving: Running, count: number): Promise<TableLine[]> {
  for (;;) {
    const lines = tableLines(serving);
    if (lines.length >= count) return lines;
    await serving.stderr.changed;
  }
}

/** Registers seven police officers of rank 4, in no order, and one of rank 3. */
async function policeDesk(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  for (const name of ["Gus", "bob", "Ada", "Eve", "Cleo", "Dan", "Finn"])
    await desk.ok("player", "add", name, "--member", "POLICE:4");
  await desk.ok("player", "add", "Hal", "--member", "POLICE:3");
  return desk;
}

async function serve(desk: Desk, args: readonly string[] = [], around: Surroundings = {}): Promise<Running> {
  const serving = desk.serve(args, around);
  await serving.shows(/Listening/);
  return serving;
}

/** Replaces the table, as an editor does. */
async function replaceTable(desk: Desk, text: string): Promise<void> {
  await rename(await desk.write("next.yaml", text), join(desk.folder, "routes.yaml"));
}

const historyOf = (desk: Desk) => desk.json<readonly HistoryEntry[]>("routes", "history");
const revisionsOf = async (desk: Desk) => (await historyOf(desk)).map(({ revision }) => revision);

describe("the log, when a table is put in force", () => {
  it("logs in one line whom an edited file affects, with the first five names", async (t) => {
    const desk = await policeDesk(t);
    const serving = await serve(desk);
    await replaceTable(desk, stricter);
    const [{ level, msg, table } = assert.fail("there is no line")] = await tableLinesOf(serving, 1);
    assert.equal(level, 40, "it is a warning, since it takes access away");
    const operation = { gain: 0, lose: 7, publicGains: false, publicLoses: false };
    assert.deepEqual(table, {
      cause: "watch",
      revision: revisionOf(stricter),
      before: revisionOf(shipped),
      routes: { added: 0, removed: 0, changed: 2 },
      registered: 8,
      gain: 0,
      lose: 7,
      firstLosing: ["Ada", "bob", "Cleo", "Dan", "Eve"],
      operations: [
        { path: "/wantedreason/add", ...operation },
        { path: "/wantedreason/remove", ...operation },
      ],
    });
    assert.match(
      msg,
      /7 players lose access, no player gains access\. Losing: Ada, bob, Cleo, Dan, Eve and 2 more\. By operation: \/wantedreason\/add \(7 lose\); \/wantedreason\/remove \(7 lose\)\.$/,
    );
    // The log line precedes the file, and stopping waits for both.
    assert.equal(await serving.stop(), 0);
    assert.deepEqual(await revisionsOf(desk), [revisionOf(stricter), revisionOf(shipped)]);
  });

  it("logs it for SIGHUP and `routes reload` alike; a change that only grants access is no warning", async (t) => {
    const desk = await policeDesk(t);
    const serving = await serve(desk, ["--no-watch"]);
    await desk.write("routes.yaml", stricter);
    serving.reload();
    await tableLinesOf(serving, 1);
    await desk.write("routes.yaml", looser);
    await desk.ok("routes", "reload");
    assert.deepEqual(
      tableLines(serving).map(({ level, table: { cause, gain, lose } }) => ({ level, cause, gain, lose })),
      [
        { level: 40, cause: "signal", gain: 0, lose: 7 },
        { level: 30, cause: "reload", gain: 8, lose: 0 },
      ],
    );
    await desk.ok("routes", "reload");
    assert.equal(tableLines(serving).length, 2, "the same table again changes nothing");
  });

  it("logs at a start what has changed since the last run, if anything", async (t) => {
    const desk = await policeDesk(t);
    const startAndStop = async () => {
      const serving = await serve(desk);
      const lines = tableLines(serving);
      assert.equal(await serving.stop(), 0);
      assert.doesNotMatch(serving.stderr.text, /cannot be (compared|added)/);
      return lines.map(({ msg, table: { cause, lose } }) => ({ msg: msg.slice(0, 62), cause, lose }));
    };
    assert.deepEqual(await startAndStop(), [], "there was none before");
    assert.deepEqual(await startAndStop(), []);
    await desk.write("routes.yaml", stricter);
    const msg = "The route table has changed since the service last ran: revisi";
    assert.deepEqual(await startAndStop(), [{ msg, cause: "start", lose: 7 }]);
    assert.deepEqual(await revisionsOf(desk), [revisionOf(stricter), revisionOf(shipped)]);
    assert.deepEqual(await startAndStop(), []);
  });

  it("says at a start why it cannot tell: where this version refuses the table of before, or it is gone", async (t) => {
    const desk = await policeDesk(t);
    await (await serve(desk)).stop();
    const path = join(desk.data, "tables", "history.json");
    for (const [text, reason] of [
      ["routes: []\n", /cannot be compared: this version refuses .*tables/],
      [undefined, /cannot be compared: its text is missing/],
    ] as const) {
      const old = { revision: revisionOf(text ?? "gone"), since: 1, change: null };
      await writeFile(path, JSON.stringify([old]));
      if (text !== undefined) await writeFile(join(desk.data, "tables", `${old.revision}.yaml`), text);
      const serving = await serve(desk);
      assert.match(serving.stderr.text, reason);
      assert.deepEqual(await revisionsOf(desk), [revisionOf(shipped), old.revision]);
      await serving.stop();
    }
    await writeFile(path, "{");
    const serving = await serve(desk);
    assert.match(serving.stderr.text, /history of route tables cannot be read/);
    assert.deepEqual(await revisionsOf(desk), [revisionOf(shipped)]);
  });

  it("is plain on a terminal", async (t) => {
    const desk = await policeDesk(t);
    const serving = await serve(desk, [], { terminal: true, env: { NO_COLOR: "1" } });
    await replaceTable(desk, stricter);
    for (; !serving.stderr.text.includes("Losing"); ) await serving.stderr.changed;
    const line = linesOf(serving.stderr.text).find((each) => each.includes("Losing")) ?? "";
    assert.match(line, /WARN: The route table was reloaded because its file has changed: .*\(7 lose\)\.$/);
    assert.ok(!serving.stderr.text.includes(colourBegins));
  });

  it("logs public tokens and an excluded group", async (t) => {
    const desk = await policeDesk(t);
    await desk.ok("group", "add", "Ada", "VIP");
    const serving = await serve(desk, ["--no-watch"]);
    const edited = shipped
      .replace("excluded: { group: BLACKLIST }", "excluded: { group: VIP }")
      .replace(
        "summary: Returns the target list.\n    restriction: open",
        "summary: Returns the target list.\n    restriction: identified",
      );
    await desk.write("routes.yaml", edited);
    await desk.ok("routes", "reload", "--yes");
    const [{ msg, table } = assert.fail("there is no line")] = tableLines(serving);
    assert.deepEqual([table.lose, table.firstLosing], [1, ["Ada"]]);
    assert.match(
      msg,
      /The excluded group changes\. Losing: Ada\. By operation: \/targetlist \(1 lose, public tokens lose\)\.$/,
    );
  });

  it("warns where something else has the folder's name, which stops no reload and no start", async (t) => {
    const desk = await policeDesk(t);
    await writeFile(join(desk.data, "tables"), "");
    const serving = await serve(desk, ["--no-watch"]);
    await desk.write("routes.yaml", looser);
    await desk.ok("routes", "reload");
    assert.equal(serving.stderr.text.match(/is in force, but cannot be added to the history/g)?.length, 2);
    assert.equal(tableLines(serving).length, 1, "the difference is told all the same");
    assert.equal(await desk.ok("can-i", "Hal", "/wantedreason/add").then(() => "yes"), "yes");
  });
});

describe("routes history", () => {
  it("where no table was in force, lists nothing and exits with 0", async (t) => {
    for (const desk of [await emptyDesk(t), await seededDesk(t)]) {
      const { exitCode, stdout, stderr } = await desk.run(["routes", "history"]);
      assert.deepEqual([exitCode, stdout], [0, ""]);
      assert.match(stderr, /No route table was in force yet/);
      assert.deepEqual(await historyOf(desk), []);
    }
  });

  it("lists each with its instant and what it changed, the latest first, whether a service runs or not", async (t) => {
    const desk = await policeDesk(t);
    const serving = await serve(desk, ["--no-watch"]);
    await desk.write("routes.yaml", stricter);
    await desk.ok("routes", "reload", "--yes");
    const running = await desk.ok("routes", "history");
    assert.match(
      running,
      new RegExp(
        `^${revisionOf(stricter)}\\t\\d{4}-\\S+Z\\tRoutes: 2 changed\\. 7 players lose access, no player gains access\\.\\n` +
          `${revisionOf(shipped)}\\t\\d{4}-\\S+Z\\t-\\n$`,
      ),
    );
    await serving.stop();
    assert.equal(await desk.ok("routes", "history"), running);
  });
});

it("the tables in a data folder disturb none of the commands on it, and outlast a repair", async (t) => {
  const desk = await policeDesk(t);
  await (await serve(desk)).stop();
  const tables = await revisionsOf(desk);
  await desk.ok("data", "verify");
  await desk.ok("data", "status");
  await desk.ok("data", "backup", "backup.jsonl.gz");
  await desk.ok("data", "restore", "backup.jsonl.gz", "--yes");
  const isData = (path: string) => /(?:journal|snapshot)-\d+\.\w+$/.test(path);
  for (const path of (await desk.files()).keys()) if (isData(path)) await spoil(path, 40);
  await desk.ok("data", "repair", "--from", "backup.jsonl.gz", "--yes");
  assert.deepEqual(await revisionsOf(desk), tables);
  for (const path of (await desk.files()).keys()) if (isData(path)) await rm(path);
  for (const name of await readdir(desk.data))
    if (name.startsWith("damaged-")) await rm(join(desk.data, name), { recursive: true });
  await desk.ok("data", "restore", "backup.jsonl.gz", "--yes");
  assert.deepEqual(await revisionsOf(desk), tables);
  await desk.ok("player", "show", "Ada");
});

describe("a revision in place of a file", () => {
  it("is a table that was in force, for routes diff and --table", async (t) => {
    const desk = await policeDesk(t);
    const serving = await serve(desk, ["--no-watch"]);
    await desk.write("routes.yaml", stricter);
    await desk.ok("routes", "reload", "--yes");
    const before = revisionOf(shipped);
    const diff = await desk.json<TableDiff>("routes", "diff", before);
    assert.deepEqual([diff.before.revision, diff.after.revision], [revisionOf(stricter), before]);
    assert.deepEqual([diff.counts.gain, diff.counts.lose], [7, 0]);
    assert.equal((await desk.run(["can-i", "Ada", "/wantedreason/add"])).exitCode, 1);
    await desk.ok("can-i", "Ada", "/wantedreason/add", "--table", before);
    await serving.stop();
    assert.match(await desk.ok("routes", "diff", before, "routes.yaml"), /7 players lose access/);
  });

  it("gives way to a file of that name", async (t) => {
    const desk = await policeDesk(t);
    await (await serve(desk)).stop();
    const revision = revisionOf(shipped);
    await desk.write(revision, stricter);
    const diff = await desk.json<TableDiff>("routes", "diff", revision);
    assert.equal(diff.after.revision, revisionOf(stricter));
  });

  it("that is not stored is refused, with a hint", async (t) => {
    const desk = await policeDesk(t);
    await mkdir(join(desk.data, "tables"), { recursive: true });
    assert.match(
      await desk.fails("routes", "diff", "0123456789ab"),
      /revision "0123456789ab"[\s\S]*routes history/,
    );
    await rm(join(desk.data, "tables"), { recursive: true });
    assert.match(
      await desk.fails("routes", "diff", "0123456789ab"),
      /stored route table of revision "0123456789ab"/,
    );
  });
});
