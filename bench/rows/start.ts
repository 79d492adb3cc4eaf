/** A start with much data against parsing the same data as one JSON document. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { model } from "../../src/domain/model.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { Store } from "../../src/store/store.ts";
import type { Bench, Template } from "../run/bench.ts";
import type { Pair, Side } from "../run/compare.ts";
import { execute } from "../run/execute.ts";
import { ensure } from "../run/failure.ts";
import { builtFolder, productService, projectFolder, routesFile } from "../run/project.ts";
import type { Settings } from "../settings.ts";
import { atMost, compareRow, type Row } from "./row.ts";

/** The row of this file. */
export function startRow({ large, journal }: Settings): Row {
  const [players, changes] = [large, journal].map((each) => each.toLocaleString("en-US"));
  return compareRow(
    `a start with ${players} players and a journal of ${changes} changes against JSON.parse of the same data`,
    atMost(3),
    "duration",
    startPair,
  );
}

/** Each measuring is a process of its own, which measures inside itself. */
async function startPair(bench: Bench): Promise<Pair> {
  const { workshop, settings } = bench;
  const template = await bench.template(settings.large, settings.journal);
  const document = workshop.path("same-data.json");
  const sequence = await writeDocument(template, document);
  return {
    ours: probe(async () => {
      // Each finds the folder as the last service has left it.
      const copy = await workshop.newFolder("start", template.folder);
      const args = [join(builtFolder, "probes", "open.js"), productService, copy, routesFile];
      const { stdout } = await execute(workshop, "open.js", process.execPath, args, { cwd: projectFolder });
      workshop.remove(copy);
      const told: { seconds: number; answered: number; status: number; sequence: number } =
        JSON.parse(stdout);
      ensure(told.status === 200, () => `the opened service answered with ${told.status}`);
      ensure(told.sequence === sequence, () => `${told.sequence} changes were opened, not ${sequence}`);
      return { seconds: told.seconds, details: { firstTopSeconds: told.answered - told.seconds } };
    }),
    other: probe(async () => {
      const args = [join(builtFolder, "probes", "parse.js"), document];
      const { stdout } = await execute(workshop, "parse.js", process.execPath, args);
      const told: { seconds: number; journal: number } = JSON.parse(stdout);
      ensure(told.journal === settings.journal, () => `${told.journal} changes were parsed`);
      return { seconds: told.seconds, details: {} };
    }),
    check: async () => {},
    stop: async () => workshop.remove(document),
  };
}

function probe(measure: () => Promise<{ seconds: number; details: Record<string, number> }>): Side {
  return {
    // What it reads comes into the system's memory.
    warm: async () => void (await measure()),
    async measure() {
      const { seconds, details } = await measure();
      return { value: seconds, details };
    },
  };
}

/**
 * Writes what a folder holds as one JSON document: its records, and the changes that are in its journal only.
 * @returns the number of the last change
 */
async function writeDocument({ folder }: Template, path: string): Promise<number> {
  const store = await Store.open({ folder, model });
  const file = await open(path, "w", 0o600);
  try {
    await file.write('{"records":{');
    for (const [at, name] of Object.keys(model).entries()) {
      const records = [...store.data[name as keyof typeof model].values()];
      await file.write(`${at === 0 ? "" : ","}${JSON.stringify(name)}:${JSON.stringify(records)}`);
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
