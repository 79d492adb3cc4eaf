/** How a call fails: the service has refused it, or no answer of the service's came. Neither ever has the token. */
import type { FailureCode, Schemas } from "./operations.ts";

/** The service has answered with a failure. `message` is its `info`: a sentence for the player, to be shown. */
export class GameAddonError extends Error {
  override readonly name = "GameAddonError";
  /** What failed, for programs. */
  readonly code: FailureCode;
  /** The status of the answer. */
  readonly status: number;
  /** One sentence for the player. */
  readonly info: string;
  /** The parameter at fault, where one is. */
  readonly parameter: string | undefined;
  /** What to do about it, where something helps. */
  readonly hint: string | undefined;
  /** Names the request in the service's log: tell it to the operator. */
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

/** `connection`: nothing answered; `timeout`: not in time; `answer`: it was not the service that answered. */
export type NetworkTrouble = "connection" | "timeout" | "answer";

/**
 * No answer of the service's came. A change may have been made or not: the same call with the same `idempotencyKey` can
 * be made again in either case. There is no `cause`: what the platform throws can have the URL in it, and so the token.
 */
export class GameAddonNetworkError extends Error {
  override readonly name = "GameAddonNetworkError";
  readonly trouble: NetworkTrouble;
  /** The status of what answered, where something did. */
  readonly status: number | undefined;
  /** Under which key the change was sent; undefined for a read. */
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

/** Whether a body is a failure of the service's: what stands in between answers otherwise. */
export function isFailure(body: unknown): body is Schemas["Failure"] {
  if (typeof body !== "object" || body === null) return false;
  return "code" in body && typeof body.code === "string" && "info" in body && typeof body.info === "string";
}
