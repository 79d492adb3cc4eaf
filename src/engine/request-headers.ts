/** The headers of a request that the engine interprets, but for the token's. */
import { Failure } from "../domain/errors.ts";
import { refuseToken } from "./input.ts";
import type { IncomingRequest } from "./request.ts";

const idempotencyHeader = "Idempotency-Key";
/** The headers by which browsers mark a request that they send ahead of time. */
const purposeHeaders = ["sec-purpose", "purpose", "x-moz"];

/** Returns whether a browser or a proxy sends a request ahead of time. */
export function isSpeculative(request: IncomingRequest): boolean {
  const isPrefetch = purposeHeaders.some((name) => /prefetch|prerender/i.test(request.header(name) ?? ""));
  // Several, or another value, mean "1" (RFC 8470, section 5.1): a client could otherwise hide what its proxy says.
  return isPrefetch || request.header("early-data") !== null;
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

/** Returns the addon version in a `User-Agent` such as `gameaddon/2.5.1 (…)`. */
export function versionIn(userAgent: string | null, product: string | undefined): string | undefined {
  if (userAgent === null || product === undefined) return undefined;
  // A header is Latin-1, so lower case has the same length.
  const start = ` ${userAgent}`.toLowerCase().indexOf(` ${product.toLowerCase()}/`);
  if (start === -1) return undefined;
  return userAgent.slice(start + product.length + 1).split(" ", 1)[0];
}
