/**
 * Reads the source of a restore or an import: a backup, an export, or the data as it was after a change. All of it is read
 * and every record is checked before anything is changed. Backups are read in pieces, so that their bytes are never in
 * memory as a whole.
 */
import { constants, isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { basename, dirname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import { Database } from "../store/collection.ts";
import { type Files, piecesOf, readBytes, sizeOf } from "../store/folder/files.ts";
import { BrokenLine } from "../store/journal/lines.ts";
import { readState } from "../store/reading.ts";
import { readSnapshot } from "../store/snapshot.ts";
import {
  type CheckedData,
  describeInconsistency,
  findInconsistencies,
  type Inconsistency,
} from "./consistency.ts";
import { fromExport, notImportable } from "./export-format.ts";
import type { Overlay } from "./overlay.ts";
import { recordFault } from "./record.ts";
import { unreadable } from "./source-file.ts";

/** A source. Paths are absolute and the same for any process (`source-file.ts`): a command names what the service reads. */
export type Source =
  | { readonly kind: "backup"; readonly file: string }
  | { readonly kind: "export"; readonly file: string }
  | { readonly kind: "moment"; readonly sequence: number };

/**
 * Reads a source.
 * @param folder the data folder, for its own past
 * @param overlay receives the records; by default a new database does
 * @returns also when the backup was begun, in milliseconds since 1970, or null for any other source, a revision that changes
 *   when the source does, and the collections that an export lacks, and which count as empty
 * @throws Failure `UNKNOWN_ENTRY` where there is no such file or moment, `STORE_UNAVAILABLE` where it is damaged, too large
 *   or not a regular file
 * @throws Failure `PARAMETER_INVALID` where an export has invalid records
 */
export async function readSource(files: Files, folder: string, source: Source, overlay?: Overlay) {
  const read = await readUncounted(files, folder, source, () => overlay?.begin() ?? new Database(model));
  await overlay?.end();
  return { ...read, records: countOf(read.database) };
}

/** @param empty returns a database without records, for each attempt */
async function readUncounted(
  files: Files,
  folder: string,
  source: Source,
  empty: () => Database<typeof model>,
) {
  const missing: string[] = [];
  if (source.kind === "moment") {
    const { sequence } = source;
    const { database } = await readState(files, folder, model, { until: sequence, empty });
    const { sequence: last, chain } = database;
    if (last === sequence) return { database, instant: null, revision: `${last} ${chain}`, missing };
    throw new Failure("UNKNOWN_ENTRY", `There is no change ${sequence} yet; the last one is ${last}.`, {
      hint: "`addon-cli audit` lists the changes.",
    });
  }
  const database = empty();
  const { file } = source;
  if (source.kind === "backup") return { database, missing, ...(await readInto(files, file, database)) };
  const text = await readText(files, file);
  const revision = hash("sha256", text);
  return { database, instant: null, revision, missing: await fromExport(text, file, database) };
}

/**
 * Returns the inconsistencies in the result of a restore or an import, a sentence each. A backup may have some and still be
 * the best one available; an export may come from anywhere.
 * @throws Failure `PARAMETER_INVALID` where an export has some
 */
export async function problemsOf(source: Source, result: CheckedData): Promise<string[]> {
  const found = await findInconsistencies(result);
  if (source.kind !== "export" || found.length === 0) return found.map(describeInconsistency);
  throw notImportable(source.file, withoutRepetitions(found, result));
}

/** Says once that a collection has no records, and not of each record that refers to one of them. */
function withoutRepetitions(found: readonly Inconsistency[], result: CheckedData): string[] {
  const problems: string[] = [];
  const isEmpty = (name: "players" | "names") => [...result[name].values()].length === 0;
  const lacks = { players: isEmpty("players"), names: isEmpty("names") };
  const counts = { players: 0, names: 0 };
  for (const inconsistency of found) {
    const { what } = inconsistency;
    const refersTo = what.startsWith("there is no player ") ? "players" : "names";
    if (lacks[refersTo] && what.startsWith("there is no ")) counts[refersTo] += 1;
    else problems.push(describeInconsistency(inconsistency));
  }
  for (const [name, count] of Object.entries(counts)) {
    const records = count === 1 ? "a record refers" : `${count} records refer`;
    if (count > 0) problems.unshift(`collections.${name} is missing or empty, but ${records} to it`);
  }
  return problems;
}

/**
 * Reads a backup, compressed or not.
 * @throws Failure `UNKNOWN_ENTRY` where there is no such file, `STORE_UNAVAILABLE` where it is not a whole backup
 */
export function readBackup(files: Files, path: string) {
  return readSource(files, dirname(path), { kind: "backup", file: path });
}

async function readInto(files: Files, path: string, database: Database) {
  const check = (collection: string, record: unknown) => {
    const fault = recordFault(collection, record);
    if (fault !== undefined) throw notWhole(path, fault);
  };
  try {
    const { sequence, chain, instant } = await readSnapshot(unpacked(files, path), database, { check });
    return { instant, revision: `${sequence} ${chain} ${instant}` };
  } catch (error) {
    if (error instanceof BrokenLine) throw notWhole(path, `at byte ${error.offset}, ${error.message}`);
    if (error instanceof Failure) throw error;
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
}

/**
 * Reads a file whole, up to the size that it has now.
 * @param most the most bytes that it can have; by default what a string can have
 * @param hint what to do with a larger one
 * @throws Failure `UNKNOWN_ENTRY` where there is none, `STORE_UNAVAILABLE` where it is too large
 * @throws Failure `PARAMETER_INVALID` where it is not UTF-8
 */
export async function readText(
  files: Files,
  path: string,
  most = constants.MAX_STRING_LENGTH,
  hint = "Use `addon-cli data backup` and `data restore`, which have no such limit.",
): Promise<string> {
  const failed = (error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  };
  const size = await sizeOf(files, path).catch(failed);
  if (size > most) {
    const message = `${path} is too large: it has ${size} bytes, expected at most ${most}.`;
    throw new Failure("STORE_UNAVAILABLE", message, { hint });
  }
  const bytes = await readBytes(files, path, 0, size).catch(failed);
  // Invalid bytes must not become replacement characters in the data. A byte-order mark is skipped.
  if (!isUtf8(bytes)) {
    const hint = "Save it in that encoding, which spreadsheets call CSV UTF-8; nothing was changed.";
    throw new Failure("PARAMETER_INVALID", `${path} is not UTF-8.`, { hint });
  }
  return new TextDecoder().decode(bytes);
}

/** Yields the bytes of a file, decompressed if necessary. */
async function* unpacked(files: Files, path: string): AsyncGenerator<Uint8Array> {
  // Copies, since a stream reads ahead, and a piece is overwritten when the next one is taken.
  const copies = async function* () {
    for await (const piece of piecesOf(files, path)) yield Buffer.from(piece);
  };
  if (!(await isCompressed(files, path))) {
    yield* copies();
    return;
  }
  const gunzip = createGunzip();
  // Errors are thrown where the bytes are read.
  pipeline(Readable.from(copies()), gunzip, () => {});
  yield* gunzip as AsyncIterable<Uint8Array>;
}

async function isCompressed(files: Files, path: string): Promise<boolean> {
  for await (const piece of piecesOf(files, path)) return piece[0] === 0x1f && piece[1] === 0x8b;
  return false;
}

/**
 * Returns the file as a source, by its first bytes.
 * @throws Failure `PARAMETER_INVALID` where it is neither kind, or a compressed export
 */
export async function recognizeSource(files: Files, file: string): Promise<Source> {
  const compressed = await isCompressed(files, file);
  let head = "";
  try {
    for await (const piece of unpacked(files, file)) {
      head = Buffer.from(piece).toString("latin1");
      break;
    }
  } catch (error) {
    // The reader of a backup says what is wrong with a damaged one.
    if (!compressed) throw error;
  }
  // Of another encoding with a byte order mark, the reader of an export says which one it expects.
  const isExport = /^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)?[\s\0]*\{/.test(head);
  if (isExport && compressed) {
    throw new Failure("PARAMETER_INVALID", `${file} is an export that was compressed.`, {
      hint: "Unpack it first, for example with `gunzip`, and name the result; nothing was changed.",
    });
  }
  if (isExport) return { kind: "export", file };
  if (compressed || /^[0-9a-f]{8} \{/.test(head)) return { kind: "backup", file };
  throw new Failure("PARAMETER_INVALID", `${file} is neither a backup nor an export of all data.`, {
    hint: "`addon-cli roster apply` reads a roster, and `list import` the entries of a list; nothing was changed.",
  });
}

/** Returns the number of records in a database. */
export function countOf({ collections }: Database): number {
  return [...collections.values()].reduce((sum, { size }) => sum + size, 0);
}

function notWhole(path: string, what: string): Failure {
  return new Failure("STORE_UNAVAILABLE", `${basename(path)} is not a whole backup: ${what}.`, {
    hint: "Use another backup that `addon-cli data backup` has written; nothing was changed.",
  });
}
