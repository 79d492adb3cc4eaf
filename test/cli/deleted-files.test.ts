/** A service whose lock and socket somebody deletes, or whose folder somebody moves. */
import assert from "node:assert/strict";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { execute, serveProcess } from "./_process.ts";
import { emptyDesk } from "./_setup.ts";

describe("a running service", () => {
  it("whose socket is deleted recreates it, and commands reach it again", async (t) => {
    const desk = await emptyDesk(t);
    const { child, base, token } = await serveProcess(desk);
    await rm(join(desk.data, "socket"));

    // The command does not find the service, waits for the folder, and then finds it.
    const added = await execute(desk, ["player", "add", "Ada"]);
    assert.equal(added.exitCode, 0, added.stderr);
    await child.shows("stderr", /Recreated .*socket, which was missing/);

    const response = await fetch(`${base}/${token}/statistic/Ada`);
    assert.equal(response.status, 200, "the service has the player");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.match(await desk.ok("player", "list"), /^Ada\t/m);
  });

  it("whose lock is deleted exits without a request, and says why", async (t) => {
    const desk = await emptyDesk(t);
    const { child } = await serveProcess(desk);
    await rm(join(desk.data, "lock"));
    assert.equal(await child.ended, 1);
    assert.match(child.stderr, /lock was moved, deleted or replaced while it was open.*Then start again/);
    assert.match(await desk.ok("data", "verify"), /no problems/);
  });

  it("whose folder is moved leaves, and says which file is missing and what to do", async (t) => {
    const desk = await emptyDesk(t);
    const { child } = await serveProcess(desk);
    await rename(desk.data, `${desk.data}-2`);
    assert.equal(await child.ended, 1);
    assert.match(child.stderr, /journal-000000000001\.log was moved, deleted or replaced.*put it back/);
    assert.match(await desk.ok("--data", "data-2", "data", "verify"), /no problems/);
  });

  it("whose folder is moved during a write says that the change may have been saved, as it then was", async (t) => {
    const desk = await emptyDesk(t);
    const moved = `${desk.data}-2`;
    const moving = join(desk.folder, "moving");
    const { child } = await serveProcess(desk, [], [moveAfterWrite(moving, desk.data, moved)]);
    await writeFile(moving, "");
    const { exitCode, stderr } = await execute(desk, ["player", "add", "Ada"]);
    assert.equal(exitCode, 1);
    // The service may exit before it answers.
    assert.match(stderr, /may have been saved|The outcome of the command is unknown/);
    assert.doesNotMatch(stderr, /Nothing was changed/);
    assert.equal(await child.ended, 1);
    assert.match(child.stderr, /was moved, deleted or replaced.* may have been saved.*put it back/);
    await rename(moved, desk.data);
    assert.match(await desk.ok("player", "list"), /^Ada\t/m);
  });
});

/** Returns a module that moves a folder after the first write once a file exists. */
function moveAfterWrite(trigger: string, folder: string, moved: string): string {
  const code = `
    import { existsSync, renameSync, rmSync } from "node:fs";
    import { open } from "node:fs/promises";
    const file = await open(process.execPath);
    const form = Object.getPrototypeOf(file);
    await file.close();
    const { write } = form;
    form.write = async function (...given) {
      const result = await write.apply(this, given);
      if (existsSync(${JSON.stringify(trigger)})) {
        rmSync(${JSON.stringify(trigger)});
        renameSync(${JSON.stringify(folder)}, ${JSON.stringify(moved)});
      }
      return result;
    };
  `;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
