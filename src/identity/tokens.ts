/** Tokens: their form, their records and their validity. */
import { hash as digest, randomBytes } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import { codePattern } from "../domain/limits.ts";
import type { Token } from "../domain/model.ts";
import type { Data, Draft } from "../store/data.ts";

/** The source of a regular expression for a token. */
export const tokenPattern = "gat_[A-Za-z0-9_-]{43}";
const form = new RegExp(`^${tokenPattern}$`);

/**
 * Matches a token in a text, or the code of an invitation, which is exchanged for one. Also a token that was copied without its
 * last characters: they could be tried. No name of a player is as long.
 */
export const tokenInText = new RegExp(`gat_[\\w-]{36,}|${codePattern}`, "i");
const tokensInText = new RegExp(tokenInText, "gi");

/** Returns a text with its tokens and codes masked, for logs and for messages that quote input. */
export function withoutTokens(text: string): string {
  return text.replace(tokensInText, (found) => `${found.slice(0, "gat_".length).toLowerCase()}…`);
}

/** The properties of a token to issue. */
type TokenDetails = Pick<Token, "uuid" | "label" | "addonVersion" | "readOnly" | "expiresAt">;

/** Issues a token of 256 random bits, and stores its record. Nothing but the answer that shows it contains the token. */
export function issueToken(draft: Draft, details: TokenDetails, now: number) {
  const token = `gat_${randomBytes(32).toString("base64url")}`;
  const record: Token = { id: newId(draft), hash: hashOf(token), ...details, issuedAt: now, revokedAt: null };
  draft.tokens.put(record);
  return { token, record };
}

/** Returns the record of a valid token. @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
export function requireToken(data: Data, token: string, now: number): Token {
  const [record] = form.test(token) ? data.tokens.find("hash", hashOf(token)) : [];
  if (record === undefined) throw unknownToken();
  requireLive(record, now);
  return record;
}

/** Refuses a token that is no longer valid. @throws Failure `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
export function requireLive(token: Token, now: number): void {
  if (isLive(token, now)) return;
  const hint = "Ask an operator for a new token.";
  if (token.revokedAt !== null) throw new Failure("TOKEN_REVOKED", "This addon token was revoked.", { hint });
  throw new Failure("TOKEN_EXPIRED", "This addon token has expired.", { hint });
}

/** Returns the refusal of a token without a record. */
export function unknownToken(): Failure {
  return new Failure("TOKEN_UNKNOWN", "This addon token is unknown.", {
    hint: "Ask an operator for a token.",
  });
}

/** Whether a token is valid: neither revoked nor expired. */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
}

/** Returns a player's newest valid token, of those that are meant. A client is a player with one. */
export function liveTokenOf(
  data: Pick<Data, "tokens">,
  uuid: string,
  now: number,
  isMeant: (token: Token) => boolean = () => true,
): Token | undefined {
  let newest: Token | undefined;
  for (const token of data.tokens.find("player", uuid)) {
    // Of two tokens issued at the same instant, the later record wins.
    if (isMeant(token) && isLive(token, now) && (newest === undefined || token.issuedAt >= newest.issuedAt))
      newest = token;
  }
  return newest;
}

/** Returns the stored hash of a token; undefined for a text that is not a token. */
export function hashOfToken(text: string): string | undefined {
  return form.test(text) ? hashOf(text) : undefined;
}

/** Returns what is stored of a secret. */
export function hashOf(token: string): string {
  return digest("sha256", token, "hex");
}

/** Returns an unused id that is short enough to type. */
function newId(data: Data): string {
  for (;;) {
    const id = randomBytes(4).toString("hex");
    if (!data.tokens.has(id)) return id;
  }
}
