/** Filled data folders, which measurements copy. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { Named } from "../../src/domain/model.ts";
import { say } from "../report/output.ts";
import { grouped } from "../report/quantity.ts";
import { seedFile } from "../run/project.ts";
import { temporaryFolder } from "../run/temporary.ts";
import { Dataset } from "./dataset.ts";
import { fill } from "./fill.ts";

/** A data folder, and the dataset that it contains. */
export interface Template {
  readonly dataset: Dataset;
  readonly folder: string;
}

const templates = new Map<string, Promise<Template>>();

/** Returns a data folder with so many players, and changes in its journal. It is filled when first asked for. */
export function template(size: number, journal = 0): Promise<Template> {
  const name = `data-${size}-${journal}`;
  const filled = templates.get(name) ?? fillTemplate(join(temporaryFolder, name), size, journal);
  templates.set(name, filled);
  return filled;
}

async function fillTemplate(folder: string, size: number, journal: number): Promise<Template> {
  const seed: Record<string, string[]> = parse(await readFile(seedFile, "utf8"));
  const names = (["group", "faction", "service"] as const).flatMap((kind) =>
    (seed[`${kind}s`] ?? []).map((name, position): Named => ({ name, kind, position })),
  );
  const dataset = new Dataset(size, names);
  const started = performance.now();
  await fill(folder, dataset, journal);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const changes = journal === 0 ? "" : ` and ${grouped(journal)} changes in the journal`;
  say(`filled a data folder with ${grouped(size)} players${changes} in ${seconds} s`);
  return { dataset, folder };
}
