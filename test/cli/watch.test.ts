/** A watched file: which changes are reported, and when. */
import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { watchFile } from "../../cli/serving/watch.ts";
import { temporaryFolder } from "../_setup.ts";

/** Returns the path of a file, and a function that watches it until the test ends. */
async function watchedFile(t: TestContext) {
  const path = join(await temporaryFolder(t), "routes.yaml");
  await writeFile(path, "one");
  const watch = () => {
    const watched = watchFile(path);
    t.after(() => watched.close());
    return watched;
  };
  // Watching does not keep a process alive.
  const waiting = setInterval(() => {}, 1000);
  t.after(() => clearInterval(waiting));
  return { path, watch };
}

it("a change before anybody asks for changes is reported at once", async (t) => {
  const { path, watch } = await watchedFile(t);
  const [early, later] = [watch(), watch()];
  // Each looks at the file in its own rhythm: after three changes, the other one has noticed the first.
  for (const text of ["changed", "again", "and once more"]) {
    const noticed = new Promise<void>((resolve) => later.onChange(resolve));
    await writeFile(path, text);
    await noticed;
  }
  let calls = 0;
  early.onChange(() => {
    calls += 1;
  });
  assert.equal(calls, 1);
});

it("a file that is replaced by one of the same length is reported", async (t) => {
  const { path, watch } = await watchedFile(t);
  const watched = watch();
  const noticed = new Promise<void>((resolve) => watched.onChange(resolve));
  await writeFile(`${path}.new`, "two");
  await rename(`${path}.new`, path);
  await noticed;
});
