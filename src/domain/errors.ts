/** Failures and their codes. They are independent of HTTP: `engine/response.ts` maps a code to a status. */

/** All failure codes. The `REQUEST_…` codes are for faults below a complete request. */
export const failureCodes = [
  "PARAMETER_MISSING",
  "PARAMETER_INVALID",
  "PARAMETER_UNKNOWN",
  "PARAMETER_REPEATED",
  "REQUEST_MALFORMED",
  "REQUEST_TIMEOUT",
  "REQUEST_TOO_LARGE",
  "TOKEN_UNKNOWN",
  "TOKEN_EXPIRED",
  "TOKEN_REVOKED",
  "RESTRICTED",
  "READ_ONLY",
  "EXCLUDED",
  "UNKNOWN_PATH",
  "UNKNOWN_PLAYER",
  "UNKNOWN_GROUP",
  "UNKNOWN_FACTION",
  "UNKNOWN_ENTRY",
  "METHOD_NOT_ALLOWED",
  "CONFLICT",
  "SPECULATIVE",
  "RATE_LIMITED",
  "STORE_UNAVAILABLE",
  "OUTCOME_UNKNOWN",
  "SHUTTING_DOWN",
  "INTERNAL",
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** A place in a text. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something in a file that prevents its use. */
export interface Fault extends Position {
  /** What was expected, what it got, and the nearest valid name if one is near. */
  readonly message: string;
}

/** A file that cannot be used, and why. */
export interface FaultyFile {
  readonly file: string;
  readonly faults: readonly Fault[];
  /** The text as it was checked, to show the lines that are at fault; empty if that is not wanted. */
  readonly text: string;
}

/** What a failure may have beyond its code and its sentence. */
export interface FailureDetails {
  /** The parameter at fault. */
  readonly parameter?: string | undefined;
  /** What the caller can do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** What the operator can do about it, for the log and the command line: more than a caller should know. */
  readonly operatorHint?: string | undefined;
  /** Everything that is wrong, a sentence each, if that is more than the message says. */
  readonly problems?: readonly string[] | undefined;
  /** The route table, or the file of its tests, that is at fault. */
  readonly faultyFile?: FaultyFile | undefined;
  /** The underlying error, for the log, never for the caller. */
  readonly cause?: unknown;
}

/** A refusal that a person can act on; `message` is one sentence for that person. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly parameter: string | undefined;
  readonly hint: string | undefined;
  readonly operatorHint: string | undefined;
  readonly problems: readonly string[] | undefined;
  /** Private, so that a log of the error with its properties does not contain the file. */
  readonly #faultyFile: FaultyFile | undefined;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.parameter = details.parameter;
    this.hint = details.hint;
    this.operatorHint = details.operatorHint;
    this.problems = details.problems;
    this.#faultyFile = details.faultyFile;
  }

  get faultyFile(): FaultyFile | undefined {
    return this.#faultyFile;
  }
}
