/** The errors of a call: the service has refused it, or did not answer. Neither contains the token. */
import type { FailureCode, Schemas } from "./operations.ts";

/** A refusal by the service. `message` is its `info`, a sentence to show to the player. */
export class GameAddonError extends Error {
  override readonly name = "GameAddonError";
  /** The failure, for programs. */
  readonly code: FailureCode;
  /** The status code of the answer. */
  readonly status: number;
  /** One sentence to show to the player. */
  readonly info: string;
  /** The parameter at fault, if any. */
  readonly parameter: string | undefined;
  /** What to do about it, if something helps. */
  readonly hint: string | undefined;
  /** Identifies the request in the service's log, for its operator. */
  readonly requestId: string;

  constructor(status: number, { info, code, parameter, hint, requestId }: Schemas["Failure"]) {
    super(info);
    this.code = code;
    this.status = status;
    this.info = info;
    this.parameter = parameter;
    this.hint = hint;
    this.requestId = requestId;
  }
}

/** `connection`: no connection; `timeout`: no answer in time; `answer`: an answer that is not the service's. */
export type NetworkTrouble = "connection" | "timeout" | "answer";

/**
 * The service did not answer. It may have made a change or not; in either case the same call can be repeated with the same
 * `idempotencyKey`. There is no `cause`, since the platform's error can contain the headers, and so the token.
 */
export class GameAddonNetworkError extends Error {
  override readonly name = "GameAddonNetworkError";
  readonly trouble: NetworkTrouble;
  /** The status code of an answer that is not the service's. */
  readonly status: number | undefined;
  /** The key of the change; undefined for a read. */
  readonly idempotencyKey: string | undefined;

  constructor(trouble: NetworkTrouble, message: string, details: NetworkDetails = {}) {
    super(message);
    this.trouble = trouble;
    this.status = details.status;
    this.idempotencyKey = details.idempotencyKey;
  }
}

interface NetworkDetails {
  readonly status?: number;
  readonly idempotencyKey?: string | undefined;
}

/** Whether a body is a failure of the service; a proxy answers in other forms. */
export function isFailure(body: unknown): body is Schemas["Failure"] {
  if (typeof body !== "object" || body === null) return false;
  return "code" in body && typeof body.code === "string" && "info" in body && typeof body.info === "string";
}
