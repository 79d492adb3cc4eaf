/** `data`: status, verify, snapshot, backup, restore, repair, export and import, offline and beside a service. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { controlOf, startControl } from "../../src/control.ts";
import { Service } from "../../src/service.ts";
import { assertIncludes, assertLacks, shippedRoutes } from "../_setup.ts";
import {
  colourBegins,
  type Desk,
  emptyDesk,
  type FailureDocument,
  linesOf,
  seededDesk,
  tokenForm,
} from "./_setup.ts";

interface StatusDocument {
  readonly folder: string;
  readonly bytes: Readonly<Record<string, number>>;
  readonly records: Readonly<Record<string, number>>;
  readonly lastChange: { readonly sequence: number; readonly instant: number } | null;
  readonly lastSnapshot: { readonly sequence: number; readonly instant: number } | null;
  readonly journalFrom: { readonly sequence: number };
  readonly reachesBackTo: number | null;
  readonly holder: { readonly pid: number; readonly url: string; readonly since: number } | null;
  readonly problem: string | null;
}

interface VerifyDocument {
  readonly ok: boolean;
  readonly problems: readonly { readonly file: string; readonly offset: number; readonly what: string }[];
}

/** Runs a service on the desk's folder in this process, with its control socket, until the end of the test. */
async function running(desk: Desk): Promise<Service> {
  const service = await Service.open({ folder: desk.data, routes: shippedRoutes });
  await service.loadTable();
  const holder = { pid: 4711, url: "http://127.0.0.1:8888", since: Date.parse("2026-03-01T12:00:00Z") };
  const control = await startControl(desk.data, controlOf(service, holder));
  desk.beforeClear(async () => {
    await control.close();
    await service.close();
  });
  return service;
}

/** The names of the registered players. */
async function players(desk: Desk): Promise<string[]> {
  return (await desk.json<{ name: string }[]>("player", "list")).map(({ name }) => name).sort();
}

/** A desk with Ada at 12:00, Bob at 13:00 and Cleo at 14:00 of the 1st of March, and a snapshot behind Ada. */
async function deskWithPast(t: TestContext): Promise<Desk> {
  const desk = await emptyDesk(t);
  const names = { groups: ["CEO", "BLACKLIST", "TARGETLIST"], services: ["RESCUE", "POLICE"] };
  const past = { Ada: "2026-03-01T12:00:00Z", Bob: "2026-03-01T13:00:00Z", Cleo: "2026-03-01T14:00:00Z" };
  for (const [name, time] of Object.entries(past)) {
    const now = () => Date.parse(time);
    const service = await Service.open({ folder: desk.data, routes: shippedRoutes, now });
    if (name === "Ada") await service.administer("seed.groups", names);
    await service.administer("player.register", { name });
    if (name === "Ada") await service.store.snapshot();
    await service.close();
  }
  return desk;
}

/** Damages the line of a journal that has a text. */
async function damage(desk: Desk, name: string, text: string): Promise<void> {
  const path = join(desk.data, name);
  const bytes = await readFile(path);
  const at = bytes.indexOf(text);
  assert.ok(at > 0);
  bytes.write("?", at);
  await writeFile(path, bytes);
}

describe("data status", () => {
  it("when the folder has data then it tells size, records, last change and snapshot, and no holder", async (t) => {
    const desk = await deskWithPast(t);
    const status = await desk.json<StatusDocument>("data", "status");
    assert.equal(status.folder, desk.data);
    assert.equal(status.records.players, 3);
    assert.equal(status.records.names, 5);
    assert.deepEqual(status.lastChange, { sequence: 4, instant: Date.parse("2026-03-01T14:00:00Z") });
    assert.deepEqual(status.lastSnapshot, { sequence: 2, instant: Date.parse("2026-03-01T12:00:00Z") });
    assert.equal(status.journalFrom.sequence, 1);
    assert.equal(status.reachesBackTo, Date.parse("2026-03-01T12:00:00Z"));
    assert.equal(status.holder, null);
    const files = await desk.files();
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.equal(status.bytes.total, bytes);
    assert.equal(status.bytes.snapshots, files.get(join(desk.data, "snapshot-000000000002.jsonl"))?.length);
    const text = await desk.ok("data", "status");
    assert.match(text, /^last change +4, 2026-03-01T14:00:00\.000Z$/m);
    assert.match(text, /no service runs on it/);
    assert.match(text, /^ {2}blacklistReasons +0$/m);
  });

  it("when a service runs then it is the holder", async (t) => {
    const desk = await seededDesk(t);
    await running(desk);
    const { holder } = await desk.json<StatusDocument>("data", "status");
    assert.deepEqual(holder, {
      pid: 4711,
      url: "http://127.0.0.1:8888",
      since: Date.parse("2026-03-01T12:00:00Z"),
    });
    assertIncludes(await desk.ok("data", "status"), "process 4711 serves it at http://127.0.0.1:8888");
  });

  it("when there is no data then it says so, and makes nothing", async (t) => {
    const desk = await emptyDesk(t);
    for (const command of ["status", "verify", "snapshot", "export", "repair --yes", "backup b.gz"]) {
      assert.match(await desk.fails("data", ...command.split(" ")), /There is no data in /, command);
    }
    assert.deepEqual(await readdir(desk.folder), []);
  });

  it("when the data is damaged then sizes are told all the same, and it leaves with 1", async (t) => {
    const desk = await deskWithPast(t);
    await damage(desk, "journal-000000000003.log", "Bob");
    const { problem, bytes } = await desk.failsAs<StatusDocument>("data", "status");
    assert.match(problem ?? "", /is damaged at byte/);
    assert.ok((bytes.total ?? 0) > 0);
  });
});

describe("data verify", () => {
  it("when nothing is wrong then it says so, and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.ok("data", "verify"),
      /1 snapshots .* 2 segments with 4 changes, up to change 4: no problems\.$/m,
    );
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    assert.deepEqual(await desk.files(), before);
  });

  it("when a line is broken then it tells file, byte and what, and leaves with 1", async (t) => {
    const desk = await deskWithPast(t);
    const header = (await readFile(join(desk.data, "journal-000000000003.log"))).indexOf("\n") + 1;
    await damage(desk, "journal-000000000003.log", "Bob");
    const ran = await desk.run(["data", "verify"]);
    assert.equal(ran.exitCode, 1);
    assert.equal(
      linesOf(ran.stdout)[0],
      `journal-000000000003.log: byte ${header}: the checksum of the line is wrong`,
    );
    const { ok, problems } = await desk.failsAs<VerifyDocument>("data", "verify");
    assert.equal(ok, false);
    assert.deepEqual(
      problems.map(({ file, offset }) => [file, offset]),
      [["journal-000000000003.log", header]],
    );
  });

  it("when a service writes meanwhile then there is no problem", async (t) => {
    const desk = await seededDesk(t);
    const service = await running(desk);
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        service.administer("player.register", { name: `Player${index}` }),
      ),
    );
    for (let round = 0; round < 5; round++) {
      assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
      await desk.ok("data", "snapshot");
    }
    await writing;
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
  });
});

describe("data backup and data restore", () => {
  it("when a backup is restored elsewhere then the data is the same", async (t) => {
    const desk = await deskWithPast(t);
    const text = await desk.ok("data", "backup", "b.jsonl.gz");
    assert.match(text, /^Wrote 8 records, everything up to change 4, to .*b\.jsonl\.gz \(\d+ bytes\)\.$/m);
    const path = join(desk.folder, "b.jsonl.gz");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    // zcat | cut -c10- gives JSON lines.
    const lines = linesOf(gunzipSync(await readFile(path)).toString()).map((line) =>
      JSON.parse(line.slice(9)),
    );
    assert.equal(lines[0].format, "gameaddon-snapshot");
    assert.equal(lines[0].sequence, 4);
    assert.deepEqual(lines.at(-1), { end: 8 });
    assert.match(
      await desk.ok("--data", "elsewhere", "data", "restore", "b.jsonl.gz"),
      /^Restored 8 records/m,
    );
    assert.deepEqual(
      (await desk.json<{ name: string }[]>("--data", "elsewhere", "player", "list")).map(({ name }) => name),
      ["Ada", "Bob", "Cleo"],
    );
    assert.deepEqual(
      (await desk.json<StatusDocument>("--data", "elsewhere", "data", "status")).lastSnapshot?.sequence,
      4,
    );
    assert.equal((await desk.json<VerifyDocument>("--data", "elsewhere", "data", "verify")).ok, true);
  });

  it("when the file exists then it is not overwritten without --force", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("b.gz", "mine");
    assert.match(await desk.fails("data", "backup", "b.gz"), /b\.gz exists already/);
    assert.match(await desk.fails("data", "export", "b.gz"), /b\.gz exists already/);
    assert.equal(await readFile(join(desk.folder, "b.gz"), "utf8"), "mine");
    await desk.ok("data", "backup", "b.gz", "--force");
    assert.ok(gunzipSync(await readFile(join(desk.folder, "b.gz"))).length > 0);
    assert.deepEqual(
      (await readdir(desk.folder)).filter((name) => name.includes("b.gz")),
      ["b.gz"],
    );
  });

  it("when a service runs then a backup has everything that was acknowledged before", async (t) => {
    const desk = await seededDesk(t);
    const service = await running(desk);
    await service.administer("player.register", { name: "Ada" });
    const meanwhile = service.administer("player.register", { name: "Bob" });
    const { sequence } = await desk.json<{ sequence: number }>("data", "backup", "b.gz");
    await meanwhile;
    assert.ok(sequence >= 2);
    await desk.ok("--data", "copy", "data", "restore", "b.gz");
    const names = (await desk.json<{ name: string }[]>("--data", "copy", "player", "list")).map(
      ({ name }) => name,
    );
    assert.ok(names.includes("Ada"));
  });

  it("when standard error is a terminal then there is a progress bar, and none with --json or in a pipe", async (t) => {
    const desk = await seededDesk(t);
    const shown = await desk.run(["data", "backup", "1.gz"], { terminal: true });
    assertIncludes(shown.stderr, "\rWriting the backup [");
    assert.ok(shown.stderr.endsWith(`\r${colourBegins}K`));
    assert.equal((await desk.run(["data", "backup", "2.gz"])).stderr, "");
    assert.equal((await desk.run(["--json", "data", "backup", "3.gz"], { terminal: true })).stderr, "");
  });

  it("when there is data then --replace is needed, and the old files are kept", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("player", "remove", "Cleo");
    assert.match(await desk.fails("data", "restore", "b.gz"), /There is data in .*\n.*--replace/);
    assert.deepEqual(await players(desk), ["Ada", "Bob"]);
    const journal = await readFile(join(desk.data, "journal-000000000005.log"));
    const { kept } = await desk.json<{ kept: string }>("data", "restore", "b.gz", "--replace");
    assert.match(kept, /^replaced-\d{4}-/);
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    assert.deepEqual(await readFile(join(desk.data, kept, "journal-000000000005.log")), journal);
    // What was kept can be worked on by itself.
    assert.deepEqual(
      (await desk.json<{ name: string }[]>("--data", join("data", kept), "player", "list")).map(
        ({ name }) => name,
      ),
      ["Ada", "Bob"],
    );
  });

  it("when a backup is damaged anywhere then it is refused before anything is touched", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("data", "backup", "b.gz");
    const plain = gunzipSync(await readFile(join(desk.folder, "b.gz")));
    const before = await desk.files();
    for (let byte = 0; byte < plain.length; byte += 37) {
      const copy = Buffer.from(plain);
      copy[byte] = (copy[byte] as number) ^ 1;
      await writeFile(join(desk.folder, "bad.jsonl"), copy);
      assert.match(
        await desk.fails("data", "restore", "bad.jsonl", "--replace"),
        /is not a whole backup: at byte/,
      );
    }
    const packed = await readFile(join(desk.folder, "b.gz"));
    await writeFile(join(desk.folder, "bad.gz"), packed.subarray(0, packed.length - 20));
    assert.match(await desk.fails("data", "restore", "bad.gz", "--replace"), /is damaged/);
    assert.match(await desk.fails("data", "restore", "none.gz", "--replace"), /There is no file/);
    assert.deepEqual(await desk.files(), before);
    // Nor does a folder come about.
    await desk.fails("--data", "new", "data", "restore", "bad.gz");
    assert.ok(!(await readdir(desk.folder)).includes("new"));
  });

  it("when the folder is somebody else's then nothing is restored into it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("data", "backup", "b.gz");
    assert.match(
      await desk.fails("--data", ".", "data", "restore", "b.gz"),
      /is not a data folder: it has b\.gz/,
    );
  });
});

describe("data restore --at", () => {
  it("when a moment is named then the data is as it was then", async (t) => {
    for (const [moment, expected] of [
      ["2026-03-01T13:30:00Z", ["Ada", "Bob"]],
      ["2026-03-01T14:00:00+01:00", ["Ada", "Bob"]],
      [String(Date.parse("2026-03-01T12:59:59.999Z")), ["Ada"]],
      ["2026-03-01T14:00:00Z", ["Ada", "Bob", "Cleo"]],
    ] as const) {
      const desk = await deskWithPast(t);
      await desk.ok("data", "restore", "--at", moment, "--replace");
      assert.deepEqual(await players(desk), expected, moment);
      assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    }
  });

  it("when nothing was changed since then it says so, and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.ok("data", "restore", "--at", "2026-03-01T14:00:00Z", "--replace"),
      /^The data is as it was at 2026-03-01T14:00:00\.000Z: nothing was changed since\.$/m,
    );
    assert.deepEqual(await desk.files(), before);
  });

  it("when the moment is before the data, to come, or none then it is refused", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(
      await desk.fails("data", "restore", "--at", "2026-02-01T00:00:00Z", "--replace"),
      /there was no data/,
    );
    assert.match(
      await desk.fails("data", "restore", "--at", "2999-01-01T00:00:00Z", "--replace"),
      /still to come/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "yesterday", "--replace"),
      /ISO 8601 with a zone/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "2026-03-01T12:00:00", "--replace"),
      /ISO 8601/,
    );
    assert.match(
      await desk.misused("data", "restore", "--at", "2026-03-01T12:00:00Z"),
      /--at goes with --replace/,
    );
    assert.match(await desk.misused("data", "restore"), /one of <file> and --at/);
    assert.match(
      await desk.misused("data", "restore", "b.gz", "--at", "0", "--replace"),
      /one of <file> and --at/,
    );
    assert.deepEqual(await desk.files(), before);
  });
});

describe("while a service runs on the folder", () => {
  it("when something would be put in its place then it is refused, and nothing is touched", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("data", "export", "e.json");
    await running(desk);
    const before = await desk.files();
    for (const command of [
      "data restore b.gz --replace",
      "data restore b.gz",
      "data restore --at 2026-03-01T13:30:00Z --replace",
      "data import e.json --replace",
      "data repair --yes",
    ]) {
      const stderr = await desk.fails(...command.split(" "));
      assert.match(stderr, /A service runs on .*: process 4711, http:\/\/127\.0\.0\.1:8888\./, command);
      assert.match(stderr, /Stop the service/, command);
      const failure = await desk.failsAs<FailureDocument>(...command.split(" "));
      assert.equal(failure.code, "STORE_UNAVAILABLE");
    }
    assert.deepEqual(await desk.files(), before);
  });
});

describe("data repair", () => {
  it("when nothing is damaged then it says so and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(await desk.ok("data", "repair", "--yes"), /is not damaged: there is nothing to repair/);
    assert.deepEqual(await desk.files(), before);
  });

  it("when a change is damaged then the start is refused, and repair saves the others and tells what it lost", async (t) => {
    const desk = await deskWithPast(t);
    await damage(desk, "journal-000000000003.log", "Bob");
    assert.match(await desk.fails("player", "list"), /is damaged at byte \d+.*\n.*data repair/);
    const damaged = await desk.files();

    const dry = await desk.run(["data", "repair"], { terminal: true });
    assert.equal(dry.exitCode, 1);
    assert.match(
      dry.stdout,
      /Would be lost:\n {2}journal-000000000003\.log: byte \d+: a change, probably number 3/,
    );
    assert.match(dry.stdout, /--yes does it/);
    await desk.misused("data", "repair");
    assert.equal((await desk.run(["--no-input", "data", "repair"], { terminal: true })).exitCode, 2);
    assert.deepEqual(await desk.files(), damaged);

    const document = await desk.json<{
      repaired: boolean;
      kept: string;
      sequence: number;
      lost: { file: string; what: string; known: string }[];
    }>("data", "repair", "--yes");
    assert.equal(document.repaired, true);
    assert.equal(document.sequence, 4);
    assert.equal(document.lost.length, 1);
    assert.match(document.lost[0]?.known ?? "", /player\.register, players [0-9a-f]{32}/);
    assert.deepEqual(await players(desk), ["Ada", "Cleo"]);
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    for (const [path, bytes] of damaged) {
      if (!/journal-|snapshot-/.test(path)) continue;
      assert.deepEqual(await readFile(path.replace(desk.data, join(desk.data, document.kept))), bytes);
    }
  });

  it("when nothing can be saved then it says so, and changes nothing", async (t) => {
    const desk = await seededDesk(t);
    await writeFile(join(desk.data, "journal-000000000001.log"), "nothing of ours\nat all\n");
    const before = await desk.files();
    assert.match(await desk.fails("data", "repair", "--yes"), /Nothing of the data .* can be saved/);
    assert.deepEqual(await desk.files(), before);
  });
});

describe("data export and data import", () => {
  it("when an export is imported elsewhere then the records are the same", async (t) => {
    const desk = await deskWithPast(t);
    const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
    await desk.ok("call", "/targetlist/add", "name=Mallory");
    const exported = await desk.ok("data", "export");
    const document = JSON.parse(exported);
    assert.equal(document.format, "gameaddon-export");
    assert.equal(document.version, 1);
    assert.equal(document.collections.players.length, 3);
    assert.equal(document.collections.tokens.length, 1);
    assertLacks(exported, token);
    assert.doesNotMatch(exported, tokenForm);
    assert.deepEqual((await desk.json<typeof document>("data", "export")).collections, document.collections);

    await desk.ok("data", "export", "e.json");
    assert.equal((await stat(join(desk.folder, "e.json"))).mode & 0o777, 0o600);
    assert.match(await desk.ok("--data", "copy", "data", "import", "e.json"), /^Imported 10 records\.$/m);
    const again = JSON.parse(await desk.ok("--data", "copy", "data", "export"));
    assert.deepEqual(again.collections, document.collections);
    assert.equal((await desk.json<VerifyDocument>("--data", "copy", "data", "verify")).ok, true);
    // What is listed from now on comes behind what was.
    await desk.ok("--data", "copy", "call", "/targetlist/add", "name=Zed");
    const targets = await desk.json<{ name: string }[]>("--data", "copy", "call", "/targetlist");
    assert.deepEqual(
      targets.map(({ name }) => name),
      ["Mallory", "Zed"],
    );
  });

  it("when there is data then --replace is needed, and the old files are kept", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "export", "e.json");
    await desk.ok("player", "remove", "Ada");
    assert.match(await desk.fails("data", "import", "e.json"), /--replace/);
    const { kept } = await desk.json<{ kept: string }>("data", "import", "e.json", "--replace");
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    assert.ok((await readdir(join(desk.data, kept))).includes("journal-000000000001.log"));
  });

  it("when records are not right then every one is named, and nothing is touched", async (t) => {
    const desk = await seededDesk(t);
    const before = await desk.files();
    const uuid = "0123456789abcdef0123456789abcdef";
    const collections = {
      dragons: [],
      players: [
        { uuid, name: "Ada", administrator: "yes", registeredAt: 1 },
        { uuid, name: "Bob", administrator: false, registeredAt: 1 },
        { uuid, name: "Cleo", administrator: false, registeredAt: 1 },
      ],
    };
    await desk.write(
      "e.json",
      JSON.stringify({ format: "gameaddon-export", version: 1, exported: 1, collections }),
    );
    const { problems } = await desk.failsAs<{ problems: string[] }>("data", "import", "e.json", "--replace");
    assert.equal(problems.length, 3);
    assert.match(problems[0] ?? "", /there is no collection "dragons"/);
    assert.match(problems[1] ?? "", /players\[0\]: a record of players, administrator: /);
    assert.match(
      problems[2] ?? "",
      new RegExp(`players\\[2\\]: there is a record of the key "${uuid}" before it`),
    );
    const stderr = await desk.fails("data", "import", "e.json", "--replace");
    for (const problem of problems) assertIncludes(stderr, problem);
    await desk.write("e.json", "{");
    assert.match(await desk.fails("data", "import", "e.json", "--replace"), /it is not JSON/);
    await desk.write("e.json", "{}");
    assert.match(await desk.fails("data", "import", "e.json", "--replace"), /was expected/);
    assert.deepEqual(await desk.files(), before);
  });
});
