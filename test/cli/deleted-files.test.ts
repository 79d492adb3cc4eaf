/** A service whose lock and socket somebody deletes, or whose folder somebody moves. */
import assert from "node:assert/strict";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { execute, serveProcess } from "./_process.ts";
import { emptyDesk } from "./_setup.ts";

describe("a running service", () => {
  it("whose lock and socket are deleted keeps other processes out, and commands reach it again", async (t) => {
    const desk = await emptyDesk(t);
    const { child, base, token } = await serveProcess(desk);
    for (const name of ["lock", "socket"]) await rm(join(desk.data, name));

    // The command finds neither file, waits for the folder, and then finds the service.
    const added = await execute(desk, ["player", "add", "Ada"]);
    assert.equal(added.exitCode, 0, added.stderr);
    await child.shows("stderr", /Recreated .*lock, which was missing/);
    await child.shows("stderr", /Recreated .*socket, which was missing/);

    const response = await fetch(`${base}/${token}/statistic/Ada`);
    assert.equal(response.status, 200, "the service has the player");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.match(await desk.ok("player", "list"), /^Ada\t/m);
  });

  it("whose folder is moved leaves, and says which file is missing and what to do", async (t) => {
    const desk = await emptyDesk(t);
    const { child } = await serveProcess(desk);
    await rename(desk.data, `${desk.data}-2`);
    assert.equal(await child.ended, 1);
    assert.match(
      child.stderr,
      /journal-000000000001\.log was moved, deleted or replaced.*Put the data folder back/,
    );
    assert.match(await desk.ok("--data", "data-2", "data", "verify"), /no problems/);
  });
});
