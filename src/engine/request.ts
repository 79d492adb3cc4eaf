/** A request as the engine reads it, and its headers that the engine interprets, among them the token (RFC 6750). */
import { Failure } from "../domain/errors.ts";
import { refuseToken } from "./input.ts";

/** A request, independent of the transport. */
export interface IncomingRequest {
  readonly method: string;
  /** The path with the prefix, percent-encoded; from within the process, without the prefix and as it is. */
  readonly pathname: string;
  /** The query, percent-encoded, with or without its question mark. */
  readonly search: string;
  /** The client's network address; undefined for a request from within the process. */
  readonly address: string | undefined;
  /**
   * Returns a header, within the bound of {@link interpretable}; of several with the same name, all values, joined by
   * `, `, where the transport has them.
   * @param name in lower case
   */
  header(name: string): string | null;
}

/** The longest header that is interpreted: clients send far shorter ones, and splitting one of 16 KiB takes milliseconds. */
export const longestHeader = 1000;

/**
 * Returns a header as it is interpreted. A longer one is read as empty rather than as absent, since the presence of some
 * counts: `Early-Data` is refused with any value, and an `Idempotency-Key` that is ignored would count a change twice.
 */
export function interpretable(header: string | null): string | null {
  return header !== null && header.length > longestHeader ? "" : header;
}

/** Parameters of a call from within the process; not percent-encoded. */
export type Query = readonly (readonly [name: string, text: string])[];

/** Returns the request of a call from within the process. @param path without the prefix */
export function internalRequest(path: string, query: Query): IncomingRequest {
  const search = new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])).toString();
  return { method: "GET", pathname: path, search, address: undefined, header: () => null };
}

const idempotencyHeader = "Idempotency-Key";
/** The headers by which browsers mark a request that they send ahead of time. */
const purposeHeaders = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/** Whether a browser asks with it what a web page may send (CORS). */
export function isPreflight(request: IncomingRequest): boolean {
  return request.method === "OPTIONS" && request.header("access-control-request-method") !== null;
}

/** Returns whether a browser or a proxy sends a request ahead of time. */
export function isSpeculative(request: IncomingRequest): boolean {
  const isAhead = (name: string) => /prefetch|prerender|preview/i.test(request.header(name) ?? "");
  // Several, or another value, mean "1" (RFC 8470, section 5.1): a client could otherwise hide what its proxy says.
  return purposeHeaders.some(isAhead) || request.header("early-data") !== null;
}

/**
 * Returns the `Idempotency-Key`, without the quotes of a structured field.
 * @throws Failure `PARAMETER_INVALID`
 */
export function idempotencyKeyIn(
  request: IncomingRequest,
  tokenForm: RegExp | undefined,
): string | undefined {
  const value = request.header(idempotencyHeader.toLowerCase());
  if (value === null) return undefined;
  refuseToken(tokenForm, idempotencyHeader, value);
  const key = value.replace(/^"(.*)"$/, "$1");
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new Failure("PARAMETER_INVALID", `${idempotencyHeader} must be 1 to 128 visible ASCII characters.`, {
    parameter: idempotencyHeader,
    hint: "A UUID does well.",
  });
}

/** Returns the addon version, unchecked, in a `User-Agent` such as `gameaddon/2.5.1 (…)`. */
export function versionIn(request: IncomingRequest, product: string | undefined): string | undefined {
  const userAgent = request.header("user-agent");
  if (userAgent === null || product === undefined) return undefined;
  // A header is Latin-1, so lower case has the same length.
  const start = ` ${userAgent}`.toLowerCase().indexOf(` ${product.toLowerCase()}/`);
  if (start === -1) return undefined;
  return userAgent.slice(start + product.length + 1).split(" ", 1)[0];
}

/** The credentials of RFC 6750, section 2.1. The name of a scheme is in any case (RFC 9110, section 11.1). */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

/** How failures show the header. */
const expectedCredentials = '"Authorization: Bearer <token>"';

/**
 * Returns the token of a request. Several headers are refused, since a proxy in front may have used another one than the
 * service.
 * @param inPath what the path has in the place of the token: `-` if it is in the header
 * @throws Failure `TOKEN_UNKNOWN`, which does not contain the value of the header
 */
export function tokenOf(request: Pick<IncomingRequest, "header">, inPath: string): string {
  if (inPath !== "-") return inPath;
  const value = request.header("authorization");
  if (value === null) {
    throw new Failure("TOKEN_UNKNOWN", "This request has no addon token.", {
      hint: `Send the header ${expectedCredentials}, since the path has "-" in the place of the token.`,
    });
  }
  const token = credentials.exec(value)?.[1];
  if (token !== undefined) return token;
  throw new Failure("TOKEN_UNKNOWN", "The addon token of this request cannot be read.", {
    hint: `Expected one header ${expectedCredentials}, got one of another form or several.`,
  });
}
