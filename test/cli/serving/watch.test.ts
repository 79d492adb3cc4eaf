/** A watched file: which changes are reported, and when. */
import assert from "node:assert/strict";
import { unwatchFile, watchFile as watchByPolling } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { watchFile } from "../../../cli/serving/watch.ts";
import { temporaryFolder } from "../../_setup.ts";

it("a file is reported in the beginning, and after each change once it has not changed for two seconds", async (t) => {
  const path = join(await temporaryFolder(t), "routes.yaml");
  await writeFile(path, "one");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let reports = 0;
  t.after(
    watchFile(path, () => {
      reports += 1;
    }),
  );
  // Watching does not keep a process alive.
  const waiting = setInterval(() => {}, 1000);
  t.after(() => clearInterval(waiting));
  // It is told after the watch.
  let told = () => {};
  watchByPolling(path, { interval: 50 }, () => told());
  t.after(() => unwatchFile(path));
  const change = async (text: string) => {
    const noticed = new Promise<void>((resolve) => {
      told = resolve;
    });
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    await noticed;
  };
  const after = (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    return reports;
  };
  assert.deepEqual([after(1999), after(1), after(9999)], [0, 1, 1]);
  // Of the same length.
  await change("two");
  assert.equal(after(1999), 1);
  await change("six");
  assert.deepEqual([after(1999), after(1), after(9999)], [1, 2, 2]);
});
