/**
 * The journal's lines of a bulk change (`journal.ts` has their form). They are made one after another, so that the
 * whole change is never in memory as text.
 */
import type { RecordChange } from "../draft.ts";
import { LineEncoder } from "./encoding.ts";
import type { JournalRecord } from "./segment.ts";

/** How many bytes a line has at most, unless one record alone needs more. */
export const mostInLine = 1024 * 1024;
/** What a line has beside the changes: checksum, names, number, and who made the change. */
const roomForHead = 1024;

/** The lines of one bulk change. */
export class BulkLines {
  readonly #record: JournalRecord;
  readonly #encoder = new LineEncoder(mostInLine);
  #chain: number;

  /** @param chain the checksum of the line before */
  constructor(record: JournalRecord, chain: number) {
    this.#record = record;
    this.#chain = chain;
    this.#encoder.begin(chain);
  }

  /** The checksum of the last line, once all were made. */
  get chain(): number {
    return this.#chain;
  }

  /** The lines, each made when it is asked for, and gone when the next one is. */
  *pieces(): Generator<Uint8Array> {
    const { changes, ...head } = this.#record;
    let opening = JSON.stringify(head).slice(0, -1);
    for (const { text, isLast } of texts(changes)) {
      this.#chain = this.#encoder.add(`${opening},"changes":[${text}]${isLast ? "" : ',"more":true'}}`);
      yield this.#encoder.piece();
      opening = `{"sequence":${head.sequence}`;
    }
  }
}

/** The changes as JSON, as many together as a line has room for. */
function* texts(changes: readonly RecordChange[]): Generator<{ text: string; isLast: boolean }> {
  let line: string[] = [];
  let length = 0;
  for (const change of changes) {
    const text = JSON.stringify(change);
    const bytes = Buffer.byteLength(text) + 1;
    if (line.length > 0 && length + bytes > mostInLine - roomForHead) {
      yield { text: line.join(","), isLast: false };
      line = [];
      length = 0;
    }
    line.push(text);
    length += bytes;
  }
  yield { text: line.join(","), isLast: true };
}
