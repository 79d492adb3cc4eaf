/** Encodes the lines of a bulk change (`record-lines.ts`) one by one, so that it is never in memory as text. */
import type { JournalRecord, RecordChange } from "../change.ts";
import { LineEncoder } from "./encoding.ts";

/** The bytes of a line, at most, unless one record alone needs more. */
export const mostInLine = 1024 * 1024;
/** The bytes of a line beside the changes, at most: checksum, number, and who made the change. */
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

  /** The checksum of the last line, once all are encoded. */
  get chain(): number {
    return this.#chain;
  }

  /** Yields the lines. Each is overwritten when the next one is taken. */
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

/** Yields the changes as JSON, as many together as fit into a line. */
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
