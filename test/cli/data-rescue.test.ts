/** `data repair`, `export` and `import`. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertIncludes, assertLacks } from "../_setup.ts";
import type { VerifyDocument } from "./_data.ts";
import { damage, deskWithPast, players } from "./_data.ts";
import { seededDesk, tokenForm } from "./_setup.ts";

describe("data repair", () => {
  it("when nothing is damaged, it reports that and changes nothing", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    assert.match(await desk.ok("data", "repair", "--yes"), /is not damaged\. Nothing was changed/);
    assert.deepEqual(await desk.files(), before);
  });

  it("when a change is damaged, a start fails, and repair recovers the others and reports the loss", async (t) => {
    const desk = await deskWithPast(t);
    await damage(desk, "journal-000000000003.log", "Bob");
    assert.match(await desk.fails("player", "list"), /is damaged at byte \d+.*\n.*data repair/);
    const damaged = await desk.files();

    const dry = await desk.run(["data", "repair"]);
    assert.equal(dry.exitCode, 1);
    assert.match(
      dry.stdout,
      /Would be lost:\n {2}journal-000000000003\.log: byte \d+: change 3 is lost \(legible: player\.add/,
    );
    assert.match(dry.stdout, /--yes repairs the folder/);
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
    assert.match(document.lost[0]?.known ?? "", /player\.add, players [0-9a-f]{32}/);
    assert.deepEqual(await players(desk), ["Ada", "Cleo"]);
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    for (const [path, bytes] of damaged) {
      if (!/journal-|snapshot-/.test(path)) continue;
      assert.deepEqual(await readFile(path.replace(desk.data, join(desk.data, document.kept))), bytes);
    }
  });

  it("when the only segment is cut within its header, every command fails, and repair starts an empty journal", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const path = join(desk.data, "journal-000000000001.log");
    await truncate(path, 30);
    for (const args of [
      ["player", "list"],
      ["player", "add", "Bob"],
      ["audit"],
      ["seed", "groups"],
      ["serve", "--port", "0"],
    ]) {
      const stderr = await desk.fails(...args);
      assertIncludes(stderr, `${path} is damaged at byte 0: the header is incomplete: the file has 30 bytes`);
      assert.match(stderr, /addon-cli data repair/);
    }
    assert.equal((await desk.run(["data", "status"])).exitCode, 1);
    assert.equal((await desk.run(["data", "verify"])).exitCode, 1);
    assert.match(
      await desk.ok("data", "repair", "--yes"),
      /Lost:\n {2}journal-000000000001\.log: byte 0: the changes that this file may have had/,
    );
    assert.deepEqual(await players(desk), []);
    await desk.ok("player", "add", "Bob");
    assert.deepEqual(await players(desk), ["Bob"]);
  });

  it("when nothing can be recovered, it reports that, and changes nothing", async (t) => {
    const desk = await seededDesk(t);
    await writeFile(join(desk.data, "journal-000000000001.log"), "nothing of ours\nat all\n");
    const before = await desk.files();
    assert.match(await desk.fails("data", "repair", "--yes"), /Nothing of the data .* can be saved/);
    assert.deepEqual(await desk.files(), before);
  });
});

describe("data export and data import", () => {
  it("when an export is imported elsewhere, the records are the same", async (t) => {
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
    // New entries follow the older ones.
    await desk.ok("--data", "copy", "call", "/targetlist/add", "name=Zed");
    const targets = await desk.json<{ name: string }[]>("--data", "copy", "call", "/targetlist");
    assert.deepEqual(
      targets.map(({ name }) => name),
      ["Mallory", "Zed"],
    );
  });

  it("when a file is for the other command, either takes it", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "export", "e.json");
    await desk.ok("data", "backup", "b.jsonl.gz");
    assert.match(await desk.ok("--data", "one", "data", "restore", "e.json"), /^Imported 8 records\.$/m);
    assert.match(await desk.ok("--data", "two", "data", "import", "b.jsonl.gz"), /^Restored 8 records of /m);
    await desk.write("note.txt", "nothing of ours");
    assert.match(await desk.fails("--data", "three", "data", "restore", "note.txt"), /is not a whole backup/);
    assert.match(await desk.fails("--data", "three", "data", "import", "note.txt"), /it is not JSON/);
  });

  it("when more than 20 records are invalid, a person sees 20, and a program all", async (t) => {
    const desk = await seededDesk(t);
    const players = Array.from({ length: 23 }, () => ({ name: "Ada" }));
    const document = { format: "gameaddon-export", version: 1, exported: 1, collections: { players } };
    await desk.write("e.json", JSON.stringify(document));
    const { problems } = await desk.failsAs<{ problems: string[] }>("data", "import", "e.json");
    const stderr = await desk.fails("data", "import", "e.json");
    const shown = problems.filter((problem) => stderr.includes(problem));
    assert.equal(shown.length, 20, stderr);
    assertIncludes(stderr, `and ${problems.length - 20} more; --json shows all of them`);
  });

  it("when records are invalid, it names each, and changes nothing", async (t) => {
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
    const { problems } = await desk.failsAs<{ problems: string[] }>("data", "import", "e.json");
    assert.equal(problems.length, 3);
    assert.match(problems[0] ?? "", /there is no collection "dragons"/);
    assert.match(problems[1] ?? "", /players\[0\]: a record of players, administrator: /);
    assert.match(
      problems[2] ?? "",
      new RegExp(`players\\[2\\]: another record before it has the key "${uuid}"`),
    );
    const stderr = await desk.fails("data", "import", "e.json");
    for (const problem of problems) assertIncludes(stderr, problem);
    await desk.write("e.json", "{");
    assert.match(await desk.fails("data", "import", "e.json"), /it is not JSON/);
    await desk.write("e.json", "{}");
    assert.match(await desk.fails("data", "import", "e.json"), /expected \{"format"/);
    assert.deepEqual(await desk.files(), before);
  });
});

describe("data repair --from", () => {
  it("when the folder is damaged, the backup replaces it, and no number is assigned twice", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("player", "add", "Dora");
    const newest =
      (await readdir(desk.data))
        .filter((name) => name.startsWith("journal-"))
        .sort()
        .at(-1) ?? "";
    await damage(desk, newest, "Dora");
    const damaged = await desk.files();
    assert.match(await desk.fails("data", "restore", "b.gz", "--yes"), /is damaged at byte/);

    const dry = await desk.run(["data", "repair", "--from", "b.gz"]);
    assert.equal(dry.exitCode, 1);
    assert.match(
      dry.stdout,
      /the checksum of the line is wrong[\s\S]*--yes replaces the damaged files by the 8 records of .*b\.gz/,
    );
    assert.match(await desk.fails("data", "repair", "--from", "none.gz", "--yes"), /There is no file/);
    for (const [path, bytes] of damaged) assert.deepEqual(await readFile(path), bytes);

    const { kept, sequence } = await desk.json<{ kept: string; sequence: number }>(
      "data",
      "repair",
      "--from",
      "b.gz",
      "--yes",
    );
    assert.match(kept, /^damaged-/);
    assert.ok(sequence >= 6, String(sequence));
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
  });

  it("when nothing is damaged then it is refused, and `data restore` is named", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    const before = await desk.files();
    assert.match(
      await desk.fails("data", "repair", "--from", "b.gz", "--yes"),
      /is not damaged[\s\S]*data restore/,
    );
    assert.deepEqual(await desk.files(), before);
  });
});
