/**
 * The engine: a route table, mounted on h3. It serves any table with any operations; what they do, and whom a token
 * stands for, it is handed. What becomes of a request is in `walk.ts`.
 */
import { randomUUID } from "node:crypto";
import { H3, type H3Event } from "h3";
import { Failure } from "../domain/errors.ts";
import type { DescriptionOptions } from "../openapi/openapi.ts";
import { descriptionForms, descriptionPath, ServedDescription } from "../openapi/serving.ts";
import type { Caller } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import { DirectRequests, type RawRequest } from "./direct.ts";
import { type Answer, AnswerResponse, failureAnswer } from "./response.ts";
import { type EngineOptions, type Incoming, internalFailure, Walk } from "./walk.ts";

export type { EngineOptions, RequestRecord } from "./walk.ts";

/** A table that can be asked. */
export interface Engine {
  readonly table: Table;
  /** Answers a request; every failure is an answer too. */
  fetch(request: Request): Response | Promise<Response>;
  /** Answers what can be answered without h3, as {@link fetch} would; see `direct.ts`. Undefined for anything else. */
  direct(request: RawRequest): Answer | Promise<Answer> | undefined;
  /**
   * Runs the operation of a path for a caller who needs no token, such as the operator. It takes the same way as a
   * request from step 4 on.
   * @param path without the prefix, such as `/wantedreason/add`; its parameters as they are, not percent-encoded
   */
  call(path: string, query: readonly (readonly [string, string])[], caller: Caller): Promise<Response>;
}

/** What a table is mounted with. */
export interface MountOptions extends EngineOptions {
  /** What its description says beyond the table; without it none is served. */
  readonly description?: DescriptionOptions;
}

/** Mounts a table. */
export function createEngine(options: MountOptions): Engine {
  const { table } = options;
  const app = new H3({ silent: true, onError: (error, event) => answerFault(options, event, error) });
  /** The callers of {@link Engine.call}: a request from outside can not be in here. */
  const internal = new WeakMap<object, Caller>();

  for (const route of table.routes) {
    const pattern = (table.prefix + route.path).replace(/\{(\w+)\}/g, ":$1");
    app.all(pattern, (event) =>
      toResponse(new Walk(options, new EventIncoming(event), route, internal.get(event.req)).answer()),
    );
  }
  if (options.description !== undefined) mountDescription(app, options, options.description);
  app.all("/**", (event) =>
    toResponse(new Walk(options, new EventIncoming(event), undefined, internal.get(event.req)).answer()),
  );
  const direct = new DirectRequests(options);

  return {
    table,
    fetch: (request) => app.fetch(request),
    direct: (request) => direct.answer(request),
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

/** The description is where no operation can be: in the place of the token, and there is none behind that. */
function mountDescription(app: H3, options: EngineOptions, description: DescriptionOptions): void {
  const served = new ServedDescription(options, description);
  for (const form of descriptionForms) {
    const path = descriptionPath(options.table.prefix, form);
    app.all(path, (event) => toResponse(served.answer(form, new EventIncoming(event))));
  }
}

/** A request as h3 has it. */
class EventIncoming implements Incoming {
  readonly #event: H3Event;

  constructor(event: H3Event) {
    this.#event = event;
  }

  get method(): string {
    return this.#event.req.method;
  }

  get pathname(): string {
    return this.#event.url.pathname;
  }

  get search(): string {
    return this.#event.url.search;
  }

  param(name: string): string | undefined {
    return this.#event.context.params?.[name];
  }

  header(name: string): string | null {
    return this.#event.req.headers.get(name);
  }

  get address(): string | undefined {
    return this.#event.req.ip;
  }
}

function toResponse(answer: Answer | Promise<Answer>): Response | Promise<Response> {
  if (!(answer instanceof Promise)) return new AnswerResponse(answer);
  return answer.then((each) => new AnswerResponse(each));
}

/** A piece of a path, percent-encoded. What a URL has no way to say becomes a character that no name has. */
function toSegment(text: string): string {
  const unsayable = text === "." || text === "..";
  return encodeURIComponent(unsayable ? "\ufffd" : text.replace(/[\uD800-\uDFFF]/gu, "\ufffd"));
}

/** A fault before a route was found: h3 refuses a path whose percent-encoding is malformed. */
function answerFault(options: EngineOptions, event: H3Event, error: { status: number }): Response {
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
  options.observe?.({
    requestId,
    method,
    route: null,
    status,
    milliseconds: 0,
    caller: null,
    address: options.logAddress === true ? event.req.ip : undefined,
    code: failure.code,
    error: failure.cause,
  });
  return new AnswerResponse(answer);
}
