/**
 * The route table in force. A file is put in force only if it has no faults; otherwise the table before it stays in force,
 * and `status` says so.
 */
import { setImmediate } from "node:timers/promises";
import type { Entry } from "../domain/entry.ts";
import { Failure, type Fault } from "../domain/errors.ts";
import { numbered } from "../domain/text.ts";
import type { TableFile } from "../explain/comparison.ts";
import type { TableSummary } from "../explain/summary.ts";
import type { DataStore } from "../store/data.ts";
import { revisionOf } from "../table/revision.ts";
import type { CheckedTable, Table, TableContext } from "../table/table.ts";
import { readTable } from "./read-table.ts";

export interface TableText {
  readonly file: string;
  readonly text: string;
}

/** Returns the failure of a faulty route table, or of the faulty file of its tests. */
export function faultsIn(file: string, faults: readonly Fault[], text: string): Failure {
  const lines = faults.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const count = numbered(faults.length, "fault");
  return new Failure("STORE_UNAVAILABLE", `${file} has ${count}:\n${lines.join("\n")}`, {
    faultyFile: { file, faults, text },
  });
}

/** Returns a checked text without faults. @throws Failure */
function requireSound(file: string, checked: CheckedTable, text: string) {
  if (checked.table === undefined) throw faultsIn(file, checked.faults, text);
  return checked;
}

/** Why the file was read: at the start, after a change, on a signal, or for a command. */
export type ReloadCause = "start" | "watch" | "signal" | "reload" | "rollback";

export interface TablePutInForce {
  readonly cause: ReloadCause;
  /** The table in force before it; undefined at the start. */
  readonly before: Table | undefined;
  readonly table: Table;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** What it changes, if it was reviewed. */
  readonly summary?: TableSummary | undefined;
}

/**
 * Decides whether a table takes effect that nobody has reviewed.
 * @param before the one in force
 * @returns what it changes, if known
 * @throws Failure if it does not
 */
export type Review = (table: Table, before: Table) => Promise<TableSummary | undefined>;

export interface Reloaded {
  /** The revision in force now. */
  readonly revision: string;
  /** Whether it has changed. */
  readonly changed: boolean;
}

/** The table in force, and the result of the last attempt to put another one in force. */
export interface TableStatus {
  readonly file: string;
  readonly revision: string;
  readonly routes: number;
  /** The time when it was put in force, in milliseconds since 1970. */
  readonly since: number;
  /** Why the last attempt was refused, or null. */
  readonly refused: {
    readonly at: number;
    readonly reason: string;
    readonly faults: readonly Fault[];
  } | null;
}

/** What a table in force is checked against: operations and names, and the entries in the data. */
export interface ServedContext extends TableContext {
  readonly store: Pick<DataStore, "betweenChanges"> & {
    readonly data: { readonly entries: Pick<DataStore["data"]["entries"], "values" | "watch"> };
  };
}

export class RouteTable<Mounted extends { readonly table: Table }> {
  readonly file: string;
  readonly #context: ServedContext;
  readonly #mount: (table: Table, findings: CheckedTable["findings"]) => Mounted;
  readonly #now: () => number;
  #note: (put: TablePutInForce) => Promise<void> = async () => {};
  #review: Review = async () => undefined;
  #mounted: Mounted | undefined;
  #since = 0;
  #refused: TableStatus["refused"] = null;
  /** The revision about which an operator is asked. */
  #asked: string | undefined;
  #reloading: Promise<unknown> = Promise.resolve();

  /** @param mount makes of a table what serves it; it gets what the table means for the entries */
  constructor(
    file: string,
    context: ServedContext,
    mount: (table: Table, findings: CheckedTable["findings"]) => Mounted,
    now: () => number,
  ) {
    this.file = file;
    this.#context = context;
    this.#mount = mount;
    this.#now = now;
  }

  /** What serves the table in force. A request stays with the one that it began with. */
  get mounted(): Mounted {
    if (this.#mounted === undefined) throw new Error("load() comes first");
    return this.#mounted;
  }

  get table(): Table {
    return this.mounted.table;
  }

  /**
   * Calls `note` for each table that is put in force from now on. It must not reject; the next table waits for it.
   * @param review is called before, for a file that has changed by itself, and on a signal
   */
  follow(note: (put: TablePutInForce) => Promise<void>, review = this.#review): void {
    this.#note = note;
    this.#review = review;
  }

  /** Returns the table in force, from the file if there is none yet. @throws Failure if there is no file, or it has faults */
  async load(): Promise<Table> {
    if (this.#mounted === undefined) await this.reload("start");
    return this.table;
  }

  /**
   * Reads the file again.
   * @param expected the revision that the caller has reviewed
   * @throws Failure if there is no file, or it has faults; `CONFLICT` for another revision. The old table stays in force.
   */
  reload(cause: ReloadCause = "reload", expected?: string): Promise<Reloaded> {
    // One after another: of two at once, the one with the older file could be the last to put it in force.
    const reloaded = this.#reloading.then(() => this.#reload(cause, expected));
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  /** Settles when no table is being read or noted any more. */
  async settled(): Promise<void> {
    await this.#reloading;
  }

  async #reload(cause: ReloadCause, expected: string | undefined): Promise<Reloaded> {
    const before = this.#mounted?.table;
    const { store } = this.#context;
    // The check of all entries takes slices: those that are set meanwhile are checked again.
    const setSince = new Map<string, Entry>();
    const unwatch = store.data.entries.watch((key, _, entry) => {
      if (entry === undefined) setSince.delete(key);
      else setSince.set(key, entry);
    });
    try {
      const { checked, summary } = await this.#noting(() => this.#read(cause, before));
      const { table } = checked;
      if (expected !== undefined && table.revision !== expected) {
        throw new Failure("CONFLICT", "The route table's file changed during the review.", {
          hint: "Repeat the command to see what it would change now.",
        });
      }
      if (before?.revision === table.revision) return { revision: table.revision, changed: false };
      // Others are served between checking and mounting, each of which takes some 30 ms.
      await setImmediate();
      await this.#noting(() =>
        // Nobody adds an entry between the last check and mounting.
        store.betweenChanges(async () => {
          requireSound(this.file, await this.#withFindings(checked, setSince.values()), table.text);
          this.#mounted = this.#mount(table, checked.findings);
        }),
      );
      this.#since = this.#now();
      await this.#note({ cause, before, table, since: this.#since, summary });
      return { revision: table.revision, changed: true };
    } finally {
      unwatch();
    }
  }

  /**
   * Lets a revision not take effect by itself: an operator is asked about it, and the answer may be no. Returns the
   * revision in force, which may be that one already.
   */
  async ask(revision: string): Promise<string> {
    this.#asked = revision;
    // One that is being read by itself takes effect before the question.
    await this.#reloading;
    return this.table.revision;
  }

  async #read(cause: ReloadCause, before: Table | undefined) {
    const { text } = await this.present();
    if (revisionOf(text) !== this.#asked) this.#asked = undefined;
    const checked = requireSound(this.file, await this.check(text), text);
    const { table } = checked;
    if (table.revision === this.#asked && cause === "watch" && table.revision !== before?.revision) {
      const why = "`addon-cli routes reload` has asked about it, and puts it in force after a yes";
      throw new Failure("CONFLICT", `Revision ${table.revision} does not take effect by itself: ${why}.`);
    }
    const isUnseen = cause === "watch" || cause === "signal";
    const summary =
      isUnseen && before !== undefined && before.revision !== table.revision
        ? await this.#review(table, before)
        : undefined;
    return { checked, summary };
  }

  /** Makes an attempt to put a table in force, or a part of one, and notes why it is refused. */
  async #noting<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      const result = await attempt();
      this.#refused = null;
      return result;
    } catch (error) {
      const at = this.#now();
      const faults = (error instanceof Failure && error.faultyFile?.faults) || [];
      this.#refused = { at, reason: (error as Error).message, faults };
      throw error;
    }
  }

  /** Returns the table as it is in the file now. @throws Failure if it cannot be read */
  async present(): Promise<TableText> {
    return { file: this.file, text: await readTable(this.file, true) };
  }

  /**
   * Returns a table, by default the one in force, without putting it in force.
   * @param isNext whether it is to be put in force, so that the entries in the data must fit it
   * @throws Failure if it has faults
   */
  async tableFile(other?: TableText, isNext = false): Promise<TableFile> {
    if (other === undefined) return { file: this.file, table: await this.load() };
    const { file, text } = other;
    const checked = isNext ? await this.check(text) : await this.#checkForm(text);
    return { file, table: requireSound(file, checked, text).table };
  }

  /** Checks a text, by default that of the file, without putting it in force. */
  async check(text?: string): Promise<CheckedTable> {
    const checked = await this.#checkForm(text ?? (await this.present()).text);
    return this.#withFindings(checked, this.#context.store.data.entries.values());
  }

  async #checkForm(text: string): Promise<CheckedTable> {
    // Loaded on demand: every command loads this file, but few read a table.
    const { checkTable } = await import("../table/table.ts");
    return checkTable(text, this.#context);
  }

  async #withFindings(checked: CheckedTable, entries: Iterable<Entry>): Promise<CheckedTable> {
    const { findingsOf } = await import("../operator/lists/findings.ts");
    const { withFindings } = await import("../table/table.ts");
    return withFindings(checked, await findingsOf(checked.lists, entries));
  }

  status(): TableStatus {
    const { revision, routes } = this.table;
    return { file: this.file, revision, routes: routes.length, since: this.#since, refused: this.#refused };
  }
}
