/** A request and its answer: their id, and their line in the log. */
import { randomUUID } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import { counted } from "../domain/text.ts";
import { type Caller, publicTokenOf } from "../table/caller.ts";
import type { RequestInput } from "./input.ts";
import type { Refusal } from "./limiter.ts";
import type { Reason } from "./reason.ts";
import type { IncomingRequest } from "./request.ts";
import { type Answer, failureAnswer, limitHeaders } from "./response.ts";

/** A line of the log. It never contains a raw path, since that contains the token. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's path as declared in the table, the name of a page, or null if neither matched. */
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller: string | null;
  /** The id of a public caller's token. */
  readonly token?: string | undefined;
  /** The client's network address, if it is logged. */
  readonly address?: string | undefined;
  /** The failure's code, or null. */
  readonly code: string | null;
  /** For `RATE_LIMITED`: the limit, which is one of the table's, or the path of a route. */
  readonly limit?: string | undefined;
  /** For `RATE_LIMITED`: whether the limit refused the caller's last request as well. */
  readonly isRepeated?: boolean | undefined;
  /** For `RESTRICTED`: what the operation requires, and what the caller had. */
  readonly reason?: Reason | undefined;
  /** For `INTERNAL`: the error. */
  readonly error?: unknown;
}

export interface Observer {
  /** Called with the record of every answer. */
  readonly observe?: ((record: RequestRecord) => void) | undefined;
  /** Whether records contain the client's address. */
  readonly logAddress?: boolean | undefined;
}

/** The methods of what can be read. */
export const readMethods = "GET, HEAD, OPTIONS";

export class Exchange<R extends Pick<IncomingRequest, "method" | "address"> = IncomingRequest> {
  readonly requestId = randomUUID();
  readonly request: R;
  /** The caller, once authenticated. */
  caller: Caller | undefined;
  /** The parameters, once they are read. */
  input: RequestInput | undefined;
  /** Why the caller is restricted, if so. */
  reason: Reason | undefined;
  #refusal: Refusal | undefined;
  readonly #started = performance.now();
  readonly #observer: Observer;
  readonly #route: string | null;

  constructor(observer: Observer, request: R, route: string | null = null) {
    this.#observer = observer;
    this.request = request;
    this.#route = route;
  }

  /** Ends a request that a limit refuses, if it does. @throws Failure `RATE_LIMITED` */
  limit(refusal: Refusal | undefined, what: string): void {
    if (refusal === undefined) return;
    this.#refusal = refusal;
    const { limit, seconds } = refusal;
    throw new Failure("RATE_LIMITED", `${what}: try again in ${counted(seconds, "second")}.`, {
      hint: `Expected at most ${limit.words} (the limit "${limit.name}").`,
    });
  }

  /**
   * Returns the answer of some steps, or that to their failure, and records it.
   * @param allow the methods of the path, for `METHOD_NOT_ALLOWED`
   */
  answer(steps: () => Answer | Promise<Answer>, allow: string): Answer | Promise<Answer> {
    const refuse = (error: unknown) => this.refuse(error, allow);
    try {
      const answer = steps();
      return answer instanceof Promise
        ? answer.then((settled) => this.#end(settled), refuse)
        : this.#end(answer);
    } catch (error) {
      return refuse(error);
    }
  }

  /** Records an answer, and returns it. */
  #end(answer: Answer, failure?: Failure): Answer {
    const { observe, logAddress } = this.#observer;
    observe?.({
      requestId: this.requestId,
      method: this.request.method,
      route: this.#route,
      status: answer.status,
      milliseconds: performance.now() - this.#started,
      caller: this.caller?.id ?? null,
      token: this.caller === undefined ? undefined : publicTokenOf(this.caller),
      address: logAddress === true ? this.request.address : undefined,
      code: failure?.code ?? null,
      limit: this.#refusal?.limit.name,
      isRepeated: this.#refusal?.isRepeated,
      reason: this.reason,
      error: failure?.cause,
    });
    return answer;
  }

  /**
   * Records and returns the answer to an error; `INTERNAL` without details if the error is no {@link Failure}.
   * @param allow as in {@link answer}
   * @param extra further headers, names and values in turn
   */
  refuse(error: unknown, allow: string, extra: readonly string[] = []): Answer {
    const isUnknownEntry = error instanceof Failure && error.code === "UNKNOWN_ENTRY";
    // No entry can have a malformed text, and what is wrong with it helps the caller more.
    const cause = isUnknownEntry ? (this.input?.malformed ?? error) : error;
    const internal = "Something went wrong on our side. The request id helps to find out what.";
    const failure = cause instanceof Failure ? cause : new Failure("INTERNAL", internal, { cause });
    const headers = failure.code === "METHOD_NOT_ALLOWED" ? ["Allow", allow, ...extra] : extra;
    const limited = this.#refusal === undefined ? [] : limitHeaders(this.#refusal);
    return this.#end(failureAnswer(failure, this.requestId, [...limited, ...headers]), failure);
  }
}

export function methodNotAllowed(method: string): Failure {
  return new Failure("METHOD_NOT_ALLOWED", `Expected the method GET, got ${method}.`);
}

/**
 * Returns the refusal of a path that no operation has.
 * @param near the path that was most likely meant
 * @param otherwise the hint if there is none; by default one for the operator
 */
export function unknownPath(
  near: string | undefined,
  otherwise = "`addon-cli routes list` lists the paths.",
): Failure {
  const hint = near === undefined ? otherwise : `Did you mean ${near}?`;
  return new Failure("UNKNOWN_PATH", "There is no operation at this path.", { hint });
}
