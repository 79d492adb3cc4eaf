/**
 * A process that makes numbered changes, for tests that kill it or make its disk fail:
 *
 *     node _driver.js <data folder> <last change> [<length of a text> [<file to delete when refused>]]
 *
 * It writes the lines `acknowledged <number>`, `refused <number> <code>`, `problem <sentence>`, `no snapshot <number>`, `fatal` and `done`,
 * unbuffered.
 */
import { unlinkSync, writeSync } from "node:fs";
import { Failure } from "../../../src/domain/errors.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { numbered, openNotebook, origin } from "../_faults.ts";

const [folder = "", last = "0", length = "3", ballast] = process.argv.slice(2);
const say = (text: string) => void writeSync(1, `${text}\n`);

const store = await openNotebook(folder, {
  files: nodeFiles,
  // So that snapshots drop what they replace.
  retention: { milliseconds: -1, snapshots: 1 },
  onFatal() {
    say("fatal");
    process.exit(1);
  },
});
let refusals = 0;
while (store.sequence < Number(last) && refusals < 3) {
  const number = store.sequence + 1;
  try {
    await store.change(origin, numbered(number, Number(length)));
    say(`acknowledged ${number}`);
  } catch (error) {
    refusals += 1;
    say(`refused ${number} ${error instanceof Failure ? error.code : error}`);
    say(`problem ${await store.problem()}`);
    if (ballast !== undefined && refusals === 1) unlinkSync(ballast);
  }
  if (number % 2 === 0) await store.snapshot().catch(() => say(`no snapshot ${number}`));
}
await store.close({ snapshot: true }).catch((error: Error) => say(`not closed ${error.message}`));
say("done");
