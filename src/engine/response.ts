/** Answers: bodies, headers and ETags; a {@link Failure} made into status and JSON. The one place that knows statuses. */
import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { HTTPResponse } from "h3";
import type { Failure, FailureCode } from "../errors.ts";

/** The status of each failure (contract, section 1). */
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
  EXCLUDED: 403,
  UNKNOWN_PATH: 404,
  UNKNOWN_PLAYER: 404,
  UNKNOWN_GROUP: 404,
  UNKNOWN_FACTION: 404,
  UNKNOWN_ENTRY: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  SPECULATIVE: 425,
  STORE_UNAVAILABLE: 503,
  SHUTTING_DOWN: 503,
  INTERNAL: 500,
};

/** Seconds after which a client may try again what failed with a 503. */
const retryAfterSeconds = "5";

/** The body of every failure (contract, section 1). */
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

/** What an answer consists of, before it is given to a transport. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** The headers of every answer. The token is in the path and there are no cookies, so any origin may read it. */
function commonHeaders(requestId: string): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After, X-Request-Id",
    "X-Request-Id": requestId,
  };
}

/** The answer of an operation that reads: with an ETag, and without a body where the client has it already. */
export function readAnswer(body: unknown, ifNoneMatch: string | null, requestId: string): Answer {
  const bytes = Buffer.from(JSON.stringify(body));
  const etag = `"${createHash("sha1").update(bytes).digest("base64url")}"`;
  const headers = { ...commonHeaders(requestId), ETag: etag, "Cache-Control": "private, no-cache" };
  if (ifNoneMatch !== null && matches(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, ...contentHeaders(bytes) }, body: bytes };
}

/** The answer of an operation that changed data: one sentence for the player. */
export function changeAnswer(info: string, requestId: string): Answer {
  const bytes = Buffer.from(JSON.stringify({ info }));
  const headers = { ...commonHeaders(requestId), "Cache-Control": "no-store", ...contentHeaders(bytes) };
  return { status: 200, headers, body: bytes };
}

/** The answer to a refusal. */
export function failureAnswer(
  failure: Failure,
  requestId: string,
  extra: Record<string, string> = {},
): Answer {
  const { status, body } = toFailureBody(failure, requestId);
  const bytes = Buffer.from(JSON.stringify(body));
  const retry: Record<string, string> = status === 503 ? { "Retry-After": retryAfterSeconds } : {};
  const headers = { ...commonHeaders(requestId), "Cache-Control": "no-store", ...retry, ...extra };
  return { status, headers: { ...headers, ...contentHeaders(bytes) }, body: bytes };
}

/** The answer to a CORS preflight. */
export function preflightAnswer(allow: string, requestId: string): Answer {
  const headers = {
    ...commonHeaders(requestId),
    Allow: allow,
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
    "Cache-Control": "no-store",
  };
  return { status: 204, headers, body: null };
}

/** The body of a failure, and its status. */
export function toFailureBody(failure: Failure, requestId: string): { status: number; body: FailureBody } {
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
  return { status, body };
}

/** The answer as h3 takes it. */
export function toHTTPResponse({ status, headers, body }: Answer): HTTPResponse {
  return new HTTPResponse(body, { status, statusText: STATUS_CODES[status] ?? "", headers });
}

function contentHeaders(bytes: Buffer): Record<string, string> {
  return { "Content-Type": "application/json; charset=utf-8", "Content-Length": String(bytes.length) };
}

function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
