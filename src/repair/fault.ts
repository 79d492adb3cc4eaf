/** Faults of data files. */
import { BrokenLine } from "../store/journal/lines.ts";
import type { ScannedLine } from "./scan.ts";

/**
 * A fault of a file. `damage` is what cannot be read or does not fit together; `content` is what was written whole and
 * says something impossible.
 */
export interface Fault {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  readonly kind: "damage" | "content";
}

/** Reports a fault of the file under inspection, by default damage. */
export type Report = (offset: number, what: string, kind?: Fault["kind"]) => void;

/** Returns what the JSON of a line seems to say: the operation and the records, as far as they can be made out. */
export function legibleIn(json: string): string | null {
  const parts = [
    ...[...json.matchAll(/"operation":"([\w.-]{1,64})"/g)].map(([, name]) => String(name)),
    ...[...json.matchAll(/"collection":"(\w{1,32})"(?:,"key":"((?:[^"\\]|\\.){1,128})")?/g)].map(
      ([, name, key]) => (key === undefined ? String(name) : `${name} ${key}`),
    ),
    ...[...json.matchAll(/"(?:name|reason)":"((?:[^"\\]|\\.){1,64})"/g)].map(([, text]) => String(text)),
  ];
  return parts.length === 0 ? null : [...new Set(parts)].slice(0, 8).join(", ");
}

/** Shortens the JSON of a record for a message. */
export function quote(record: unknown): string {
  if (record === null) return "absent";
  const json = JSON.stringify(record);
  return json.length <= 120 ? json : `${json.slice(0, 119)}…`;
}

/** Names some changes by their numbers. */
export function range(from: number, to: number): string {
  return from === to ? `change ${from}` : `changes ${from} to ${to}`;
}

/** Says which changes are lost. @param to the last one; undefined where that is unknown */
export function lostChanges(from: number, to: number | undefined): string {
  if (to === undefined) return `change ${from} and all after it are lost`;
  return `${range(from, to)} ${from === to ? "is" : "are"} lost`;
}

/** Adds what is legible to a fault. */
export function withLegible(what: string, known: string | null): string {
  return known === null ? what : `${what} (legible: ${known})`;
}

/**
 * Reads the header of a file from its first line, and reports its faults.
 * @returns undefined where it cannot be read
 * @throws NewerFormat as `read`
 */
export function inspectHeader<T>(
  line: ScannedLine,
  read: (json: string) => T,
  report: Report,
): T | undefined {
  if (line.fault !== undefined) report(0, `the header: ${line.fault}`);
  if (!line.readable) return undefined;
  try {
    return read(line.json);
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    report(0, error.message);
    return undefined;
  }
}
