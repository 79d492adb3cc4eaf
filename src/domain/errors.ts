/** The failures of the domain. Nothing here knows about HTTP: `engine/response.ts` turns a code into a status. */

/** Every code that a failure can carry (contract, section 1; the `REQUEST_…` ones are for faults below a whole request). */
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
  "STORE_UNAVAILABLE",
  "SHUTTING_DOWN",
  "INTERNAL",
] as const;

/** See {@link failureCodes}. */
export type FailureCode = (typeof failureCodes)[number];

/** What a failure can say beyond its code and its sentence. */
export interface FailureDetails {
  /** The parameter at fault. */
  readonly parameter?: string;
  /** What to do about it, as one sentence. */
  readonly hint?: string;
  /** What an operator does about it, where that is more than a caller should know: for the log and the command line. */
  readonly operatorHint?: string;
  /** What went wrong underneath: for the log, never for the caller. */
  readonly cause?: unknown;
}

/** A refusal that a person can act on. `message` is one sentence for that person. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly parameter: string | undefined;
  readonly hint: string | undefined;
  readonly operatorHint: string | undefined;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.parameter = details.parameter;
    this.hint = details.hint;
    this.operatorHint = details.operatorHint;
  }
}
