/**
 * The pipeline: the steps of a request, in the order of docs/architecture.md. Each can end it with a failure:
 *
 * 1. path: `UNKNOWN_PATH`
 * 2. method: `METHOD_NOT_ALLOWED`, and for a change that a browser fetches ahead of time `SPECULATIVE`
 * 3. token: `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
 * 4. limit: `RATE_LIMITED`
 * 5. exclusion: `EXCLUDED`
 * 6. read-only token, for a change: `READ_ONLY`
 * 7. the parameters that the restriction depends on: `PARAMETER_…`, `UNKNOWN_…`; then the restriction: `RESTRICTED`
 * 8. the other parameters: `PARAMETER_…`, `UNKNOWN_…`
 * 9. for a change, the form of its `Idempotency-Key`: `PARAMETER_INVALID`; then the operation: its own failures
 * 10. the answer
 *
 * A request that fails at one of the first three steps is counted before it is refused: as a read if its token is valid,
 * otherwise as `unknown`. A preflight ends at step 2, and counts as a request for a page.
 */
import { Failure } from "../domain/errors.ts";
import { isExcluded, isOperationAllowed } from "../table/authorization.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import { type Limit, limitFor } from "../table/limits.ts";
import type { Operation } from "../table/operation.ts";
import { describe, type Input, isAllowed } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { bearerToken, isInHeader } from "./bearer.ts";
import { ReadyBody } from "./body.ts";
import { Exchange, methodNotAllowed, type Observer } from "./exchange.ts";
import { RequestInput, refuseToken } from "./input.ts";
import type { Limiter } from "./limiter.ts";
import { reasonOf } from "./reason.ts";
import type { IncomingRequest } from "./request.ts";
import { type Answer, changeAnswer, preflightAnswer, readAnswer } from "./response.ts";
import type { Match, Router } from "./router.ts";

export interface EngineOptions extends Observer {
  readonly table: Table;
  readonly vocabulary: () => Vocabulary;
  /** Matches texts that contain a token; see {@link RequestInput}. */
  readonly tokenForm?: RegExp | undefined;
  /** Returns the caller that a token belongs to. @throws Failure `TOKEN_…` */
  readonly authenticate: (token: string) => Caller;
  /** Applies the limits of the table; undefined if they are off. */
  readonly limiter?: Limiter | undefined;
  /** Called for every request that passes step 3, with the addon version of its `User-Agent`. */
  readonly seen?: (caller: Caller, version: string | undefined) => void;
}

const idempotencyHeader = "Idempotency-Key";
/** The headers by which browsers mark a request that they send ahead of time. */
const purposeHeaders = ["sec-purpose", "purpose", "x-moz"];
const readMethods = "GET, HEAD, OPTIONS";
const changeMethods = "GET, OPTIONS";

/** See the head of this file. Nearly every read is answered synchronously; a change, when it is durable. */
export class Pipeline {
  readonly #options: EngineOptions;
  readonly #router: Router;
  readonly #request: IncomingRequest;
  readonly #match: Match | undefined;
  readonly #exchange: Exchange;
  /** Undefined if limits do not apply to the request. */
  readonly #limiter: Limiter | undefined;
  #input: RequestInput | undefined;

  /** @param caller for a request from within the process, which has no token */
  constructor(
    options: EngineOptions,
    router: Router,
    request: IncomingRequest,
    match: Match | undefined,
    caller?: Caller,
  ) {
    this.#options = options;
    this.#router = router;
    this.#request = request;
    this.#match = match;
    this.#exchange = new Exchange(options, request, this.#match?.route.path);
    this.#exchange.caller = caller;
    this.#limiter = caller === undefined ? options.limiter : undefined;
  }

  /** Answers the request, also if it fails. */
  run(): Answer | Promise<Answer> {
    const exchange = this.#exchange;
    try {
      const answer = this.#steps();
      if (!(answer instanceof Promise)) return exchange.end(answer);
      return answer.then(
        (each) => exchange.end(each),
        (error: unknown) => this.#refuse(error),
      );
    } catch (error) {
      return this.#refuse(error);
    }
  }

  /** Refuses the request because its path cannot be decoded. It counts as one that fails at the first step. */
  refuse(error: unknown): Answer {
    try {
      this.#limitFault(this.#router.tokenIn(this.#request.pathname));
    } catch (limited) {
      return this.#refuse(limited);
    }
    return this.#refuse(error);
  }

  #steps(): Answer | Promise<Answer> {
    const { params, route, token } = this.#requireMatch();
    const { method } = this.#request;
    const { effect } = route.operation;
    if (method === "OPTIONS") {
      this.#limitNetwork(this.#options.table.limits.pages, "Too many requests");
      return preflightAnswer(methodsOf(route), this.#exchange.requestId);
    }
    if (method !== "GET" && !(method === "HEAD" && effect === "read")) {
      this.#limitFault(token);
      throw methodNotAllowed(method);
    }
    if (effect === "change" && isSpeculative(this.#request)) {
      this.#limitFault(token);
      throw new Failure("SPECULATIVE", "This operation changes data and is not run ahead of time.");
    }

    const caller = this.#authenticate(token);
    this.#limitCaller(caller, limitFor(route, this.#options.table), effect);
    this.#refuseExcluded(caller);
    refuseReadOnly(route, caller);

    const input = new RequestInput(route, this.#options, { params, search: this.#request.search });
    this.#input = input;
    const decisive = input.decisive();
    this.#refuseRestricted(route, caller, decisive);

    const values = input.all();
    const result = this.#runOperation(route, caller, decisive, values);
    return result instanceof Promise
      ? result.then((each) => this.#toAnswer(route, each))
      : this.#toAnswer(route, result);
  }

  /** @throws Failure `UNKNOWN_PATH`, `RATE_LIMITED` */
  #requireMatch(): Match {
    if (this.#match !== undefined) return this.#match;
    const { pathname } = this.#request;
    // First, since the nearest path takes long to find.
    this.#limitFault(this.#router.tokenIn(pathname));
    // Callers within the process give paths without the prefix.
    const isInternal = this.#exchange.caller !== undefined;
    const near = isInternal ? this.#router.nearest(pathname) : this.#router.nearestTo(pathname);
    const prefix = isInternal ? "" : this.#options.table.prefix;
    const hint =
      near === undefined ? prefix && `Paths begin with ${prefix}.` : `Did you mean ${prefix}${near}?`;
    throw new Failure("UNKNOWN_PATH", "There is no operation at this path.", hint === "" ? {} : { hint });
  }

  /** @throws Failure `TOKEN_…`, `RATE_LIMITED` */
  #authenticate(inPath: string): Caller {
    if (this.#exchange.caller !== undefined) return this.#exchange.caller;
    const { seen, table } = this.#options;
    const caller = this.#callerOf(inPath);
    if (caller instanceof Failure) {
      this.#limitStranger();
      throw caller;
    }
    this.#exchange.caller = caller;
    seen?.(caller, versionIn(this.#request.header("user-agent"), table.product));
    return caller;
  }

  /** Returns the caller of the token in the path or the header, or its `TOKEN_…` failure. */
  #callerOf(inPath: string): Caller | Failure {
    try {
      const token = isInHeader(inPath) ? bearerToken(this.#request.header("authorization")) : inPath;
      return this.#options.authenticate(token);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  /** Counts a request that is refused before its token is checked. @throws Failure `RATE_LIMITED` */
  #limitFault(token: string | undefined): void {
    if (this.#limiter === undefined) return;
    const caller = token === undefined ? undefined : this.#callerOf(token);
    if (caller === undefined || caller instanceof Failure) this.#limitStranger();
    else this.#limitCaller(caller, this.#options.table.limits.reads, "read");
  }

  /** Counts a request with a valid token. @throws Failure `RATE_LIMITED` */
  #limitCaller(caller: Caller, limit: Limit | "off", effect: Operation["effect"]): void {
    if (limit === "off") return;
    const refusal = this.#limiter?.ofCaller(limit, caller, this.#request, effect);
    if (refusal !== undefined) this.#exchange.caller = caller;
    this.#exchange.limit(refusal, "Too many requests");
  }

  /** Counts a request without a valid token. @throws Failure `RATE_LIMITED` */
  #limitStranger(): void {
    const { unknown } = this.#options.table.limits;
    this.#limitNetwork(unknown, "Too many requests without a valid addon token");
  }

  /** Counts a request by the network that it comes from. @throws Failure `RATE_LIMITED` */
  #limitNetwork(limit: Limit | "off", what: string): void {
    if (limit !== "off") this.#exchange.limit(this.#limiter?.ofNetwork(limit, this.#request), what);
  }

  /** @throws Failure `EXCLUDED` */
  #refuseExcluded(caller: Caller): void {
    if (!isExcluded(this.#options.table, caller)) return;
    throw new Failure("EXCLUDED", "You are excluded from this service.");
  }

  /** @throws Failure `RESTRICTED`, and records what the caller lacked */
  #refuseRestricted({ restriction }: Route, caller: Caller, decisive: Input): void {
    if (isAllowed(restriction, caller, decisive)) return;
    this.#exchange.reason = reasonOf(restriction, caller, decisive);
    throw new Failure("RESTRICTED", `This operation is only for ${describe(restriction, decisive)}.`);
  }

  #runOperation(route: Route, caller: Caller, decisive: Input, values: Input): unknown {
    const { table, tokenForm } = this.#options;
    const { operation } = route;
    return operation.run(values, {
      caller,
      operation: route.handler,
      requestId: this.#exchange.requestId,
      table,
      idempotencyKey: operation.effect === "change" ? idempotencyKeyIn(this.#request, tokenForm) : undefined,
      authorize: (current) => {
        this.#refuseExcluded(current);
        refuseReadOnly(route, current);
        this.#refuseRestricted(route, current, decisive);
      },
      isAllowed: (other, input) => isOperationAllowed(table, caller, other, input),
    });
  }

  #toAnswer({ operation }: Route, result: unknown): Answer {
    const { requestId } = this.#exchange;
    if (operation.effect !== "read") return changeAnswer(String(result), requestId);
    const body = result instanceof ReadyBody ? result : new ReadyBody(result);
    const answer = readAnswer(body, this.#request, requestId);
    if (isInHeader(this.#match?.token ?? "")) answer.headers.push("Vary", "Authorization");
    return answer;
  }

  #refuse(error: unknown): Answer {
    const isUnknownEntry = error instanceof Failure && error.code === "UNKNOWN_ENTRY";
    // No entry can have a malformed text, and what is wrong with it helps the caller more.
    const cause = isUnknownEntry ? (this.#input?.malformed ?? error) : error;
    return this.#exchange.refuse(cause, this.#match === undefined ? "" : methodsOf(this.#match.route));
  }
}

/** @throws Failure `READ_ONLY` for a change with a read-only token */
function refuseReadOnly({ operation }: Route, caller: Caller): void {
  if (operation.effect === "read" || caller.readOnly !== true) return;
  throw new Failure("READ_ONLY", "This addon token is read-only and cannot change anything.", {
    hint: "Use a token that was issued without --read-only.",
  });
}

function methodsOf({ operation }: Route): string {
  return operation.effect === "read" ? readMethods : changeMethods;
}

/** Returns whether a browser or a proxy sends a request ahead of time. */
function isSpeculative(request: IncomingRequest): boolean {
  const isPrefetch = purposeHeaders.some((name) => /prefetch|prerender/i.test(request.header(name) ?? ""));
  // Several, or another value, mean "1" (RFC 8470, section 5.1): a client could otherwise hide what its proxy says.
  return isPrefetch || request.header("early-data") !== null;
}

/**
 * Returns the `Idempotency-Key`, without the quotes of a structured field.
 * @throws Failure `PARAMETER_INVALID`
 */
function idempotencyKeyIn(request: IncomingRequest, tokenForm: RegExp | undefined): string | undefined {
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
function versionIn(userAgent: string | null, product: string | undefined): string | undefined {
  if (userAgent === null || product === undefined) return undefined;
  const start = userAgent.startsWith(`${product}/`) ? 0 : indexOfProduct(userAgent, product);
  if (start === -1) return undefined;
  const version = userAgent.slice(start + product.length + 1);
  const end = version.indexOf(" ");
  return end === -1 ? version : version.slice(0, end);
}

/** Most clients name the product first, and as the table does. A header is Latin-1, so lower case has the same length. */
function indexOfProduct(userAgent: string, product: string): number {
  return ` ${userAgent}`.toLowerCase().indexOf(` ${product.toLowerCase()}/`);
}
