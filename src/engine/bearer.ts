/** The token in the header `Authorization` (RFC 6750), for paths that have `-` in its place. */
import { Failure } from "../domain/errors.ts";
import type { IncomingRequest } from "./request.ts";

/** Returns whether the header has the token. @param inPath what the path has in the place of the token */
export function isInHeader(inPath: string): boolean {
  return inPath === "-";
}

/** The credentials of RFC 6750, section 2.1. The name of a scheme is in any case (RFC 9110, section 11.1). */
const credentials = /^bearer +([\w.~+/-]+=*)$/i;

const expected = '"Authorization: Bearer <token>"';

/**
 * Returns the token of a request. Several headers are refused, since a proxy in front may have used another one than the
 * service.
 * @param inPath as in {@link isInHeader}
 * @throws Failure `TOKEN_UNKNOWN`, which does not contain the value of the header
 */
export function tokenOf(request: Pick<IncomingRequest, "header">, inPath: string): string {
  if (!isInHeader(inPath)) return inPath;
  const value = request.header("authorization");
  if (value === null) {
    throw new Failure("TOKEN_UNKNOWN", "This request has no addon token.", {
      hint: `Send the header ${expected}, since the path has "-" in the place of the token.`,
    });
  }
  const token = credentials.exec(value)?.[1];
  if (token !== undefined) return token;
  throw new Failure("TOKEN_UNKNOWN", "The addon token of this request cannot be read.", {
    hint: `Expected one header ${expected}, got one of another form or several.`,
  });
}
