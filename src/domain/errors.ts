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
  "SHUTTING_DOWN",
  "INTERNAL",
] as const;

export type FailureCode = (typeof failureCodes)[number];

/** What a failure may have beyond its code and its sentence. */
export interface FailureDetails {
  /** The parameter at fault. */
  readonly parameter?: string;
  /** What the caller can do about it, in one sentence. */
  readonly hint?: string;
  /** What the operator can do about it, for the log and the command line: more than a caller should know. */
  readonly operatorHint?: string;
  /** Everything that is wrong, a sentence each, if that is more than the message says. */
  readonly problems?: readonly string[];
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

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.parameter = details.parameter;
    this.hint = details.hint;
    this.operatorHint = details.operatorHint;
    this.problems = details.problems;
  }
}
