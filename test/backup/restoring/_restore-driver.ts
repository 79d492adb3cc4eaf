/**
 * A process that restores or imports, for tests that kill it or make its disk fail:
 *
 *     node _restore-driver.js <data folder> <backup|export> <file>
 *
 * It writes the line `restored <number>` or `refused <code>`, unbuffered.
 */
import { writeSync } from "node:fs";
import { restoreRecords } from "../../../src/backup/restore.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { model } from "../../../src/domain/model.ts";
import { Store } from "../../../src/store/store.ts";

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
