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

/**
 * Reads the header of a file, and reports its faults.
 * @param line the first line, undefined where the file is empty
 * @returns undefined where it cannot be read
 * @throws NewerFormat as `read`
 */
export function inspectHeader<T>(
  line: ScannedLine | undefined,
  read: (json: string) => T,
  report: Report,
): T | undefined {
  if (line?.fault !== undefined) report(0, `the header: ${line.fault}`);
  if (line === undefined) report(0, "the file is empty");
  if (line?.readable !== true) return undefined;
  try {
    return read(line.json);
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    report(0, error.message);
    return undefined;
  }
}
