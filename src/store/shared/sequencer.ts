/**
 * The journal that several nodes share. It gives their changes one order: a node appends only after the change that it has
 * last, and otherwise takes over first what others have changed. `docs/several-machines.md` is about it.
 */
import { Failure } from "../../domain/errors.ts";
import { errorCode, reasonOf } from "../../domain/system-error.ts";

/** A place in the journal: the number of a change, and the checksum of its last line; both are 0 before the first. */
export interface Head {
  readonly sequence: number;
  readonly chain: number;
}

/** What an append adds: whole lines in pieces of about 1 MiB at most, and the head that they lead to. */
export interface Batch {
  readonly head: Head;
  readonly pieces: readonly Buffer[];
}

/** Appends unless another node was faster. Rejects where that is not known; the same append may be repeated then. */
export type Append = (after: Head, batch: Batch) => Promise<"appended" | "moved">;

/** Lines of the shared journal. */
export interface Lines {
  /** The number of the first change that they belong to. */
  readonly first: number;
  readonly bytes: Buffer;
}

/** What a node says of itself to the others. */
export interface NodeState {
  readonly sequence: number;
  /** The revision of its route table, or null before it is loaded. */
  readonly table: string | null;
}

/** What a node has said. */
export interface NodeReport extends NodeState {
  readonly name: string;
  /** How long ago that was, in milliseconds. */
  readonly age: number;
}

/** The state of the shared journal at a moment. */
export interface JournalState {
  /** The id of the journal, by which a folder knows it again. */
  readonly id: string;
  readonly head: Head;
  /** The clock of its machine, in milliseconds since 1970. */
  readonly now: number;
}

/** The shared journal, as one node uses it. Everything but {@link close} rejects where it cannot be reached. */
export interface Sequencer {
  /** What operators call the journal, without a password. */
  readonly name: string;
  readonly append: Append;
  /**
   * Lets nobody else append until `release`, for a bulk change.
   * @returns how to append meanwhile, once
   */
  hold(): Promise<{ readonly append: Append; release(): Promise<void> }>;
  /** Yields the lines after a change in order; the first may begin before it. */
  read(after: number): AsyncGenerator<Lines>;
  state(): Promise<JournalState>;
  /** Says what this node has, and returns what the others have said. */
  report(node: NodeState): Promise<readonly NodeReport[]>;
  /** Calls `wake` whenever there may be something to read. */
  watch(wake: () => void): Promise<void>;
  /** Offers the data after a change to new nodes; taken if it is far enough ahead of the last offer. */
  offerSnapshot(head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns the data that a new node begins with. */
  snapshot(): Promise<{ readonly head: Head; readonly pieces: AsyncIterable<Uint8Array> }>;
  /** Ends everything that waits. */
  close(): Promise<void>;
}

/** PostgreSQL refused an append for good: nothing was appended. */
export class AppendRefused extends Error {
  override readonly name = "AppendRefused";
}

/** The refusal while the shared journal cannot be used. @param why a sentence for the operator */
export function unshared(why: string): Failure {
  return new Failure("STORE_UNAVAILABLE", "The data cannot be saved at the moment. Nothing was changed.", {
    hint: "Try again in a moment.",
    operatorHint: why,
  });
}

/** Returns why the journal failed, for the operator: the client of PostgreSQL has words of its own for a lost connection. */
export function journalReason(error: unknown): string {
  const code = errorCode(error) ?? "";
  if (code === "CONNECT_TIMEOUT") return "PostgreSQL does not answer";
  return code.startsWith("CONNECTION_") ? "the connection to PostgreSQL was lost" : reasonOf(error);
}

/** What to do about an error, by its code: of Node, of the client, or of PostgreSQL (Appendix A of its documentation). */
const remedies: readonly (readonly [code: RegExp, remedy: string])[] = [
  [
    /^(?:E(?!RR_)[A-Z_]+|CONNECT.*)$/,
    "Check the address, and that PostgreSQL runs there, with TLS if sslmode asks for it.",
  ],
  [/^(?:28|3D)/, "Check the role, its password in PGPASSWORD, and the name of the database."],
  [
    /^42501$/,
    "Let an administrator run what `addon-cli journal init --print <role>` prints, then repeat the command.",
  ],
  [/^(?:3F000|42P01)$/, "A new journal begins with `addon-cli journal init`."],
];

/** The refusal of a journal that cannot be used at all. @param name see {@link Sequencer.name} */
export function unusableJournal(name: string, cause: unknown): Failure {
  const code = errorCode(cause) ?? "";
  const hint = remedies.find(([codes]) => codes.test(code))?.[1];
  const message = `The shared journal ${name} cannot be used: ${journalReason(cause)}.`;
  return new Failure("STORE_UNAVAILABLE", message, { ...(hint !== undefined && { hint }), cause });
}
