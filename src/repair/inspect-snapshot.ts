/** Inspects a snapshot, piece by piece: its readable records, and every fault with its position. */
import { recordFault } from "../backup/record.ts";
import { snapshotFile } from "../store/folder/folder-names.ts";
import {
  miscounted,
  neitherRecordNorEnd,
  readSnapshotHeader,
  type SnapshotHeader,
  toSnapshotLine,
} from "../store/snapshot.ts";
import { type Fault, inspectHeader } from "./fault.ts";
import { LineScanner, type ScannedLine } from "./scan.ts";

/** A record of a snapshot, and its position. */
export interface PlacedRecord {
  readonly collection: string;
  readonly record: unknown;
  readonly offset: number;
  /** Whether the record fits the model. */
  readonly isSound: boolean;
}

/** The result of an inspection. */
export interface InspectedSnapshot {
  readonly file: string;
  /** The number of the last change that it contains, from its name. */
  readonly sequence: number;
  /** The checksum of that change; undefined where the header cannot be read. */
  readonly chain: number | undefined;
  /** The number of readable records. */
  readonly count: number;
  /** The lines that cannot be read. */
  readonly unreadable: readonly ScannedLine[];
  /** Whether all records are readable. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

/**
 * Inspects a snapshot.
 * @param sequence from its name
 * @param onRecord is called with each readable record
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  sequence: number,
  onRecord: (record: PlacedRecord) => void,
): Promise<InspectedSnapshot> {
  const inspection = new SnapshotInspection(sequence, onRecord);
  const scanner = new LineScanner([0], (line) => inspection.take(line));
  let length = 0;
  for await (const piece of pieces) {
    scanner.take(piece);
    length += piece.length;
  }
  scanner.end();
  return inspection.end(length);
}

class SnapshotInspection {
  readonly #sequence: number;
  readonly #onRecord: (record: PlacedRecord) => void;
  readonly #faults: Fault[] = [];
  readonly #unreadable: ScannedLine[] = [];
  #header: SnapshotHeader | undefined;
  #hasBegun = false;
  #count = 0;
  #hasEnded = false;
  /** Whether there are as many records as the last line says. */
  #isCounted = true;

  constructor(sequence: number, onRecord: (record: PlacedRecord) => void) {
    this.#sequence = sequence;
    this.#onRecord = onRecord;
  }

  take(line: ScannedLine): void {
    if (this.#hasBegun) this.#read(line);
    else this.#begin(line);
  }

  end(length: number): InspectedSnapshot {
    if (!this.#hasBegun) this.#begin(undefined);
    if (!this.#hasEnded && this.#unreadable.length === 0) this.#report(length, "the last line is missing");
    const isWhole = this.#hasEnded && this.#isCounted && this.#unreadable.length === 0;
    return {
      file: snapshotFile(this.#sequence),
      sequence: this.#sequence,
      chain: this.#header?.chain,
      count: this.#count,
      unreadable: this.#unreadable,
      complete: isWhole && (this.#header === undefined || this.#header.sequence === this.#sequence),
      faults: this.#faults,
    };
  }

  #begin(line: ScannedLine | undefined): void {
    this.#hasBegun = true;
    this.#header = inspectHeader(line, readSnapshotHeader, (offset, what) => this.#report(offset, what));
    if (this.#header !== undefined && this.#header.sequence !== this.#sequence) {
      this.#report(0, `the header says that it contains the changes up to ${this.#header.sequence}`);
    }
  }

  #read(line: ScannedLine): void {
    if (line.fault !== undefined) this.#report(line.offset, line.fault);
    if (!line.readable) {
      this.#unreadable.push(line);
      return;
    }
    if (this.#hasEnded) this.#report(line.offset, "there is a line after the last one");
    const parsed = toSnapshotLine(JSON.parse(line.json));
    if (parsed === undefined) {
      this.#report(line.offset, neitherRecordNorEnd, "content");
    } else if (parsed.end !== undefined) {
      this.#hasEnded = true;
      this.#isCounted = parsed.end === this.#count;
      if (!this.#isCounted && this.#unreadable.length === 0) {
        this.#report(line.offset, miscounted(parsed.end, this.#count));
      }
    } else {
      this.#count += 1;
      const { collection, record } = parsed;
      const fault = recordFault(collection, record);
      if (fault !== undefined) this.#report(line.offset, fault, "content");
      this.#onRecord({ collection, record, offset: line.offset, isSound: fault === undefined });
    }
  }

  #report(offset: number, what: string, kind: Fault["kind"] = "damage"): void {
    this.#faults.push({ file: snapshotFile(this.#sequence), offset, what, kind });
  }
}
