/** Answers: status, headers and body. The only file that maps failure codes to statuses. */
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Failure, FailureCode } from "../domain/errors.ts";
import type { ReadyBody } from "./body.ts";
import type { Refusal } from "./limiter.ts";
import type { IncomingRequest } from "./request.ts";

export const statusOf: Readonly<Record<FailureCode, number>> = {
  PARAMETER_MISSING: 400,
  PARAMETER_INVALID: 400,
  PARAMETER_UNKNOWN: 400,
  PARAMETER_REPEATED: 400,
  REQUEST_MALFORMED: 400,
  REQUEST_TIMEOUT: 408,
  REQUEST_TOO_LARGE: 431,
  TOKEN_UNKNOWN: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_REVOKED: 401,
  RESTRICTED: 403,
  READ_ONLY: 403,
  EXCLUDED: 403,
  UNKNOWN_PATH: 404,
  UNKNOWN_PLAYER: 404,
  UNKNOWN_GROUP: 404,
  UNKNOWN_FACTION: 404,
  UNKNOWN_ENTRY: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  SPECULATIVE: 425,
  RATE_LIMITED: 429,
  STORE_UNAVAILABLE: 503,
  OUTCOME_UNKNOWN: 503,
  SHUTTING_DOWN: 503,
  INTERNAL: 500,
};

/** The `Retry-After` of a 503, in seconds. */
export const retryAfterSeconds = "5";

/** The `WWW-Authenticate` of a 401. The `code` in the body says more than RFC 6750's `error` could. */
export const authenticationScheme = "Bearer";

export interface FailureBody {
  readonly httpStatusCode: number;
  readonly httpStatus: string;
  /** One sentence for the player. */
  readonly info: string;
  readonly code: FailureCode;
  readonly requestId: string;
  readonly parameter?: string;
  readonly hint?: string;
}

/** An answer, independent of the transport. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, as Node writes them. */
  readonly headers: string[];
  readonly body: Buffer | null;
  /** What is written after {@link body}, until it ends. */
  readonly live?: LiveBody;
}

/** The body of an answer that goes on. Whoever gets one begins or ends it. */
export abstract class LiveBody {
  /** Begins to write. @param cutOff closes the connection at once */
  abstract begin(response: ServerResponse, cutOff: () => void): void;
  /** Ends it, at once if the client does not read. */
  abstract end(): void;
}

/** The headers of every answer. Any origin may read it: the caller sends the token itself, and there are no cookies. */
const commonHeaders = [
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  "X-Request-Id",
] as const;

const contentType = ["Content-Type", "application/json; charset=utf-8"] as const;
const notStored = ["Cache-Control", "no-store"] as const;
const revalidated = ["Cache-Control", "private, no-cache", "Vary", "Accept-Encoding"] as const;

/**
 * Returns the answer of a read, with an ETag; without a body if the client has it already. One that goes on has neither.
 * @param content the headers that describe the body, names and values in turn
 */
export function readAnswer(
  ready: ReadyBody | LiveBody,
  request: Pick<IncomingRequest, "method" | "header">,
  requestId: string,
  content: readonly string[] = contentType,
): Answer {
  if (ready instanceof LiveBody) return streamAnswer(ready, request, requestId);
  const { bytes, etag, encoding } = ready.for(request.header("accept-encoding"));
  const ifNoneMatch = request.header("if-none-match");
  const headers = [...commonHeaders, requestId, "ETag", etag, ...revalidated];
  if (ifNoneMatch !== null && ready.matches(ifNoneMatch)) return { status: 304, headers, body: null };
  headers.push(...content, "Content-Length", String(bytes.length));
  if (encoding !== undefined) headers.push("Content-Encoding", encoding);
  return { status: 200, headers, body: request.method === "HEAD" ? null : bytes };
}

/** Returns the answer that opens a stream of events; to HEAD, only its head. */
function streamAnswer(
  live: LiveBody,
  { method }: Pick<IncomingRequest, "method">,
  requestId: string,
): Answer {
  // nginx buffers an answer unless it says otherwise.
  const content = ["Content-Type", "text/event-stream", "X-Accel-Buffering", "no"];
  const headers = [...commonHeaders, requestId, ...notStored, ...content];
  if (method !== "HEAD") return { status: 200, headers, body: null, live };
  live.end();
  return { status: 200, headers, body: null };
}

/** Returns the answer of a change: one sentence for the player, or an object. */
export function changeAnswer(result: unknown, requestId: string): Answer {
  return jsonAnswer(200, typeof result === "object" ? result : { info: String(result) }, requestId);
}

export function failureAnswer(failure: Failure, requestId: string, extra: readonly string[] = []): Answer {
  const status = statusOf[failure.code];
  const { parameter, hint } = failure;
  const body: FailureBody = {
    httpStatusCode: status,
    httpStatus: STATUS_CODES[status] ?? "",
    info: failure.message,
    code: failure.code,
    requestId,
    ...(parameter === undefined ? {} : { parameter }),
    ...(hint === undefined ? {} : { hint }),
  };
  const retry = status === 503 ? ["Retry-After", retryAfterSeconds] : [];
  const challenge = status === 401 ? ["WWW-Authenticate", authenticationScheme] : [];
  return jsonAnswer(status, body, requestId, [...retry, ...challenge, ...extra]);
}

/**
 * Returns the headers of a 429, names and values in turn: `Retry-After`, and those of
 * draft-ietf-httpapi-ratelimit-headers, in the form of version 10. Its quota is the full bucket, its window the time that refills it.
 */
export function limitHeaders({ limit: { name, burst, perSecond }, seconds }: Refusal): string[] {
  const window = Math.max(1, Math.round(burst / perSecond));
  return [
    ...["Retry-After", String(seconds)],
    ...["RateLimit", `"${name}";r=0;t=${seconds}`],
    ...["RateLimit-Policy", `"${name}";q=${burst};w=${window}`],
  ];
}

/**
 * Returns the answer of a report about this moment, which nobody may store.
 * @param isAvailable whether the service takes requests; 503 otherwise
 */
export function reportAnswer(report: object, isAvailable: boolean, requestId: string): Answer {
  const retry = isAvailable ? [] : ["Retry-After", retryAfterSeconds];
  return jsonAnswer(isAvailable ? 200 : 503, report, requestId, retry);
}

/** Returns the answer to a CORS preflight. */
export function preflightAnswer(allow: string, requestId: string): Answer {
  const preflight = [
    ...["Allow", allow],
    ...["Access-Control-Allow-Methods", allow],
    // The wildcard does not cover it.
    ...["Access-Control-Allow-Headers", "*, Authorization"],
    ...["Access-Control-Max-Age", "86400"],
  ];
  return { status: 204, headers: [...commonHeaders, requestId, ...notStored, ...preflight], body: null };
}

function jsonAnswer(
  status: number,
  value: unknown,
  requestId: string,
  extra: readonly string[] = [],
): Answer {
  const body = Buffer.from(JSON.stringify(value));
  const content = [...contentType, "Content-Length", String(body.length)];
  return { status, headers: [...commonHeaders, requestId, ...notStored, ...extra, ...content], body };
}
