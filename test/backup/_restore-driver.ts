/**
 * A process that restores or imports, for tests that kill it or take its disk away:
 *
 *     node _restore-driver.js <data folder> <backup|export> <file>
 *
 * It says `restored <number>` or `refused <code>` on a line, at once.
 */
import { writeSync } from "node:fs";
import { restoreRecords } from "../../src/backup/restore.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import { Store } from "../../src/store/store.ts";

const [folder = "", kind = "", file = ""] = process.argv.slice(2);
const say = (text: string) => void writeSync(1, `${text}\n`);

const store = await Store.open({ folder, model, onFatal: () => process.exit(1) });
try {
  const source =
    kind === "export" ? ({ kind: "export", file } as const) : ({ kind: "backup", file } as const);
  const { sequence } = await restoreRecords(store, { source, tokens: false });
  say(`restored ${sequence}`);
} catch (error) {
  say(`refused ${error instanceof Failure ? error.code : error}`);
}
await store.close();
