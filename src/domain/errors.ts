/** Failures and their codes. They are independent of HTTP: `engine/response.ts` maps a code to a status. */

/** All failure codes, each with what it means to a client. The `REQUEST_…` codes are for faults below a complete request. */
export const meanings = {
  PARAMETER_MISSING: "A required parameter is missing; `parameter` names it.",
  PARAMETER_INVALID: "A value is invalid, or its percent-encoding is malformed; `parameter` names it.",
  PARAMETER_UNKNOWN:
    "The query has a parameter that the operation does not have; `hint` lists its parameters.",
  PARAMETER_REPEATED: "The query repeats a parameter; `parameter` names it.",
  REQUEST_MALFORMED: "The request is not valid HTTP, or HTTP/1.1 without a `Host`.",
  REQUEST_TIMEOUT: "The request took too long to arrive.",
  REQUEST_TOO_LARGE:
    "The path and the query have more than 8,000 characters, or the request line and the headers more than 16 KiB.",
  TOKEN_UNKNOWN: "The token is unknown, or the request has none.",
  TOKEN_EXPIRED: "The token has expired.",
  TOKEN_REVOKED: "The token was revoked.",
  RESTRICTED: "The caller may not call this operation; `info` says what it requires.",
  READ_ONLY: "The token is read-only, and the operation changes data.",
  EXCLUDED: "The caller is excluded from all operations; `info` may say why, and until when.",
  UNKNOWN_PATH: "There is no operation at this path; `hint` may name the nearest path.",
  UNKNOWN_PLAYER: "There is no such player.",
  UNKNOWN_GROUP: "There is no such group; `hint` lists up to 20.",
  UNKNOWN_FACTION: "There is no such faction; `hint` lists up to 20.",
  UNKNOWN_ENTRY: "There is no such entry.",
  METHOD_NOT_ALLOWED: "The operation does not have this method; the header `Allow` lists its methods.",
  CONFLICT: "An entry of that name exists with other values, or the list is full.",
  SPECULATIVE: "The request is speculative (a browser's prefetch, or early data). Nothing has changed.",
  RATE_LIMITED: "There were too many requests. Nothing has changed; repeat the request after `Retry-After`.",
  STORE_UNAVAILABLE: "The data cannot be saved at the moment. Nothing has changed; repeat the request later.",
  OUTCOME_UNKNOWN:
    "The change may have been saved, or not. Repeat the request with its `Idempotency-Key`, or look before you repeat it.",
  SHUTTING_DOWN: "The service is shutting down. Nothing has changed; repeat the request in a moment.",
  INTERNAL: "A bug in the service; its operator can find it by the `requestId`.",
} as const;

export type FailureCode = keyof typeof meanings;

export const failureCodes = Object.keys(meanings) as readonly FailureCode[];

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

/** Returns the refusal of a change that would differ from its preview. */
export function changedMeanwhile(): Failure {
  return new Failure("CONFLICT", "What this would change has been changed meanwhile.", {
    hint: "Repeat the command to see what it would change now; nothing was changed.",
  });
}
