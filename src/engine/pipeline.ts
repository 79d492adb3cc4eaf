/**
 * The pipeline: the steps of a request, in the contract's order (section 1). Each can end it with a failure:
 *
 * 1. path: `UNKNOWN_PATH`
 * 2. method: `METHOD_NOT_ALLOWED`, and for a change that a browser fetches ahead of time `SPECULATIVE`
 * 3. token: `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
 * 4. exclusion: `EXCLUDED`
 * 5. read-only token, for a change: `READ_ONLY`
 * 6. the parameters that the restriction depends on, then the restriction: `RESTRICTED`
 * 7. the other parameters: `PARAMETER_…`, `UNKNOWN_…`
 * 8. the operation: its own failures
 * 9. the answer
 */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { isExcluded, isOperationAllowed } from "../table/authorization.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import { describe, type Input, isAllowed } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { bearerToken, isInHeader } from "./bearer.ts";
import { ReadyBody } from "./body.ts";
import { Exchange, methodNotAllowed, type Observer } from "./exchange.ts";
import { RequestInput } from "./input.ts";
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
  /** Called for every request with a valid token, with the addon version of its `User-Agent`. */
  readonly seen?: (caller: Caller, version: string | undefined) => void;
}

const idempotencyHeader = "Idempotency-Key";
/** The headers by which browsers mark a request that they send ahead of time. */
const purposeHeaders = ["sec-purpose", "purpose", "x-moz"];
const readMethods = "GET, HEAD, OPTIONS";
const changeMethods = "GET, OPTIONS";

/** See the head of this file. A read is answered synchronously; a change, when it is durable. */
export class Pipeline {
  readonly #options: EngineOptions;
  readonly #router: Router;
  readonly #request: IncomingRequest;
  readonly #match: Match | undefined;
  readonly #exchange: Exchange;
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

  #steps(): Answer | Promise<Answer> {
    const { params, route, token } = this.#requireMatch();
    const { method } = this.#request;
    const { effect } = route.operation;
    if (method === "OPTIONS") return preflightAnswer(methodsOf(route), this.#exchange.requestId);
    if (method !== "GET" && !(method === "HEAD" && effect === "read")) throw methodNotAllowed(method);
    if (effect === "change") refuseSpeculative(this.#request);

    const caller = this.#authenticate(token);
    this.#refuseExcluded(caller);
    refuseReadOnly(route, caller);

    const input = new RequestInput(route, this.#options, { params, search: this.#request.search });
    this.#input = input;
    const decisive = input.decisive();
    this.#refuseRestricted(route, caller, decisive);

    const values = toOperationInput(route, input.all());
    const result = this.#runOperation(route, caller, decisive, values);
    return result instanceof Promise
      ? result.then((each) => this.#toAnswer(route, each))
      : this.#toAnswer(route, result);
  }

  /** @throws Failure `UNKNOWN_PATH` */
  #requireMatch(): Match {
    if (this.#match !== undefined) return this.#match;
    const { pathname } = this.#request;
    // Callers within the process give paths without the prefix.
    const isInternal = this.#exchange.caller !== undefined;
    const near = isInternal ? this.#router.nearest(pathname) : this.#router.nearestTo(pathname);
    const prefix = isInternal ? "" : this.#options.table.prefix;
    const hint =
      near === undefined ? prefix && `Paths begin with ${prefix}.` : `Did you mean ${prefix}${near}?`;
    throw new Failure("UNKNOWN_PATH", "There is no operation at this path.", hint === "" ? {} : { hint });
  }

  /** @throws Failure `TOKEN_…` */
  #authenticate(inPath: string): Caller {
    if (this.#exchange.caller !== undefined) return this.#exchange.caller;
    const { authenticate, seen, table } = this.#options;
    const token = isInHeader(inPath) ? bearerToken(this.#request.header("authorization")) : inPath;
    const caller = authenticate(token);
    this.#exchange.caller = caller;
    seen?.(caller, versionIn(this.#request.header("user-agent"), table.product));
    return caller;
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
    const { table } = this.#options;
    const { operation } = route;
    return operation.run(values, {
      caller,
      operation: route.handler,
      requestId: this.#exchange.requestId,
      table,
      idempotencyKey: operation.effect === "change" ? idempotencyKeyIn(this.#request) : undefined,
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

/** Checks values by the operation's own schema: an operator can widen a pattern of the table beyond what it supports. */
function toOperationInput(route: Route, values: Input): Input {
  if (route.parameters.length === 0) return values;
  const result = v.safeParse(route.operation.input, values);
  if (result.success) return result.output as Input;
  const [issue] = result.issues;
  const parameter = String(issue.path?.[0].key);
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is not right: ${issue.message}.`, { parameter });
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

/** @throws Failure `SPECULATIVE` for a request that a browser or a proxy sends ahead of time (contract, section 1) */
function refuseSpeculative(request: IncomingRequest): void {
  const isPrefetch = purposeHeaders.some((name) => /prefetch|prerender/i.test(request.header(name) ?? ""));
  if (!isPrefetch && request.header("early-data") !== "1") return;
  throw new Failure("SPECULATIVE", "This operation changes data and is not run ahead of time.");
}

/**
 * Returns the `Idempotency-Key`, without the quotes of a structured field.
 * @throws Failure `PARAMETER_INVALID`
 */
function idempotencyKeyIn(request: IncomingRequest): string | undefined {
  const value = request.header(idempotencyHeader.toLowerCase());
  if (value === null) return undefined;
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
