/**
 * The engine: a route table, mounted on h3. It serves any table with any operations; what they do, and whom a token
 * stands for, it is handed.
 *
 * A request goes through these steps, in the contract's order (section 1). Each can end it with a failure:
 *
 * 1. path: `UNKNOWN_PATH`
 * 2. method: `METHOD_NOT_ALLOWED`, and for a change that nobody meant yet `SPECULATIVE`
 * 3. token: `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
 * 4. exclusion: `EXCLUDED`
 * 5. the parameters that the restriction depends on, then the restriction: `RESTRICTED`
 * 6. the other parameters: `PARAMETER_…`, `UNKNOWN_…`
 * 7. the operation: its own failures
 * 8. the answer
 */
import { randomUUID } from "node:crypto";
import { H3, type H3Event, type HTTPResponse } from "h3";
import * as v from "valibot";
import { Failure } from "../errors.ts";
import { nearest } from "../text.ts";
import type { Caller, Vocabulary } from "./caller.ts";
import { RequestInput } from "./input.ts";
import { type Reason, reasonOf } from "./reason.ts";
import {
  type Answer,
  changeAnswer,
  failureAnswer,
  preflightAnswer,
  readAnswer,
  toHTTPResponse,
} from "./response.ts";
import { describe, type Input, permits } from "./restriction.ts";
import type { Route, Table } from "./table.ts";

/** One line of the log: never a raw path, since that has the token in it. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's path as the table has it, or null where none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller: string | null;
  /** The failure's code, or null. */
  readonly code: string | null;
  /** For `RESTRICTED`: what the operation needs, and what the caller had of it. */
  readonly reason?: Reason;
  /** For a fault of ours: what happened. */
  readonly error?: unknown;
}

export interface EngineOptions {
  readonly table: Table;
  readonly vocabulary: () => Vocabulary;
  /** What a token looks like; see {@link RequestInput}. */
  readonly tokenForm?: RegExp;
  /** Whom a token stands for. @throws Failure `TOKEN_…` */
  readonly authenticate: (token: string) => Caller;
  /** Told of every request with a valid token, and the version that its `User-Agent` names. */
  readonly seen?: (caller: Caller, version: string | undefined) => void;
  /** Told of every answer. */
  readonly observe?: (record: RequestRecord) => void;
}

/** A table that can be asked. */
export interface Engine {
  readonly table: Table;
  /** Answers a request; every failure is an answer too. */
  fetch(request: Request): Response | Promise<Response>;
  /**
   * Runs the operation of a path for a caller who needs no token, such as the operator. It takes the same way as a
   * request from step 4 on.
   * @param path without the prefix, such as `/wantedreason/add`; its parameters as they are, not percent-encoded
   */
  call(path: string, query: readonly (readonly [string, string])[], caller: Caller): Promise<Response>;
}

const idempotencyHeader = "Idempotency-Key";
const readMethods = "GET, HEAD, OPTIONS";
const changeMethods = "GET, OPTIONS";

/** Mounts a table. */
export function createEngine(options: EngineOptions): Engine {
  const { table } = options;
  const app = new H3({ silent: true, onError: (error, event) => answerFault(options, event, error) });
  /** The callers of {@link Engine.call}: a request from outside can not be in here. */
  const internal = new WeakMap<object, Caller>();

  for (const route of table.routes) {
    const template = (table.prefix + route.path).replace(/\{(\w+)\}/g, ":$1");
    app.all(template, (event) => {
      const walk = new Walk(options, event, route, internal.get(event.req));
      return walk.answer();
    });
  }
  app.all("/**", (event) => new Walk(options, event, undefined, internal.get(event.req)).answer());

  return {
    table,
    fetch: (request) => app.fetch(request),
    async call(path, query, caller) {
      const segments = path.split("/").map(toSegment).join("/");
      const url = new URL(`http://localhost${table.prefix.replace(/\{\w+\}/, "-")}${segments}`);
      for (const [name, value] of query) url.searchParams.append(name, value);
      const request = new Request(url);
      internal.set(request, caller);
      return app.fetch(request);
    },
  };
}

/** One request on its way. */
class Walk {
  readonly #options: EngineOptions;
  readonly #event: H3Event;
  readonly #route: Route | undefined;
  readonly #requestId = randomUUID();
  readonly #started = performance.now();
  #caller: Caller | undefined;
  #reason: Reason | undefined;

  constructor(options: EngineOptions, event: H3Event, route: Route | undefined, caller: Caller | undefined) {
    this.#options = options;
    this.#event = event;
    this.#route = route;
    this.#caller = caller;
  }

  async answer(): Promise<HTTPResponse> {
    let answer: Answer;
    let code: string | null = null;
    let fault: unknown;
    try {
      answer = await this.#steps();
    } catch (error) {
      const failure = error instanceof Failure ? error : internalFailure(error);
      ({ code } = failure);
      fault = failure.cause;
      answer = failureAnswer(failure, this.#requestId, this.#allowHeader(failure));
    }
    this.#options.observe?.({
      requestId: this.#requestId,
      method: this.#event.req.method,
      route: this.#route?.path ?? null,
      status: answer.status,
      milliseconds: performance.now() - this.#started,
      caller: this.#caller?.id ?? null,
      code,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...(fault === undefined ? {} : { error: fault }),
    });
    return toHTTPResponse(answer);
  }

  async #steps(): Promise<Answer> {
    const { table } = this.#options;
    const route = this.#path();
    const { headers, method } = this.#event.req;

    const { effect } = route.operation;
    if (method === "OPTIONS") return preflightAnswer(methodsOf(route), this.#requestId);
    if (method !== "GET" && !(method === "HEAD" && effect === "read")) {
      throw new Failure("METHOD_NOT_ALLOWED", `This operation is not called by ${method}, but by GET.`);
    }
    if (effect === "change" && isSpeculative(headers)) {
      throw new Failure("SPECULATIVE", "This operation changes data and is not run ahead of time.");
    }

    const caller = this.#identify();
    const { excludedGroup } = table;
    if (
      excludedGroup !== undefined &&
      !caller.unrestricted &&
      caller.rankIn("group", excludedGroup) !== undefined
    ) {
      throw new Failure("EXCLUDED", "You are excluded from this service.");
    }

    const { params = {} } = this.#event.context;
    const input = new RequestInput(route, this.#options, params, this.#event.url.search);
    const decisive = input.decisive();
    if (!permits(route.restriction, caller, decisive)) {
      this.#reason = reasonOf(route.restriction, caller, decisive);
      throw new Failure("RESTRICTED", `This operation is only for ${describe(route.restriction, decisive)}.`);
    }

    const values = toOperationInput(route, input.all());
    const body = await route.operation.run(values, {
      caller,
      operation: route.handler,
      requestId: this.#requestId,
      table,
      idempotencyKey: effect === "change" ? idempotencyKeyIn(headers) : undefined,
    });
    if (effect === "read") return readAnswer(body, headers.get("if-none-match"), this.#requestId);
    return changeAnswer(String(body), this.#requestId);
  }

  #path(): Route {
    if (this.#route !== undefined) return this.#route;
    const { table } = this.#options;
    const near = nearestPath(table, this.#event.url.pathname);
    // Who is known before the token, such as the operator, gives paths without the prefix.
    const before = this.#caller === undefined ? table.prefix : "";
    const elsewhere = before === "" ? {} : { hint: `Paths begin with ${before}.` };
    const hint = near === undefined ? elsewhere : { hint: `Did you mean ${before}${near}?` };
    throw new Failure("UNKNOWN_PATH", "There is no operation at this path.", hint);
  }

  #identify(): Caller {
    if (this.#caller !== undefined) return this.#caller;
    const { authenticate, seen, table } = this.#options;
    const { req, context } = this.#event;
    const caller = authenticate(context.params?.[table.tokenParameter] ?? "");
    this.#caller = caller;
    seen?.(caller, versionIn(req.headers.get("user-agent"), table.product));
    return caller;
  }

  #allowHeader(failure: Failure): Record<string, string> {
    if (failure.code !== "METHOD_NOT_ALLOWED" || this.#route === undefined) return {};
    return { Allow: methodsOf(this.#route) };
  }
}

/**
 * The operation's own check of what the table has let through: an operator can widen a pattern, and must not be
 * able to give an operation what it can not work with.
 */
function toOperationInput(route: Route, values: Input): Input {
  const result = v.safeParse(route.operation.input, values);
  if (result.success) return result.output as Input;
  const [issue] = result.issues;
  const parameter = String(issue.path?.[0].key);
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is not right: ${issue.message}.`, { parameter });
}

/** A piece of a path, percent-encoded. What a URL has no way to say becomes a character that no name has. */
function toSegment(text: string): string {
  const unsayable = text === "." || text === "..";
  return encodeURIComponent(unsayable ? "\ufffd" : text.replace(/[\uD800-\uDFFF]/gu, "\ufffd"));
}

function methodsOf({ operation }: Route): string {
  return operation.effect === "read" ? readMethods : changeMethods;
}

/** Whether a browser or a proxy sends the request before anybody has meant it (contract, section 1). */
function isSpeculative(headers: Headers): boolean {
  const purposes = ["sec-purpose", "purpose", "x-moz"].map((name) => headers.get(name) ?? "");
  return purposes.some((purpose) => /prefetch|prerender/i.test(purpose)) || headers.get("early-data") === "1";
}

/**
 * The key under which a caller repeats a request, with or without the quotes of a structured field.
 * @throws Failure `PARAMETER_INVALID`
 */
function idempotencyKeyIn(headers: Headers): string | undefined {
  const value = headers.get(idempotencyHeader);
  if (value === null) return undefined;
  const key = value.replace(/^"(.*)"$/, "$1");
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Failure("PARAMETER_INVALID", `${idempotencyHeader} must be 1 to 255 visible ASCII characters.`, {
    parameter: idempotencyHeader,
    hint: "A UUID does well.",
  });
}

/** The addon version in a `User-Agent` such as `gameaddon/2.5.1 (…)`. */
function versionIn(userAgent: string | null, product: string | undefined): string | undefined {
  if (userAgent === null || product === undefined) return undefined;
  const token = userAgent
    .split(" ")
    .find((each) => each.toLowerCase().startsWith(`${product.toLowerCase()}/`));
  return token?.slice(product.length + 1);
}

/** The path of the table that is nearest to what was asked for, without looking at the token in it. */
function nearestPath(table: Table, pathname: string): string | undefined {
  const depth = table.prefix.split("/").length;
  const tail = `/${pathname.split("/").slice(depth).join("/")}`;
  return nearest(
    tail,
    table.routes.map(({ path }) => path),
  );
}

/** A fault before a route was found: h3 refuses a path whose percent-encoding is malformed. */
function answerFault(options: EngineOptions, event: H3Event, error: { status: number }): HTTPResponse {
  const requestId = randomUUID();
  const failure =
    error.status === 400
      ? new Failure("PARAMETER_INVALID", "The path has a malformed percent-encoding.", {
          hint: 'Write "%25" for a percent sign, and UTF-8 for letters beyond ASCII.',
        })
      : internalFailure(error);
  const answer = failureAnswer(failure, requestId);
  const { method } = event.req;
  const { status } = answer;
  const fault = failure.cause === undefined ? {} : { error: failure.cause };
  options.observe?.({
    requestId,
    method,
    route: null,
    status,
    milliseconds: 0,
    caller: null,
    code: failure.code,
    ...fault,
  });
  return toHTTPResponse(answer);
}

function internalFailure(cause: unknown): Failure {
  return new Failure("INTERNAL", "Something went wrong on our side. The request id helps to find out what.", {
    cause,
  });
}
