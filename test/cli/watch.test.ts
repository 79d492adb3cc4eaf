/** A watched file: which changes are reported, and when. */
import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchFile } from "../../cli/serving/watch.ts";
import { temporaryFolder } from "../_setup.ts";

/** Watches a file until the test ends. Returns its path, and a function that waits for the next report. */
async function watchedFile(t: TestContext) {
  const path = join(await temporaryFolder(t), "routes.yaml");
  await writeFile(path, "one");
  let report = () => {};
  const reported = () =>
    new Promise<void>((resolve) => {
      report = resolve;
    });
  const first = reported();
  t.after(watchFile(path, () => report()));
  // Watching does not keep a process alive.
  const waiting = setInterval(() => {}, 1000);
  t.after(() => clearInterval(waiting));
  await first;
  return { path, reported };
}

it("a file is reported once in the beginning, and not again without a change", async (t) => {
  const { reported } = await watchedFile(t);
  const again = reported().then(() => "reported");
  assert.equal(await Promise.race([again, sleep(1200, "silent")]), "silent");
});

it("a file that is replaced by one of the same length is reported", async (t) => {
  const { path, reported } = await watchedFile(t);
  const noticed = reported();
  await writeFile(`${path}.new`, "two");
  await rename(`${path}.new`, path);
  await noticed;
});
