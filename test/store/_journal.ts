/** Segments with changes of any length, and a journal in a locked folder, for tests. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { tryLock } from "fs-native-extensions";
import { FolderLock } from "../../src/store/folder/lock.ts";
import { Journal } from "../../src/store/journal/journal.ts";
import { encodeLine } from "../../src/store/journal/lines.ts";
import { headerLine } from "../../src/store/journal/segment.ts";
import { temporaryFolder } from "../_setup.ts";
import { type Call, type Outcome, ruledFiles, segment } from "./_faults.ts";

/** A line of a change: about as many bytes long. Of a bulk change, `more` follow; all but the first are `further`. */
export interface Line {
  readonly sequence: number;
  readonly length?: number;
  readonly more?: true;
  readonly further?: true;
}

/** Returns the bytes of a segment, and where its lines begin after the header. */
export function segmentOf(first: number, lines: readonly Line[]): { bytes: Buffer; starts: number[] } {
  let chain = 99;
  const parts = [headerLine(first, chain, 0)];
  const starts: number[] = [];
  for (const { sequence, length = 0, more, further } of lines) {
    const after = { text: "x".repeat(length) };
    const changes = [{ collection: "notes", key: "a", before: null, after }];
    const origin = { instant: 0, who: "operator", operation: "test" };
    const document = { sequence, ...(further ? {} : origin), changes, ...(more ? { more } : {}) };
    const encoded = encodeLine(JSON.stringify(document), chain);
    chain = encoded.chain;
    starts.push(parts.reduce((sum, part) => sum + part.length, 0));
    parts.push(Buffer.from(encoded.line));
  }
  return { bytes: Buffer.concat(parts), starts };
}

/** What tests append. */
export const line = Buffer.from("a line\n");

/** A locked folder with a new journal, whose files obey a rule that can be changed. */
export class Bench {
  rule: (call: Call) => Outcome = () => undefined;

  readonly folder: string;
  readonly journal: Journal;

  constructor(folder: string, journal: Journal) {
    this.folder = folder;
    this.journal = journal;
  }

  static async open(t: TestContext): Promise<Bench> {
    const folder = await temporaryFolder(t);
    let bench: Bench | undefined;
    const files = ruledFiles((call) => bench?.rule(call));
    const lock = await FolderLock.take(files, folder);
    const journal = await Journal.create({ files, folder, lock }, 1, 99, 5);
    const opened = new Bench(folder, journal);
    bench = opened;
    t.after(async () => {
      opened.rule = () => undefined;
      await journal.close();
      await lock.release();
    });
    return opened;
  }

  path(first: number): string {
    return join(this.folder, segment(first));
  }

  contents(first: number): string {
    return readFileSync(this.path(first), "utf8");
  }
}

/** Returns whether another process could lock a file now; `length` bytes of it, if given. */
export function isFree(path: string, length?: number): boolean {
  const descriptor = openSync(path, "r+");
  const result = length === undefined ? tryLock(descriptor) : tryLock(descriptor, 0, length);
  closeSync(descriptor);
  return result;
}
