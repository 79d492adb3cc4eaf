/** Tokens: how they look, how they are kept, and whom they stand for (contract, section 2). */
import { hash as digest, randomBytes } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import type { Token } from "../domain/model.ts";
import type { Data, Draft } from "../store/data.ts";

const form = /^gat_[A-Za-z0-9_-]{43}$/;

/** Finds a token in a text. */
export const tokenInText = /gat_[A-Za-z0-9_-]{43}/i;
const tokensInText = new RegExp(tokenInText, "gi");

/** A text without the tokens that are in it: for logs, and for messages that repeat what somebody typed. */
export function withoutTokens(text: string): string {
  return text.replace(tokensInText, "gat_…");
}

/** What a token is issued with. */
export interface TokenDetails {
  /** The player's UUID; null for a public token. */
  readonly uuid: string | null;
  readonly label: string | null;
  readonly addonVersion: string | null;
  /** Whether it allows no changes. */
  readonly readOnly: boolean;
  /** Milliseconds since 1970, or null for one that does not expire. */
  readonly expiresAt: number | null;
}

/**
 * A new token of 256 random bits and its hash. The token itself is made where it is shown, and goes nowhere else.
 */
export function newToken(): { token: string; hash: string } {
  const token = `gat_${randomBytes(32).toString("base64url")}`;
  return { token, hash: hashOf(token) };
}

/** Keeps an issued token's hash. */
export function keepToken(draft: Draft, hash: string, details: TokenDetails, now: number): Token {
  const record: Token = { id: newId(draft), hash, ...details, issuedAt: now, revokedAt: null };
  draft.tokens.put(record);
  return record;
}

/** The record of a token. @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
export function requireToken(data: Data, token: string, now: number): Token {
  const [record] = form.test(token) ? data.tokens.find("hash", hashOf(token)) : [];
  if (record === undefined) throw unknownToken();
  requireLive(record, now);
  return record;
}

/** Refuses a token that can no longer be used. @throws Failure `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
export function requireLive(token: Token, now: number): void {
  if (isLive(token, now)) return;
  const hint = "Ask an operator for a new one.";
  if (token.revokedAt !== null) throw new Failure("TOKEN_REVOKED", "This addon token was revoked.", { hint });
  throw new Failure("TOKEN_EXPIRED", "This addon token has expired.", { hint });
}

/** The refusal of a token that has no record. */
export function unknownToken(): Failure {
  return new Failure("TOKEN_UNKNOWN", "This addon token is not known.", {
    hint: "Ask an operator for a token.",
  });
}

/** Whether a token can still be used. */
export function isLive(token: Token, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
}

/** The newest token of a player that can still be used. A client is a player who has one (contract, section 3). */
export function liveTokenOf(data: Pick<Data, "tokens">, uuid: string, now: number): Token | undefined {
  let newest: Token | undefined;
  for (const token of data.tokens.find("player", uuid)) {
    // Of two that were issued at the same instant, the one that came later.
    if (isLive(token, now) && (newest === undefined || token.issuedAt >= newest.issuedAt)) newest = token;
  }
  return newest;
}

/** The hash that is stored of a token; undefined for a text that is no token. */
export function hashOfToken(text: string): string | undefined {
  return form.test(text) ? hashOf(text) : undefined;
}

function hashOf(token: string): string {
  return digest("sha256", token, "hex");
}

/** Short enough to type, and never given twice. */
function newId(data: Data): string {
  for (;;) {
    const id = randomBytes(4).toString("hex");
    if (!data.tokens.has(id)) return id;
  }
}
