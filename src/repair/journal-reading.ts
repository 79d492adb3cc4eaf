/** Reads the segments of a journal past damage, and finds where their changes do not follow each other. */
import { join } from "node:path";
import type { ClockSteps } from "../store/clock.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import { segmentFile } from "../store/folder/folder-names.ts";
import { readHead } from "../store/journal/decoding.ts";
import { incompleteHeader, type ReadRecord, readSegmentHeader } from "../store/journal/segment.ts";
import { inspectHeader, legibleIn, lostChanges, quote, type Report, range, withLegible } from "./fault.ts";
import type { Findings } from "./findings.ts";
import { extentOf, type Group, groupLines, tailOf, toChange } from "./inspect-segment.ts";
import { type ScannedLine, scanLines } from "./scan.ts";

/** The length of the shortest line of a change, in bytes: so many bytes cannot have been more changes. */
const shortestChange = 64;
/** The most lines of which is said what can be made out. */
const mostLegible = 20;

/** Lines that cannot be read. How many changes they were, only the number of the next one says. */
interface Gap {
  readonly file: string;
  readonly offset: number;
  /** In bytes. */
  length: number;
  /** What can be made out of the lines. */
  readonly legible: Set<string>;
}

/** The segment that is being read. */
interface CurrentSegment {
  readonly file: string;
  /**
   * The number of its first change and the checksum to which that is chained, which is undefined where the header cannot be
   * read; until it is known how they fit what was read before.
   */
  start: { readonly first: number; readonly chain: number | undefined } | undefined;
  /** Whether its next changes may be those that were read before. */
  overlaps: boolean;
  /** Whether its changes are those of other data. */
  isForeign: boolean;
}

/** What a {@link JournalReading} needs. */
export interface JournalOptions {
  readonly files: Files;
  readonly folder: string;
  /** Whether a service is writing to the newest segment. */
  readonly running: boolean;
  readonly findings: Findings;
  readonly clock: ClockSteps;
  /** Reads the snapshots up to a change, which may take the place of changes that cannot be read. */
  readonly readSnapshots: (sequence: number) => Promise<void>;
}

/** Usage: {@link read} each segment, then {@link end}. */
export class JournalReading {
  readonly #options: JournalOptions;
  readonly #findings: Findings;
  /** Lines that cannot be read, after the change that was reached. */
  #gap: Gap | undefined;
  /** The last segment with changes. */
  #previous = "";
  /** The last change of a segment of other data. */
  #foreign: { readonly file: string; readonly sequence: number; readonly chain: number } | undefined;
  /** The number of changes that were read. */
  changes = 0;
  /** The number of segments that end within their headers. */
  headless = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#findings = options.findings;
  }

  /** Reads the segment of a name. */
  async read(first: number, isNewest: boolean): Promise<void> {
    const findings = this.#findings;
    const { files, folder } = this.#options;
    const file = segmentFile(first);
    const segment: CurrentSegment = { file, start: undefined, overlaps: false, isForeign: false };
    const isReadable = await findings.unlessNewer(file, async () => {
      const path = join(folder, file);
      const report: Report = (...fault) => findings.report(file, ...fault);
      const head = await readHead(files, path);
      let line: ScannedLine | undefined;
      for await (const lines of scanLines([head], [0])) line ??= lines[0];
      if (line === undefined || line.incomplete) {
        report(0, incompleteHeader(head.length));
        this.#loseHeadless(file, head.length);
        return;
      }
      const header = inspectHeader(line, readSegmentHeader, report);
      if (header !== undefined && header.first !== first)
        report(0, `the header says that it begins with ${header.first}`);
      const chain = header === undefined ? findings.chain : header.chain;
      segment.start = { first: header?.first ?? first, chain: header?.chain };
      const pieces = piecesOf(files, path, line.end);
      const lines = scanLines(pieces, chain === undefined ? [] : [chain], line.end);
      for await (const { group, isLast } of groupLines(lines)) {
        for (const { line } of group)
          if (line.fault !== undefined && !line.incomplete) report(line.offset, line.fault);
        const tail = isLast ? tailOf(group) : undefined;
        const change = tail === "torn" ? undefined : toChange(group, report);
        await this.#link(segment);
        if (change !== undefined) await this.#advance(segment, change);
        else if (tail !== "torn" && !segment.isForeign) this.#widenGap(file, group);
        if (tail !== undefined) this.#takeTail(file, group, tail, isNewest);
      }
    });
    if (!isReadable) findings.forget();
    if (segment.start === undefined) return;
    if (segment.start.first > findings.sequence) return this.#link(segment, false);
    findings.remarks.push(
      `${file} has no changes: a failed snapshot created it, and the journal went on in the file before it.`,
    );
  }

  #widenGap(file: string, group: Group, isLegible = true): void {
    const { offset, length } = extentOf(group);
    this.#gap ??= { file, offset, length: 0, legible: new Set() };
    this.#gap.length += length;
    for (const { line } of isLegible ? group : []) {
      if (this.#gap.legible.size === mostLegible) return;
      const legible = legibleIn(line.json);
      if (legible !== null) this.#gap.legible.add(legible);
    }
  }

  /** Checks how a segment begins, once it has anything, or has ended. */
  async #link(segment: CurrentSegment, hasChanges = true): Promise<void> {
    const { file, start } = segment;
    if (start === undefined) return;
    segment.start = undefined;
    const { first, chain } = start;
    const findings = this.#findings;
    if (this.#foreign?.chain === chain && this.#foreign?.sequence === first - 1) {
      return this.#refuse(segment, 0, `it follows ${this.#foreign.file}`, hasChanges);
    }
    const begins = `it begins with change ${first}, but`;
    const lacking = range(findings.sequence + 1, first - 1);
    await this.skipTo(first - 1, file, 0, `${begins} the journal before it lacks ${lacking}`);
    if (first <= findings.sequence) {
      segment.overlaps = true;
      findings.report(file, 0, `${begins} the file before it has ${findings.sequence}`);
    } else if (chain !== undefined && findings.chain !== undefined && chain !== findings.chain) {
      const previous = this.#previous === "" ? "" : ` in ${this.#previous}`;
      this.#refuse(segment, 0, `it does not follow what was written before it${previous}`, hasChanges);
    }
  }

  /** Takes none of the further changes of a segment: they belong to other data. */
  #refuse(segment: CurrentSegment, offset: number, why: string, hasChanges = true): void {
    segment.isForeign = true;
    const { file } = segment;
    if (!hasChanges) this.#findings.report(file, offset, why);
    else this.#findings.damageAndLose(file, offset, `${why}: its changes belong to other data`);
  }

  async #advance(segment: CurrentSegment, change: ReadRecord): Promise<void> {
    const findings = this.#findings;
    const { file } = segment;
    const { record, chain, offset } = change;
    const { sequence } = record;
    this.changes += 1;
    this.#options.clock.take(record);
    const isOther =
      sequence === findings.sequence && findings.chain !== undefined && chain !== findings.chain;
    if (segment.overlaps && isOther) {
      this.#refuse(segment, offset, `it has another change ${sequence} than the file before it`);
    }
    if (segment.isForeign) {
      this.#foreign = { file, sequence, chain };
      return;
    }
    const unexpected = `expected change ${findings.sequence + 1}, got ${sequence}`;
    if (sequence <= findings.sequence) {
      const known = legibleIn(JSON.stringify(record));
      if (!segment.overlaps) findings.damageAndLose(file, offset, unexpected, known);
      return;
    }
    segment.overlaps = false;
    await this.skipTo(sequence - 1, file, offset, unexpected);
    for (const { collection, key, before } of record.changes) {
      const difference = findings.differing(collection, key, before);
      if (difference === undefined) continue;
      const was = quote(difference.known);
      const says = `change ${sequence} says that ${collection} ${key} was ${quote(before)}, but it was ${was}`;
      findings.report(file, offset, says, "content");
    }
    findings.advance(file, change);
    this.#previous = file;
    await this.#options.readSnapshots(sequence);
  }

  /**
   * Moves on to a change, after reading the snapshots before it. Changes that are missing are reported where they should
   * be: at the lines that cannot be read, if there are any.
   */
  async skipTo(sequence: number, file: string, offset: number, what: string): Promise<void> {
    const findings = this.#findings;
    const gap = this.#gap;
    this.#gap = undefined;
    const first = findings.sequence + 1;
    if (sequence >= first) {
      const lost = `${lostChanges(first, sequence)} here`;
      if (gap === undefined) findings.report(file, offset, what);
      else findings.report(gap.file, gap.offset, withLegible(lost, knownOf(gap)));
      findings.forget();
    }
    await this.#options.readSnapshots(sequence);
    if (sequence <= findings.sequence) return;
    const lost = lostChanges(findings.sequence + 1, sequence);
    findings.lose(gap?.file ?? file, gap?.offset ?? offset, lost, gap && knownOf(gap));
    findings.forget();
    findings.sequence = sequence;
  }

  /** Reports the lines at the end of the journal that cannot be read. */
  end(): void {
    if (this.#gap === undefined) return;
    const findings = this.#findings;
    const { file, offset, length } = this.#gap;
    const known = knownOf(this.#gap);
    const lost = lostChanges(findings.sequence + 1, undefined);
    findings.report(file, offset, withLegible(`${lost} here`, known));
    findings.lose(file, offset, lost, known);
    findings.forget();
    findings.highest = Math.max(findings.highest, findings.sequence + Math.ceil(length / shortestChange));
  }

  #loseHeadless(file: string, length: number): void {
    this.headless += 1;
    const what =
      `the changes that this file may have had: ${length} bytes of its header are left. ` +
      "It had none if an earlier version was killed while it created the file";
    this.#findings.lose(file, 0, what);
  }

  #takeTail(file: string, group: Group, tail: "whole" | "torn", isNewest: boolean): void {
    const findings = this.#findings;
    const { offset, length } = extentOf(group);
    if (!isNewest) {
      findings.report(file, offset, "the line is incomplete, and later segments exist");
      // It was whole once.
      if (tail === "torn") this.#widenGap(file, group, false);
    } else if (this.#options.running) {
      findings.remarks.push(
        `${file} ends in an incomplete line at byte ${offset}: the service is writing it.`,
      );
    } else if (tail === "whole") {
      findings.report(file, offset, "the line feed at the end is missing; the next start adds it");
    } else {
      const what = `the line is incomplete: ${length} bytes that were never acknowledged`;
      findings.report(file, offset, `${what}; the next start cuts them off`);
      findings.lose(file, offset, what);
    }
  }
}

function knownOf({ legible }: Gap): string | null {
  return legible.size === 0 ? null : [...legible].join("; ");
}
