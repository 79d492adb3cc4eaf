/**
 * All records as plain JSON, for other programs and from them:
 *
 *     {"format":"gameaddon-export","version":1,"exported":1790000000000,"collections":{"players":[{…}],…}}
 *
 * No token is in it, since none is kept; their hashes are.
 */
import * as v from "valibot";
import type { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import { ImportProblems } from "./import-problems.ts";
import { definitionOf, recordFault } from "./record.ts";

export const exportFormat = "gameaddon-export";
export const exportVersion = 1;

/** What an export holds. */
export interface ExportDocument {
  readonly format: typeof exportFormat;
  readonly version: typeof exportVersion;
  /** Milliseconds since 1970. */
  readonly exported: number;
  readonly collections: Readonly<Record<string, readonly unknown[]>>;
}

const documentSchema = v.object({
  format: v.literal(exportFormat),
  version: v.literal(exportVersion),
  exported: v.number(),
  collections: v.record(v.string(), v.array(v.unknown())),
});

/** The records of a database as a document. */
export function toExport(database: Database<typeof model>, now: number): ExportDocument {
  const collections = [...database.collections].map(([name, rows]) => [name, [...rows.values()]] as const);
  return {
    format: exportFormat,
    version: exportVersion,
    exported: now,
    collections: Object.fromEntries(collections),
  };
}

/** The text of an export: a record a line, so that two of them can be compared. */
export function formatExport({ collections, ...head }: ExportDocument): string {
  const lists = Object.entries(collections).map(([name, records]) => {
    const lines = records.map((record) => JSON.stringify(record)).join(",\n");
    return `${JSON.stringify(name)}:[${lines === "" ? "" : `\n${lines}\n`}]`;
  });
  return `${JSON.stringify(head).slice(0, -1)},"collections":{\n${lists.join(",\n")}\n}}\n`;
}

/**
 * Sets the records that an export holds in an empty database. A collection that it lacks stays empty.
 * @param file how problems name it
 * @throws ImportProblems that names every problem
 */
export function fromExport(text: string, file: string, database: Database): void {
  const { collections } = parse(text, file);
  const problems: string[] = [];
  let latest = 0;
  for (const [name, records] of Object.entries(collections)) {
    const definition = definitionOf(name);
    if (definition === undefined) {
      problems.push(`collections.${name}: there is no collection "${name}"`);
      continue;
    }
    const collection = database.collection(name);
    const keys = new Set<string>();
    for (const [index, record] of records.entries()) {
      const place = `collections.${name}[${index}]`;
      const fault = recordFault(name, record);
      if (fault !== undefined) {
        problems.push(`${place}: ${fault}`);
        continue;
      }
      const key = definition.key(record);
      if (keys.has(key)) problems.push(`${place}: there is a record of the key "${key}" before it`);
      keys.add(key);
      collection.set(key, record);
      latest = Math.max(latest, listedOf(record));
    }
  }
  if (problems.length > 0) throw new ImportProblems(file, problems);
  // Not 0, since a folder whose journal begins with change 1 would open empty were the snapshot lost; and behind
  // the changes that the target list is ordered by.
  database.sequence = latest + 1;
}

function parse(text: string, file: string): v.InferOutput<typeof documentSchema> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new ImportProblems(file, [`it is not JSON: ${(cause as Error).message}`]);
  }
  const parsed = v.safeParse(documentSchema, document);
  if (parsed.success) return parsed.output;
  const expected = `{"format":"${exportFormat}","version":${exportVersion},"exported":…,"collections":{…}} was expected`;
  const issues = parsed.issues.map((issue) => {
    const place = v.getDotPath(issue);
    return `${place ?? "the document"}: ${issue.message}; ${expected}`;
  });
  throw new ImportProblems(file, issues);
}

/** The number of a change that a record refers to, or 0: an entry of the target list has that of its listing. */
function listedOf(record: unknown): number {
  const { listed } = record as { listed?: unknown };
  return typeof listed === "number" ? listed : 0;
}
