/** Tests of docs/durability.md: its rehearsal, its example files, and the commands and messages that it mentions. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { onlyInFull } from "../_depth.ts";
import { projectFolder, shippedRoutes, temporaryFolder } from "../_setup.ts";
import { emptyDesk } from "../cli/_setup.ts";
import { blocks, readPage, rows, runBuildIn } from "./_page.ts";

const page = await readPage("docs/durability.md");
const run = promisify(execFile);

it("the rehearsal works when pasted into a shell", { skip: onlyInFull }, async (t) => {
  const folder = await temporaryFolder(t);
  const env = await runBuildIn(folder);
  await cp(shippedRoutes, join(folder, "routes.yaml"));
  const script = blocks(page, "run").map((block, index) => `echo "== ${index}"\n${block}`);
  const { stdout } = await run("bash", ["-euc", script.join("")], { cwd: folder, env, timeout: 120_000 });
  const [, backup = "", undo = "", at = "", restore = "", move = "", schedule = "", repair = ""] =
    stdout.split(/^== \d+\n/m);

  assert.match(backup, /^Wrote 17 records, everything up to change 3, to .*rehearsal\.jsonl\.gz/m);
  assert.match(backup, /^\{"collection":"entries","record":\{"list":"wantedreason",.*"points":10\}\}\}$/m);

  assert.match(undo, /^4\t.*\twantedreason\.remove\t/m);
  assert.match(undo, /^Undid change 4 \(wantedreason\.remove\)\.$/m);
  assert.match(undo, /"reason": "Theft",\s+"points": 10/);

  assert.match(at, /^Restored the data behind change 5: changed 1 record\. `addon-cli undo 7` undoes it\.$/m);
  assert.match(at, /^Ada\t[0-9a-f]{32}\t/m);

  assert.match(restore, /^Restored .*rehearsal\.jsonl\.gz of \d{4}-.*: changed 1 record\./m);
  assert.deepEqual(restore.match(/^\w+(?=\t[0-9a-f]{32}\t)/gm), ["Ada"]);
  assert.match(restore, /: no problems\.$/m);
  assert.match(restore, /^last change +9, /m);

  assert.deepEqual(move.match(/^\w+(?=\t[0-9a-f]{32}\t)/gm), ["Ada"]);

  assert.equal(schedule.match(/^Wrote 17 records/gm)?.length, 3);
  assert.equal(schedule.match(/^Removed .*\.jsonl\.gz\.$/gm)?.length, 1);
  assert.equal(schedule.match(/^gameaddon-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.jsonl\.gz$/gm)?.length, 2);

  assert.match(repair, /^journal-000000000004\.log: byte \d+: the checksum of the line is wrong$/m);
  assert.match(repair, /^It is damaged\.$/m);
  assert.match(repair, /change 4 is lost \(legible: player\.add, players [0-9a-f]{32}, Rob/);
  assert.match(
    repair,
    /^All other records are saved, but their history is lost: .*\. The next change follows change 5\./m,
  );
  assert.deepEqual(repair.match(/^\w+(?=\t[0-9a-f]{32}\t)/gm), ["Ada", "Cleo"]);
  assert.deepEqual((await readdir(folder)).sort(), ["bin", "dist", "routes.yaml"]);
});

it("the example files have the checksums that the page describes", () => {
  const [journal = ""] = blocks(page, "journal");
  const [snapshot = ""] = blocks(page, "snapshot");
  const parts = (line: string) => [Number.parseInt(line.slice(0, 8), 16), line.slice(9)] as const;
  const [head = "", change = ""] = journal.split("\n");
  assert.equal(crc32(parts(head)[1], 0), parts(head)[0]);
  assert.equal(crc32(parts(change)[1], JSON.parse(parts(head)[1]).chain), parts(change)[0]);
  let chain = 0;
  for (const line of snapshot.trimEnd().split("\n")) {
    const [written, json] = parts(line);
    assert.equal(crc32(json, chain), written, line);
    chain = written;
  }
  assert.equal(JSON.parse(parts(snapshot)[1].split("\n")[0] ?? "").chain, parts(change)[0]);
});

it("every command that the page mentions exists", async (t) => {
  const help = await (await emptyDesk(t)).ok("--help");
  for (const [, name] of page.matchAll(/addon-cli(?: --data \S+)? (\w+)/g))
    assert.match(help, new RegExp(`^ {2}${name} `, "m"));
});

it("every message that the page quotes is in the sources", async () => {
  const folders = ["src", "cli"].map((name) => join(projectFolder, name));
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = (await Promise.all(folders.map((folder) => readdir(folder, options)))).flat();
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sources = (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
  const situations = rows(page.slice(page.indexOf("## What to do when"))).map(
    ([situation = ""]) => situation,
  );
  const quoted = situations.flatMap((situation) => /: "(.+)"$/.exec(situation)?.[1] ?? []);
  assert.ok(quoted.length >= 8);
  // A message with values in it is quoted with "…" in their place.
  for (const part of quoted.flatMap((text) => text.split("…"))) {
    assert.ok(sources.includes(part.trim()), `no message has "${part.trim()}"`);
  }
});
