/**
 * The client. A call goes this way: its address; its headers, which make it safe to be sent again; an attempt, with a
 * timeout; and where that met a trouble that passes, a wait and another one.
 */
import { Address, type Values } from "./address.ts";
import { GameAddonError, GameAddonNetworkError, isFailure } from "./errors.ts";
import { reads } from "./generated/operations.ts";
import { KeptAnswers } from "./kept.ts";
import type { Arguments, CallOptions, Path, Result } from "./operations.ts";
import { isPassing, waitBefore } from "./retrying.ts";
import { platformTiming, type Timing } from "./timing.ts";

/** What a client is made with. */
export interface ClientOptions {
  /** The address of the service, such as `https://addon.example.org`. */
  readonly baseUrl: string;
  /** The caller's token: a secret. */
  readonly token: string;
  /** Told to the service as `User-Agent: gameaddon/2.5.1`. Chromium's browsers do not let a page set that header. */
  readonly addonVersion?: string;
  /** How long one attempt may take; 10 seconds if it is left out. */
  readonly timeoutMilliseconds?: number;
  /** How often a call is tried again; 3 times if it is left out. */
  readonly retries?: number;
  /** Sends the requests, in place of the platform's. */
  readonly fetch?: typeof fetch;
  /** Time and chance, for tests. */
  readonly timing?: Timing;
}

interface AnyGiven extends CallOptions {
  readonly path?: Values;
  readonly query?: Values;
}

/** A call, ready to be sent as often as it takes. */
interface Call {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a read. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** How an attempt failed, and whether another one may do better. */
interface Trouble {
  readonly error: GameAddonError | GameAddonNetworkError;
  readonly isPassing: boolean;
  readonly retryAfter: string | null;
}

type Outcome = { readonly body: unknown } | Trouble;

/** Asks the service. Nothing of it shows the token, nor do its errors. */
export class GameAddonClient {
  readonly #address: Address;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMilliseconds: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  readonly #timing: Timing;
  readonly #kept = new KeptAnswers();

  /** @throws TypeError where the address or the token can not be right */
  constructor(options: ClientOptions) {
    const { baseUrl, token, addonVersion, timeoutMilliseconds = 10_000, retries = 3 } = options;
    this.#address = new Address(baseUrl, token);
    this.#headers = {
      Accept: "application/json",
      ...(addonVersion === undefined ? {} : { "User-Agent": `gameaddon/${addonVersion}` }),
    };
    this.#timeoutMilliseconds = timeoutMilliseconds;
    this.#retries = retries;
    // A browser's own has to be called without an object in front of it.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#timing = options.timing ?? platformTiming;
  }

  /**
   * Calls an operation, which is a `GET` also where it changes data.
   * @param path as in the description, without the prefix: `/statistic/{player}/add`
   * @param given its parameters: `{ path: { player: "Ada" }, query: { type: "KILL" } }`
   * @throws GameAddonError where the service refuses
   * @throws GameAddonNetworkError where no answer of the service's came, after all retries
   * @throws TypeError where a parameter of the path is missing
   */
  get<P extends Path>(path: P, ...given: Arguments<P>): Promise<Result<P>>;
  async get(path: string, given: AnyGiven = {}): Promise<unknown> {
    const call = this.#prepare(path, given);
    for (let retry = 1; ; retry += 1) {
      const outcome = await this.#attempt(call);
      if ("body" in outcome) return outcome.body;
      const isOver = !outcome.isPassing || retry > this.#retries;
      const wait = isOver ? undefined : waitBefore(retry, outcome.retryAfter, this.#timing);
      if (wait === undefined) throw outcome.error;
      await this.#timing.sleep(wait, call.signal);
    }
  }

  #prepare(template: string, { path = {}, query = {}, signal, idempotencyKey }: AnyGiven): Call {
    const address = this.#address.of(template, path, query);
    if (reads.has(template)) return { address, headers: this.#headers, idempotencyKey: undefined, signal };
    // What is not known to be a read may be a counter. The key stays the same however often the call is sent.
    const key = idempotencyKey ?? newKey();
    return { address, headers: { ...this.#headers, "Idempotency-Key": key }, idempotencyKey: key, signal };
  }

  async #attempt(call: Call): Promise<Outcome> {
    const { address, signal, idempotencyKey } = call;
    signal?.throwIfAborted();
    const kept = idempotencyKey === undefined ? this.#kept.get(address) : undefined;
    const headers = kept === undefined ? call.headers : { ...call.headers, "If-None-Match": kept.etag };
    const timeout = this.#timing.timeout(this.#timeoutMilliseconds);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let response: Response;
    let text: string;
    try {
      // The service never sends a caller elsewhere: what does is something in between, and gets no token.
      response = await this.#fetch(address, {
        headers,
        signal: either,
        redirect: "error",
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      return this.#noAnswer(call, timeout.aborted ? undefined : error);
    }
    const { status } = response;
    if (status === 304 && kept !== undefined) return { body: JSON.parse(kept.text) };
    const body = toJSON(text);
    if (status === 200 && body !== undefined) {
      const etag = response.headers.get("etag");
      if (idempotencyKey === undefined && etag !== null) this.#kept.put(address, { etag, text });
      return { body };
    }
    const error = isFailure(body) ? new GameAddonError(status, body) : this.#otherAnswer(call, status);
    return { error, isPassing: isPassing(status), retryAfter: response.headers.get("retry-after") };
  }

  /** @param error what the platform threw; undefined for a timeout */
  #noAnswer({ idempotencyKey }: Call, error: unknown): Trouble {
    const { origin } = this.#address;
    const trouble = error === undefined ? "timeout" : "connection";
    const message =
      error === undefined
        ? `The service at ${origin} did not answer within ${this.#timeoutMilliseconds} ms.`
        : `The service at ${origin} could not be reached${codeOf(error)}.`;
    const network = new GameAddonNetworkError(trouble, message, { idempotencyKey });
    return { error: network, isPassing: true, retryAfter: null };
  }

  #otherAnswer({ idempotencyKey }: Call, status: number): GameAddonNetworkError {
    const message = `What answered at ${this.#address.origin} with ${status} was not the service.`;
    return new GameAddonNetworkError("answer", message, { status, idempotencyKey });
  }
}

/** A new key for a change. `randomUUID` is missing in pages that came without HTTPS. */
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

/** The system's code of a failed connection, such as `ECONNREFUSED`. Other words may have the address in them. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z_]+$/.test(code) ? ` (${code})` : "";
}
