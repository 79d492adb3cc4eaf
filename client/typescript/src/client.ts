/**
 * The client. A call consists of attempts, each with a timeout. After a temporary failure, the client waits and repeats the
 * attempt, which the headers of the call make safe.
 */
import { Address, type Values } from "./address.ts";
import { CachedAnswers } from "./cached-answers.ts";
import { GameAddonError, GameAddonNetworkError, isFailure } from "./errors.ts";
import { product, reads } from "./generated/operations.ts";
import {
  type Arguments,
  type CallOptions,
  claimPath,
  type Path,
  type Result,
  streamPath,
} from "./operations.ts";
import { isTemporary, waitBefore } from "./retrying.ts";
import { platformTiming, type Timing } from "./timing.ts";
import { type Connected, type Watched, watch } from "./watch.ts";

/** The options of a client. */
export interface ClientOptions {
  /** The address of the service, such as `https://addon.example.org`. */
  readonly baseUrl: string;
  /** The caller's token: a secret. */
  readonly token: string;
  /** Sent as `User-Agent: <product>/2.5.1`. Browsers based on Chromium do not let pages set that header. */
  readonly addonVersion?: string;
  /** The timeout of an attempt, from 1 to 2,147,483,647; by default 10 seconds. */
  readonly timeoutMilliseconds?: number;
  /** The maximum number of retries of a call; by default 3. */
  readonly retries?: number;
  /** Sends requests; by default the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Time and randomness, for tests. */
  readonly timing?: Timing;
}

/** Where a caller keeps the token: only the player may be able to read it. */
export interface TokenStore {
  /** Returns the token; before there is one, null, undefined or an empty text. */
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(token: string): unknown;
}

/** The options of {@link GameAddonClient.claim}. */
export interface ClaimOptions extends Omit<ClientOptions, "token"> {
  /** The code of an invitation, as the player types it: in any case, with dashes, with spaces, or without. */
  readonly code: string;
  readonly store: TokenStore;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

interface AnyArguments extends CallOptions {
  readonly path?: Values;
  readonly query?: Values;
}

/** A call, prepared for any number of attempts. */
interface Call {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a read. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** How an attempt failed, and whether a retry may succeed. */
interface AttemptFailure {
  readonly error: GameAddonError | GameAddonNetworkError;
  readonly isTemporary: boolean;
  readonly retryAfter: string | null;
}

type Outcome = { readonly body: unknown } | AttemptFailure;

/**
 * A browser asks again by itself whether its cached answer has changed. With an `If-None-Match` of the page it would leave
 * out its cache, and also what it remembers of preflights (Fetch standard, "HTTP-network-or-cache fetch").
 */
const isBrowser = "document" in globalThis || "WorkerGlobalScope" in globalThis;

/** @throws TypeError for what a header cannot have: `fetch` says so in the same way as of a service that is away */
function requireHeader(name: string, value: string | undefined): void {
  if (value !== undefined && !/^[\x20-\x7e]*$/.test(value))
    throw new TypeError(`${name} must have printable ASCII characters only.`);
}

/** A client of the service. Neither its properties nor its errors contain the token. */
export class GameAddonClient {
  readonly #address: Address;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMilliseconds: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  readonly #timing: Timing;
  readonly #cache = isBrowser ? undefined : new CachedAnswers();

  /** @throws TypeError if an option is invalid */
  constructor(options: ClientOptions) {
    const { baseUrl, token, addonVersion, timeoutMilliseconds = 10_000, retries = 3 } = options;
    // Timers of platforms have 31 bits: a longer one would be over at once.
    if (!Number.isInteger(timeoutMilliseconds) || timeoutMilliseconds < 1 || timeoutMilliseconds >= 2 ** 31)
      throw new TypeError("timeoutMilliseconds must be a whole number from 1 to 2147483647.");
    if (!(Number.isInteger(retries) || retries === Infinity) || retries < 0)
      throw new TypeError("retries must be a whole number of 0 or more, or Infinity.");
    requireHeader("addonVersion", addonVersion);
    this.#address = new Address(baseUrl);
    this.#headers = {
      Accept: "application/json",
      Authorization: `Bearer ${toCredentials(token)}`,
      ...(addonVersion === undefined || product === "" ? {} : { "User-Agent": `${product}/${addonVersion}` }),
    };
    this.#timeoutMilliseconds = timeoutMilliseconds;
    this.#retries = retries;
    // In browsers, `fetch` must not be called as a method of another object.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#timing = options.timing ?? platformTiming;
  }

  /**
   * Returns a client with the token of the store; if that has none, with the token that an invitation gives, which it stores
   * first. Until that token is used, the same code gives another one. If a stored token is refused with `TOKEN_REVOKED` before
   * it was ever used, a later claim has replaced it: remove it from the store, and claim again.
   * @throws GameAddonError with `TOKEN_UNKNOWN`, `TOKEN_EXPIRED` or `TOKEN_REVOKED` for a code that is not valid (any more)
   * @throws GameAddonNetworkError, TypeError as {@link get}; TypeError for an empty code; and what the store throws
   */
  static async claim({ code, store, signal, ...options }: ClaimOptions): Promise<GameAddonClient> {
    const stored = (await store.get()) ?? "";
    if (stored.trim() !== "") return new GameAddonClient({ ...options, token: stored });
    const { addonVersion } = options;
    // No part of a code: spaces, and what no header can have, such as the long dashes that some keyboards make.
    const typed = String(code ?? "").replace(/[^\x21-\x7e]/g, "");
    if (typed === "") throw new TypeError("`code` is missing.");
    const invited = new GameAddonClient({ ...options, token: typed });
    const answer = await invited.#call(claimPath, { query: { addonVersion }, ...(signal && { signal }) });
    if (!isClaimed(answer)) throw invited.#otherAnswer({ idempotencyKey: undefined }, 200);
    const client = new GameAddonClient({ ...options, token: answer.token });
    await store.set(answer.token);
    return client;
  }

  /**
   * Calls an operation, which is a `GET` even if it changes data.
   * @param path as in the description, without the prefix: `/statistic/{player}/add`
   * @param options its parameters: `{ path: { player: "Ada" }, query: { type: "KILL" } }`
   * @throws GameAddonError if the service refuses
   * @throws GameAddonNetworkError if the service did not answer, after all retries
   * @throws TypeError if a path parameter is missing, or a parameter or the key is invalid
   */
  get<P extends Path>(path: P, ...options: Arguments<P>): Promise<Result<P>>;
  get(path: string, options: AnyArguments = {}): Promise<unknown> {
    return this.#call(path, options);
  }

  /**
   * Yields what changes, until the loop over it ends or the signal is aborted:
   * `for await (const news of client.watch()) if (news.type === "changed") …`. It connects again after a broken connection,
   * and waits a random time of up to 3 seconds before it yields `changed` or `missed`: fetch at once then.
   * @throws GameAddonError if the service refuses, such as a token that is revoked meanwhile; the signal's reason
   * @throws GameAddonNetworkError if what answers first is not the service, such as the login page of a network
   */
  watch({ signal }: Pick<CallOptions, "signal"> = {}): AsyncGenerator<Watched, never, undefined> {
    return watch((either) => this.#connect(either), this.#timing, signal);
  }

  /** Opens the stream. The timeout is for the head of the answer. */
  async #connect(signal: AbortSignal): Promise<Connected> {
    const call = { address: this.#address.of(streamPath, {}, {}), idempotencyKey: undefined };
    const head = new AbortController();
    const opening = new AbortController();
    let isLate = false;
    const stop = () => opening.abort(signal.reason);
    signal.addEventListener("abort", stop);
    const giveUp = () => {
      isLate = true;
      opening.abort();
    };
    this.#timing.sleep(this.#timeoutMilliseconds, head.signal).then(giveUp, () => {});
    try {
      signal.throwIfAborted();
      const headers = { ...this.#headers, Accept: "text/event-stream" };
      const response = await this.#send(call.address, headers, opening.signal);
      const { status, body } = response;
      const type = response.headers.get("content-type") ?? "";
      if (status === 200 && body !== null && type.startsWith("text/event-stream")) return { body };
      return this.#refusal(call, response, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      return this.#noAnswer(call, isLate ? undefined : error);
    } finally {
      // The signal lives as long as the watching: whoever reads the body listens to it next.
      signal.removeEventListener("abort", stop);
      head.abort();
    }
  }

  /** Sends a request. The service never redirects. Whatever does is something in between, which must not get the token. */
  #send(address: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    return this.#fetch(address, {
      headers,
      signal,
      redirect: "error",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  }

  async #call(path: string, options: AnyArguments): Promise<unknown> {
    const call = this.#prepare(path, options);
    for (let retry = 1; ; retry += 1) {
      const outcome = await this.#attempt(call);
      if ("body" in outcome) return outcome.body;
      const isOver = !outcome.isTemporary || retry > this.#retries;
      const wait = isOver ? undefined : waitBefore(retry, outcome.retryAfter, this.#timing);
      if (wait === undefined) throw outcome.error;
      await this.#timing.sleep(wait, call.signal);
    }
  }

  #prepare(template: string, { path = {}, query = {}, signal, idempotencyKey }: AnyArguments): Call {
    const address = this.#address.of(template, path, query);
    if (reads.has(template)) return { address, headers: this.#headers, idempotencyKey: undefined, signal };
    requireHeader("idempotencyKey", idempotencyKey);
    // An unknown operation may count. All attempts of the call have the same key.
    const key = idempotencyKey ?? newKey();
    return { address, headers: { ...this.#headers, "Idempotency-Key": key }, idempotencyKey: key, signal };
  }

  async #attempt(call: Call): Promise<Outcome> {
    const { address, signal, idempotencyKey } = call;
    signal?.throwIfAborted();
    const cached = idempotencyKey === undefined ? this.#cache?.get(address) : undefined;
    const headers = cached === undefined ? call.headers : { ...call.headers, "If-None-Match": cached.etag };
    const timeout = this.#timing.timeout(this.#timeoutMilliseconds);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let response: Response;
    let text: string;
    try {
      response = await this.#send(address, headers, either);
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      return this.#noAnswer(call, timeout.aborted ? undefined : error);
    }
    const { status } = response;
    if (status === 304 && cached !== undefined) return { body: JSON.parse(cached.text) };
    const body = toJSON(text);
    if (status === 200 && body !== undefined) {
      const etag = response.headers.get("etag");
      if (idempotencyKey === undefined && etag !== null) this.#cache?.put(address, { etag, text });
      return { body };
    }
    return this.#refusal(call, response, text);
  }

  #refusal(call: Pick<Call, "idempotencyKey">, { status, headers }: Response, text: string): AttemptFailure {
    const body = toJSON(text);
    const error = isFailure(body) ? new GameAddonError(status, body) : this.#otherAnswer(call, status);
    return { error, isTemporary: isTemporary(status), retryAfter: headers.get("retry-after") };
  }

  /** @param error what the platform threw; undefined for a timeout */
  #noAnswer({ idempotencyKey }: Pick<Call, "idempotencyKey">, error: unknown): AttemptFailure {
    const { origin } = this.#address;
    const trouble = error === undefined ? "timeout" : "connection";
    const message =
      error === undefined
        ? `The service at ${origin} did not answer within ${this.#timeoutMilliseconds} ms.`
        : `The service at ${origin} could not be reached${codeOf(error)}.`;
    const network = new GameAddonNetworkError(trouble, message, { idempotencyKey });
    return { error: network, isTemporary: true, retryAfter: null };
  }

  #otherAnswer({ idempotencyKey }: Pick<Call, "idempotencyKey">, status: number): GameAddonNetworkError {
    const message = `What answered at ${this.#address.origin} with ${status} was not the service.`;
    return new GameAddonNetworkError("answer", message, { status, idempotencyKey });
  }
}

/** The form of credentials in a header. */
const visible = /^[\x21-\x7e]+$/;

/**
 * Returns a token as a header can contain it.
 * @throws TypeError, which does not contain it. The platform's own error would.
 */
function toCredentials(token: string): string {
  if (typeof token !== "string" || token.trim() === "") throw new TypeError("`token` is missing.");
  if (visible.test(token.trim())) return token.trim();
  throw new TypeError("`token` must consist of visible ASCII characters, such as `gat_` and 43 more.");
}

function isClaimed(answer: unknown): answer is { readonly token: string } {
  if (typeof answer !== "object" || answer === null || !("token" in answer)) return false;
  return typeof answer.token === "string" && visible.test(answer.token);
}

/** Returns a new idempotency key. `randomUUID` is missing in pages without HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

function toJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the system's code of a failed connection, such as `ECONNREFUSED`. Its message may contain the address. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z_]+$/.test(code) ? ` (${code})` : "";
}
