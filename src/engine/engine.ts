/**
 * The engine: answers requests by one route table. It serves any table with any operations and callers, which are its
 * options. The steps of a request, in the order of docs/architecture.md. Each can end it with a failure:
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
 * otherwise as `unknown`. One with the code of an invitation in the place of the token is counted as `unknown` as well, before
 * the code is looked up. A preflight ends at step 2, and counts as a request for a page. A request from within the
 * process has neither a token nor limits: it begins at step 5.
 */
import { Failure } from "../domain/errors.ts";
import { withTerms } from "../domain/terms.ts";
import { allowedInput, denialOf, exclusionOf } from "../table/authorization.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import type { Limit } from "../table/limits.ts";
import type { Operation } from "../table/operation.ts";
import { describe, type Input } from "../table/restriction/restriction.ts";
import { limitFor, type Route, type Table } from "../table/table.ts";
import { ReadyBody } from "./body.ts";
import { Exchange, methodNotAllowed, type Observer, readMethods, unknownPath } from "./exchange.ts";
import { RequestInput } from "./input.ts";
import type { Limiter } from "./limiter.ts";
import { type Node, onceFit, withSequence } from "./node.ts";
import { decisionReason } from "./reason.ts";
import {
  type IncomingRequest,
  idempotencyKeyIn,
  internalRequest,
  isPreflight,
  isSpeculative,
  type Query,
  tokenOf,
  versionIn,
} from "./request.ts";
import { type Answer, changeAnswer, LiveBody, preflightAnswer, readAnswer } from "./response.ts";
import { type Match, Router } from "./router.ts";

export interface EngineOptions extends Observer {
  readonly table: Table;
  readonly vocabulary: () => Vocabulary;
  /** Matches texts that contain a token; see {@link RequestInput}. */
  readonly tokenForm?: RegExp | undefined;
  /** Returns the caller that a token belongs to. @throws Failure `TOKEN_…` */
  readonly authenticate: (token: string) => Caller;
  /** Applies the limits of the table; undefined if they are off. */
  readonly limiter?: Limiter | undefined;
  /** Its machine, if several share a journal. */
  readonly node?: Node | undefined;
  /** Called for every request that passes step 3, with the addon version of its `User-Agent`. */
  readonly seen?: (caller: Caller, version: string | undefined) => void;
}

/** What the engine decides about a call without running its operation. */
export interface CallDecision {
  /** The failure of steps 5 to 8; undefined if the operation would run. */
  readonly failure: Failure | undefined;
  /** The parameters that the restriction depends on; undefined if one is invalid or missing. */
  readonly decisive: Input | undefined;
  /** The failure of the parameters that the call has, whatever is missing; undefined if they are valid. */
  readonly fault: Failure | undefined;
}

const changeMethods = "GET, OPTIONS";

/** Nearly every read is answered synchronously; a change, when it is durable. */
export class Engine {
  readonly table: Table;
  readonly router: Router;
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.table = options.table;
    this.router = new Router(options.table);
    this.#options = options;
  }

  /** Answers a request, also if it fails. */
  answer(request: IncomingRequest): Answer | Promise<Answer> {
    const match = this.router.match(request.pathname);
    const exchange = new Exchange(this.#options, request, match?.route.path);
    const { node } = this.#options;
    const steps = () => this.#answer(exchange, match);
    const allow = methodsOf(match);
    // A browser would take a preflight that fails for a lost connection.
    if (node === undefined || request.method === "OPTIONS") return exchange.answer(steps, allow);
    const count = () => this.#limitFault(exchange, match?.token ?? this.router.tokenIn(request.pathname));
    return withSequence(
      node,
      exchange.answer(() => onceFit(node, request, count, steps), allow),
    );
  }

  /** Refuses a request because its path cannot be decoded. It counts as one that fails at the first step. */
  refuse(request: IncomingRequest, error: unknown): Answer {
    const exchange = new Exchange(this.#options, request);
    const limited = attempt(() => this.#limitFault(exchange, this.router.tokenIn(request.pathname)));
    return exchange.refuse(limited ?? error, "");
  }

  /** Counts a request for a page. @throws Failure `RATE_LIMITED` */
  limitPage(exchange: Exchange): void {
    this.#limit(exchange, this.table.limits.pages);
  }

  /**
   * Runs an operation for a caller without a token, such as the operator, through the same steps as a request.
   * @param path without the prefix, such as `/targetlist/add`; not percent-encoded
   * @param known the route, for a page, whose request is logged instead of this one
   */
  call(path: string, query: Query, caller: Caller, known?: Match): Answer | Promise<Answer> {
    const request = internalRequest(path, query);
    const match = known ?? this.router.find(path);
    const exchange = new Exchange(known === undefined ? this.#options : {}, request, match?.route.path);
    exchange.caller = caller;
    return exchange.answer(() => {
      if (match === undefined) throw unknownPath(this.router.nearest(path));
      return this.#run(exchange, match, caller);
    }, methodsOf(match));
  }

  /** Decides a call as {@link call} does, but does not run its operation. */
  decide(path: string, query: Query, caller: Caller): CallDecision {
    const { search } = internalRequest(path, query);
    const match = this.router.find(path);
    if (match === undefined) {
      const failure = unknownPath(this.router.nearest(path));
      return { failure, decisive: undefined, fault: undefined };
    }
    const { route, params } = match;
    const input = new RequestInput(route, this.#options, { params, search });
    const all = attempt(() => {
      this.#authorize(route, caller, () => input.decisive());
      return input.all();
    });
    const [decisive, fault] = [attempt(() => input.decisive()), attempt(() => input.present())];
    return {
      failure: all instanceof Failure ? all : undefined,
      decisive: decisive instanceof Failure ? undefined : decisive,
      fault: fault instanceof Failure ? fault : undefined,
    };
  }

  #answer(exchange: Exchange, match: Match | undefined): Answer | Promise<Answer> {
    const { request } = exchange;
    if (match === undefined) {
      const { pathname } = request;
      // A browser shows a page no answer whose preflight fails: it would take an unknown path for a lost connection.
      if (isPreflight(request)) {
        this.#limit(exchange, this.table.limits.pages);
        return preflightAnswer(readMethods, exchange.requestId);
      }
      // First, since the nearest path takes long to find.
      this.#limitFault(exchange, this.router.tokenIn(pathname));
      const near = this.router.nearestTo(pathname);
      const { prefix } = this.table;
      throw unknownPath(near && prefix + near, `Paths begin with ${prefix}; \`/docs\` lists them.`);
    }
    const { route, token } = match;
    const { method } = request;
    const { effect } = route.operation;
    if (method === "OPTIONS") {
      this.#limit(exchange, this.table.limits.pages);
      return preflightAnswer(methodsOf(match), exchange.requestId);
    }
    if (method !== "GET" && !(method === "HEAD" && effect === "read")) {
      this.#limitFault(exchange, token);
      throw methodNotAllowed(method);
    }
    if (effect === "change" && isSpeculative(request)) {
      this.#limitFault(exchange, token);
      throw new Failure("SPECULATIVE", "This operation changes data and is not run ahead of time.");
    }

    const { invited } = route.operation;
    if (invited !== undefined) {
      this.#limit(exchange, this.table.limits.unknown);
      exchange.caller = invited(tokenOf(request, token));
      return this.#run(exchange, match, exchange.caller);
    }
    const caller = this.#callerOf(request, token);
    if (caller instanceof Failure) {
      this.#limit(exchange, this.table.limits.unknown);
      throw caller;
    }
    exchange.caller = caller;
    this.#options.seen?.(caller, versionIn(request, this.table.product));
    this.#limit(exchange, limitFor(route, this.table), caller, effect);
    return this.#run(exchange, match, caller);
  }

  /** Takes the steps from 5 on. */
  #run(exchange: Exchange, { params, route, token }: Match, caller: Caller): Answer | Promise<Answer> {
    const { operation } = route;
    const { tokenForm } = this.#options;
    const { table } = this;
    const { request, requestId } = exchange;
    const input = new RequestInput(route, this.#options, { params, search: request.search });
    exchange.input = input;
    const authorize = (current: Caller) => this.#authorize(route, current, () => input.decisive(), exchange);
    authorize(caller);
    const result = operation.run(input.all(), {
      caller,
      operation: route.handler,
      requestId,
      address: operation.isLive === true ? request.address : undefined,
      table,
      idempotencyKey: operation.effect === "change" ? idempotencyKeyIn(request, tokenForm) : undefined,
      invitation: operation.invited && {
        code: tokenOf(request, token),
        version: versionIn(request, this.table.product),
      },
      authorize,
      allowedInput: (other, values) => allowedInput(table, caller, other, values),
    });
    const toAnswer = (content: unknown): Answer => {
      if (operation.effect === "change") return changeAnswer(content, requestId);
      const body =
        content instanceof ReadyBody || content instanceof LiveBody ? content : new ReadyBody(content);
      const answer = readAnswer(body, request, requestId);
      if (token === "-") answer.headers.push("Vary", "Authorization");
      return answer;
    };
    return result instanceof Promise ? result.then(toAnswer) : toAnswer(result);
  }

  /**
   * Takes the steps 5 to 7, and records what a restricted caller lacked.
   * @throws Failure `EXCLUDED`, `READ_ONLY`, `RESTRICTED`, and what `decisive` throws
   */
  #authorize(route: Route, caller: Caller, decisive: () => Input, exchange?: Exchange): void {
    switch (denialOf(this.table, route, caller, decisive)) {
      case "EXCLUDED":
        throw new Failure(
          "EXCLUDED",
          withTerms("You are excluded from this service", exclusionOf(this.table, caller)),
        );
      case "READ_ONLY":
        throw new Failure("READ_ONLY", "This addon token is read-only and cannot change anything.", {
          hint: "Use a token that was issued without --read-only.",
        });
      case "RESTRICTED": {
        const { restriction } = route;
        if (exchange !== undefined) exchange.reason = decisionReason(restriction, caller, decisive());
        throw new Failure("RESTRICTED", `This operation is only for ${describe(restriction, decisive())}.`);
      }
    }
  }

  /** Returns the caller of the token in the path or the header, or its `TOKEN_…` failure. */
  #callerOf(request: IncomingRequest, inPath: string): Caller | Failure {
    return attempt(() => this.#options.authenticate(tokenOf(request, inPath)));
  }

  /** Counts a request that is refused before its token is checked. @throws Failure `RATE_LIMITED` */
  #limitFault(exchange: Exchange, token: string): void {
    if (this.#options.limiter === undefined) return;
    const { reads, unknown } = this.table.limits;
    const inPath = this.#callerOf(exchange.request, token);
    // What is taken for a token may be the first segment of a path without one.
    const caller = inPath instanceof Failure ? this.#callerOf(exchange.request, "-") : inPath;
    if (caller instanceof Failure) this.#limit(exchange, unknown);
    else this.#limit(exchange, reads, caller);
  }

  /** Counts a request by its caller, or else by the network that it comes from. @throws Failure `RATE_LIMITED` */
  #limit(
    exchange: Exchange,
    limit: Limit | "off",
    caller?: Caller,
    effect: Operation["effect"] = "read",
  ): void {
    const { limiter } = this.#options;
    if (limit === "off" || limiter === undefined) return;
    const refusal =
      caller === undefined
        ? limiter.ofNetwork(limit, exchange.request)
        : limiter.ofCaller(limit, caller, exchange.request, effect);
    if (refusal !== undefined) exchange.caller = caller;
    const stranger = limit.name === "unknown" ? " without a valid addon token" : "";
    exchange.limit(refusal, `Too many requests${stranger}`);
  }
}

/** Returns the result of some steps, or their failure. */
function attempt<T>(steps: () => T): T | Failure {
  try {
    return steps();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Returns the methods of a path; of an unknown one, none. */
function methodsOf(match: Match | undefined): string {
  if (match === undefined) return "";
  return match.route.operation.effect === "read" ? readMethods : changeMethods;
}
