/**
 * A request's way through the engine, in the contract's order (section 1). Each step can end it with a failure:
 *
 * 1. path: `UNKNOWN_PATH`
 * 2. method: `METHOD_NOT_ALLOWED`, and for a change that nobody meant yet `SPECULATIVE`
 * 3. token: `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
 * 4. exclusion: `EXCLUDED`
 * 5. read-only token, for a change: `READ_ONLY`
 * 6. the parameters that the restriction depends on, then the restriction: `RESTRICTED`
 * 7. the other parameters: `PARAMETER_…`, `UNKNOWN_…`
 * 8. the operation: its own failures
 * 9. the answer
 */
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { type Caller, publicTokenOf, type Vocabulary } from "../table/caller.ts";
import { describe, type Input, isAllowed } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { ReadyBody } from "./body.ts";
import { RequestInput } from "./input.ts";
import { letsIn } from "./lets-in.ts";
import { nearestPath } from "./nearest-path.ts";
import { type Reason, reasonOf } from "./reason.ts";
import { type Answer, changeAnswer, failureAnswer, preflightAnswer, readAnswer } from "./response.ts";

/** What the steps look at of a request, whatever brought it here. */
export interface Incoming {
  readonly method: string;
  /** Percent-encoded, as the parameters in it and the query are. */
  readonly pathname: string;
  /** The query, with or without its question mark. */
  readonly search: string;
  /** A parameter in the path. */
  param(name: string): string | undefined;
  /** @param name in lower case */
  header(name: string): string | null;
  /** The client's network address, where there is one: a request in the process itself has none. */
  readonly address: string | undefined;
}

/** One line of the log: never a raw path, since that has the token in it. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's path as the table has it, or null where none matched. */
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller: string | null;
  /** The id of a public caller's token. */
  readonly token?: string | undefined;
  /** The client's network address, where the service is to log it. */
  readonly address?: string | undefined;
  /** The failure's code, or null. */
  readonly code: string | null;
  /** For `RESTRICTED`: what the operation needs, and what the caller had of it. */
  readonly reason?: Reason | undefined;
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
  /** Whether `observe` is told of the client's address. */
  readonly logAddress?: boolean;
}

const idempotencyHeader = "Idempotency-Key";
/** Where browsers say that they ask ahead of time. */
const purposeHeaders = ["sec-purpose", "purpose", "x-moz"];
const readMethods = "GET, HEAD, OPTIONS";
const changeMethods = "GET, OPTIONS";

/** One request on its way. A read is answered in the same turn; only a change is waited for. */
export class Walk {
  readonly #options: EngineOptions;
  readonly #incoming: Incoming;
  readonly #route: Route | undefined;
  readonly #requestId = randomUUID();
  readonly #started = performance.now();
  #caller: Caller | undefined;
  #reason: Reason | undefined;
  #given: RequestInput | undefined;

  /**
   * @param route undefined where no path of the table is that of the request
   * @param caller of somebody who needs no token
   */
  constructor(
    options: EngineOptions,
    incoming: Incoming,
    route: Route | undefined,
    caller: Caller | undefined,
  ) {
    this.#options = options;
    this.#incoming = incoming;
    this.#route = route;
    this.#caller = caller;
  }

  answer(): Answer | Promise<Answer> {
    try {
      const answer = this.#steps();
      if (!(answer instanceof Promise)) return this.#end(answer, null, undefined);
      return answer.then(
        (each) => this.#end(each, null, undefined),
        (error: unknown) => this.#refuse(error),
      );
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #refuse(error: unknown): Answer {
    let failure = error instanceof Failure ? error : internalFailure(error);
    // No entry has a text of that form, and none can get it: that is what helps the caller.
    if (failure.code === "UNKNOWN_ENTRY") failure = this.#given?.malformed ?? failure;
    const answer = failureAnswer(failure, this.#requestId, this.#allowHeader(failure));
    return this.#end(answer, failure.code, failure.cause);
  }

  #end(answer: Answer, code: string | null, fault: unknown): Answer {
    this.#options.observe?.({
      requestId: this.#requestId,
      method: this.#incoming.method,
      route: this.#route?.path ?? null,
      status: answer.status,
      milliseconds: performance.now() - this.#started,
      caller: this.#caller?.id ?? null,
      token: this.#caller === undefined ? undefined : publicTokenOf(this.#caller),
      address: this.#options.logAddress === true ? this.#incoming.address : undefined,
      code,
      reason: this.#reason,
      error: fault,
    });
    return answer;
  }

  #steps(): Answer | Promise<Answer> {
    const { table } = this.#options;
    const route = this.#path();
    const { method } = this.#incoming;

    const { effect } = route.operation;
    if (method === "OPTIONS") return preflightAnswer(methodsOf(route), this.#requestId);
    if (method !== "GET" && !(method === "HEAD" && effect === "read")) {
      throw new Failure("METHOD_NOT_ALLOWED", `This operation is not called by ${method}, but by GET.`);
    }
    if (effect === "change" && isSpeculative(this.#incoming)) {
      throw new Failure("SPECULATIVE", "This operation changes data and is not run ahead of time.");
    }

    const caller = this.#identify();
    this.#refuseExcluded(caller);
    refuseReadOnly(route, caller);

    const given = new RequestInput(route, this.#options, this.#incoming);
    this.#given = given;
    const decisive = given.decisive();
    this.#refuseRestricted(route, caller, decisive);

    const values = toOperationInput(route, given.all());
    const result = route.operation.run(values, {
      caller,
      operation: route.handler,
      requestId: this.#requestId,
      table,
      idempotencyKey: effect === "change" ? idempotencyKeyIn(this.#incoming) : undefined,
      authorize: (current) => {
        this.#refuseExcluded(current);
        refuseReadOnly(route, current);
        this.#refuseRestricted(route, current, decisive);
      },
      letsIn: (operation, input) => letsIn(table, caller, operation, input),
    });
    return result instanceof Promise
      ? result.then((each) => this.#answerWith(each))
      : this.#answerWith(result);
  }

  /** @throws Failure `EXCLUDED` */
  #refuseExcluded(caller: Caller): void {
    const { excludedGroup } = this.#options.table;
    if (excludedGroup === undefined || caller.unrestricted) return;
    if (caller.rankIn("group", excludedGroup) === undefined) return;
    throw new Failure("EXCLUDED", "You are excluded from this service.");
  }

  /** @throws Failure `RESTRICTED`, and notes for the log what the caller lacked */
  #refuseRestricted({ restriction }: Route, caller: Caller, decisive: Input): void {
    if (isAllowed(restriction, caller, decisive)) return;
    this.#reason = reasonOf(restriction, caller, decisive);
    throw new Failure("RESTRICTED", `This operation is only for ${describe(restriction, decisive)}.`);
  }

  #answerWith(result: unknown): Answer {
    const { method } = this.#incoming;
    if (this.#route?.operation.effect !== "read") return changeAnswer(String(result), this.#requestId);
    const body = result instanceof ReadyBody ? result : new ReadyBody(result);
    const conditions = {
      method,
      ifNoneMatch: this.#incoming.header("if-none-match"),
      acceptEncoding: this.#incoming.header("accept-encoding"),
    };
    return readAnswer(body, conditions, this.#requestId);
  }

  #path(): Route {
    if (this.#route !== undefined) return this.#route;
    const { table } = this.#options;
    const near = nearestPath(table, this.#incoming.pathname);
    // Who is known before the token, such as the operator, gives paths without the prefix.
    const before = this.#caller === undefined ? table.prefix : "";
    const elsewhere = before === "" ? {} : { hint: `Paths begin with ${before}.` };
    const hint = near === undefined ? elsewhere : { hint: `Did you mean ${before}${near}?` };
    throw new Failure("UNKNOWN_PATH", "There is no operation at this path.", hint);
  }

  #identify(): Caller {
    if (this.#caller !== undefined) return this.#caller;
    const { authenticate, seen, table } = this.#options;
    const caller = authenticate(this.#incoming.param(table.tokenParameter) ?? "");
    this.#caller = caller;
    seen?.(caller, versionIn(this.#incoming.header("user-agent"), table.product));
    return caller;
  }

  #allowHeader(failure: Failure): readonly string[] {
    if (failure.code !== "METHOD_NOT_ALLOWED" || this.#route === undefined) return [];
    return ["Allow", methodsOf(this.#route)];
  }
}

/**
 * The operation's own check of what the table has let through: an operator can widen a pattern, and must not be
 * able to give an operation what it can not work with.
 */
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

/** Whether a browser or a proxy sends the request before anybody has meant it (contract, section 1). */
function isSpeculative(incoming: Incoming): boolean {
  for (const name of purposeHeaders) {
    const purpose = incoming.header(name);
    if (purpose !== null && /prefetch|prerender/i.test(purpose)) return true;
  }
  return incoming.header("early-data") === "1";
}

/**
 * The key under which a caller repeats a request, with or without the quotes of a structured field.
 * @throws Failure `PARAMETER_INVALID`
 */
function idempotencyKeyIn(incoming: Incoming): string | undefined {
  const value = incoming.header(idempotencyHeader.toLowerCase());
  if (value === null) return undefined;
  const key = value.replace(/^"(.*)"$/, "$1");
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new Failure("PARAMETER_INVALID", `${idempotencyHeader} must be 1 to 128 visible ASCII characters.`, {
    parameter: idempotencyHeader,
    hint: "A UUID does well.",
  });
}

/** The addon version in a `User-Agent` such as `gameaddon/2.5.1 (…)`. */
function versionIn(userAgent: string | null, product: string | undefined): string | undefined {
  if (userAgent === null || product === undefined) return undefined;
  // Most clients name the product first, and as the table does.
  if (userAgent.startsWith(product) && userAgent[product.length] === "/") {
    return tokenAt(userAgent, product.length + 1);
  }
  // Header values are Latin-1, where a letter in lower case is one letter too: places stay the same.
  const place = ` ${userAgent}`.toLowerCase().indexOf(` ${product.toLowerCase()}/`);
  return place === -1 ? undefined : tokenAt(userAgent, place + product.length + 1);
}

/** What stands in a text from a place to the next space. */
function tokenAt(text: string, start: number): string {
  const end = text.indexOf(" ", start);
  return text.slice(start, end === -1 ? undefined : end);
}

/** A fault of ours, as the caller is told of it: without any detail. */
export function internalFailure(cause: unknown): Failure {
  return new Failure("INTERNAL", "Something went wrong on our side. The request id helps to find out what.", {
    cause,
  });
}
