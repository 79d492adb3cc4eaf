/** The progress of long commands on data: on a terminal, and gone at their end. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { assertIncludes } from "../../_setup.ts";
import { colourBegins, seededDesk } from "../_setup.ts";

it("is shown on a terminal only, not with --json, and nothing of it remains", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  await desk.ok("data", "snapshot");
  for (const [args, ...shown] of [
    [["data", "backup", "1.gz", "--force"], "Writing the backup 0 s"],
    [["data", "verify"], "Verifying ["],
    [["data", "export", "e.json", "--force"], "Reading the data ["],
    [["data", "repair"], "Repairing ["],
    [["audit"], "Reading the journal 0 s"],
    [["audit", "--summary"], "Reading the journal 0 s"],
    [["audit", "statistics"], "Reading the data 0 s", "Reading the journal 0 s"],
    [["data", "restore", "--at", "#1", "--yes"], "Comparing 0 s", "Changing 0 s"],
    [["data", "import", "e.json", "--yes"], "Comparing 0 s", "Changing 0 s"],
    [["--data", "two", "data", "restore", "1.gz"], "Reading 0 s", "Restoring 0 s"],
  ] as const) {
    const run = async (line: readonly string[], terminal: boolean) => {
      await rm(join(desk.folder, "two"), { recursive: true, force: true });
      return desk.run(line, { terminal });
    };
    const { stderr, exitCode } = await run(args, true);
    assert.equal(exitCode, 0, stderr);
    for (const text of shown) assertIncludes(stderr, text);
    if (args[1] === "verify") assert.match(stderr, /\] [1-9]?\d%.*\] [1-9]\d%/s, "more with each file");
    const left = stderr.split("\n").map((line) => line.split(`${colourBegins}K`).at(-1));
    assert.doesNotMatch(left.join("\n"), /\[#|\d s$/m);
    assert.equal((await run(["--json", ...args], true)).stderr, "");
    assert.ok(!(await run(args, false)).stderr.includes("\r"));
  }
});
