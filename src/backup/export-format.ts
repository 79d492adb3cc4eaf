/**
 * The format of exports: all records as plain JSON, to and from other programs. It has the hashes of tokens.
 *
 *     {"format":"gameaddon-export","version":1,"exported":1790000000000,"collections":{"players":[{…}],…}}
 */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { formerSchema, presentRecord } from "../domain/former.ts";
import { collectionNames, definitionOf, model, type Target } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { numbered } from "../domain/text.ts";
import type { Database } from "../store/collection.ts";
import { recordFault, suggest, unknownKeyIn } from "./record.ts";

const exportFormat = "gameaddon-export";
const exportVersion = 1;

const documentSchema = v.strictObject({
  format: v.literal(exportFormat),
  version: v.literal(exportVersion),
  /** Milliseconds since 1970. */
  exported: v.number(),
  collections: v.record(v.string(), v.array(v.unknown())),
});
type ExportDocument = v.InferOutput<typeof documentSchema>;

/** The names of files have twelve digits for the number of a change. Targets of other programs can have instants. */
const highestNumber = 10 ** 11;

/** Returns the export of a database. */
export function toExport(database: Database<typeof model>, now: number): ExportDocument {
  const collections = Array.from(database.collections, ([name, rows]): [string, unknown[]] => [
    name,
    [...rows.values()],
  ]);
  return {
    format: exportFormat,
    version: exportVersion,
    exported: now,
    collections: Object.fromEntries(collections),
  };
}

/** Returns the text of an export: one record per line, so that two exports can be compared. */
export function formatExport({ collections, ...head }: ExportDocument): string {
  const lists = Object.entries(collections).map(([name, records]) => {
    const lines = records.map((record) => JSON.stringify(record)).join(",\n");
    return `${JSON.stringify(name)}:[${lines === "" ? "" : `\n${lines}\n`}]`;
  });
  return `${JSON.stringify(head).slice(0, -1)},"collections":{\n${lists.join(",\n")}\n}}\n`;
}

/**
 * Sets the records of an export in an empty database, in slices. A collection that it lacks stays empty: an earlier
 * version may not have had it, and a person may have left it out.
 * @param file its name in problems
 * @returns the names of those collections
 * @throws Failure `PARAMETER_INVALID` with every problem
 */
export async function fromExport(text: string, file: string, database: Database): Promise<string[]> {
  const { collections } = parse(text, file);
  const problems: string[] = [];
  const keys = new Set<string>();
  const present = new Set<string>();
  let latest = 0;
  const slices = new Slices();
  for (const [name, records] of Object.entries(collections)) {
    const target = formerSchema(name) === undefined ? name : "entries";
    const definition = definitionOf(target);
    if (definition === undefined) {
      const suggestion = suggest(name, collectionNames);
      problems.push(`collections.${name}: there is no collection "${name}"${suggestion}`);
      continue;
    }
    const collection = database.collection(target);
    present.add(target);
    for (const [index, record] of records.entries()) {
      if (slices.isOver) await slices.next();
      const place = `collections.${name}[${index}]`;
      const fault = unknownKeyIn(name, record) ?? recordFault(name, record);
      if (fault !== undefined) {
        problems.push(`${place}: ${fault}`);
        continue;
      }
      const { record: entry } = presentRecord(name, record);
      const key = definition.key(entry);
      const isTwice = keys.size === keys.add(`${target} ${key}`).size;
      if (isTwice) problems.push(`${place}: another record before it has the key "${key}"`);
      collection.set(key, entry);
      if (name === "targets") latest = Math.max(latest, (record as Target).listed);
    }
  }
  if (problems.length > 0) throw notImportable(file, problems);
  if (latest > highestNumber) {
    const targets = database.collection("targets");
    for (const target of [...targets.values()] as Target[])
      targets.set(model.targets.key(target), { ...target, listed: target.listed - latest });
    latest = 0;
  }
  // Not 0: a folder whose journal begins with change 1 would open empty if the snapshot were lost. And after the changes by
  // which the target list is ordered.
  database.sequence = latest + 1;
  return collectionNames.filter((name) => !present.has(name));
}

/** Returns the refusal of a document that cannot be imported. */
export function notImportable(file: string, problems: readonly string[]): Failure {
  const count = numbered(problems.length, "problem");
  return new Failure("PARAMETER_INVALID", `${file} has ${count}; nothing was changed.`, { problems });
}

function parse(text: string, file: string): ExportDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw notImportable(file, [`it is not JSON: ${(cause as Error).message}`]);
  }
  const parsed = v.safeParse(documentSchema, document);
  if (parsed.success) return parsed.output;
  const expected = `expected {"format":"${exportFormat}","version":${exportVersion},"exported":…,"collections":{…}}`;
  const issues = parsed.issues.map((issue) => {
    const place = v.getDotPath(issue) ?? "the document";
    if (issue.expected !== "never") return `${place}: ${issue.message}; ${expected}`;
    return `${place}: unknown key${suggest(place, Object.keys(documentSchema.entries)) || `; ${expected}`}`;
  });
  throw notImportable(file, issues);
}
