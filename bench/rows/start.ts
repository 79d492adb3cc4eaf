/** A start with much data against parsing the same data as one JSON document. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { model } from "../../src/domain/model.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { Store } from "../../src/store/store.ts";
import { template } from "../data/template.ts";
import { grouped } from "../report/quantity.ts";
import { ensure } from "../run/failure.ts";
import { probesFolder, productService, routesFile } from "../run/project.ts";
import { copyFolder, remove, runNode, temporaryPath } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { atMost, compareRow, type Pair } from "./row.ts";

const { large, journal } = settings;

/** The row of this file. */
export const startRow = compareRow(
  `a start with ${grouped(large)} players and a journal of ${grouped(journal)} changes against JSON.parse of the same data`,
  atMost(3),
  "duration",
  startPair,
);

/** Each sample is a process of its own, which measures itself. */
async function startPair(): Promise<Pair> {
  const { folder } = await template(large, journal);
  const document = temporaryPath("same-data.json");
  const sequence = await writeDocument(folder, document);
  const ours = async () => {
    const copy = await copyFolder(folder);
    const { stdout } = await runNode([join(probesFolder, "open.js"), productService, copy, routesFile]);
    remove(copy);
    const opened: { seconds: number; answered: number; status: number; sequence: number } =
      JSON.parse(stdout);
    ensure(opened.status === 200, () => `the opened service answered with ${opened.status}`);
    ensure(
      opened.sequence === sequence,
      () => `expected ${sequence} changes, the service opened ${opened.sequence}`,
    );
    return { value: opened.seconds, details: { firstTopSeconds: opened.answered - opened.seconds } };
  };
  const other = async () => {
    const { stdout } = await runNode([join(probesFolder, "parse.js"), document]);
    const parsed: { seconds: number; journal: number } = JSON.parse(stdout);
    ensure(parsed.journal === journal, () => `expected ${journal} changes, parsed ${parsed.journal}`);
    return { value: parsed.seconds, details: {} };
  };
  return { ours: { measure: ours }, other: { measure: other } };
}

/**
 * Writes what a folder holds as one JSON document: its records, and the changes that are only in its journal.
 * @returns the number of the last change
 */
async function writeDocument(folder: string, path: string): Promise<number> {
  const store = await Store.open({ folder, model });
  const file = await open(path, "w");
  try {
    await file.write('{"records":{');
    for (const [at, [name, records]] of Object.entries(store.data).entries()) {
      const list = JSON.stringify([...records.values()]);
      await file.write(`${at === 0 ? "" : ","}${JSON.stringify(name)}:${list}`);
    }
    const changes: string[] = [];
    for await (const record of readHistory(nodeFiles, folder)) changes.push(JSON.stringify(record));
    await file.write(`},"journal":[${changes.join(",")}]}`);
    return store.sequence;
  } finally {
    await file.close();
    await store.close();
  }
}
