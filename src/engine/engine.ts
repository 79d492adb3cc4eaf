/**
 * The engine: answers requests by one route table. It serves any table with any operations and callers, which are its
 * options. `pipeline.ts` has the steps of a request.
 */
import type { Caller } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import type { Refusal } from "./limiter.ts";
import { type EngineOptions, Pipeline } from "./pipeline.ts";
import type { IncomingRequest } from "./request.ts";
import type { Answer } from "./response.ts";
import { Router } from "./router.ts";

/** See the head of this file. */
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
    return new Pipeline(this.#options, this.router, request, this.router.match(request.pathname)).run();
  }

  /** Refuses a request whose path cannot be decoded. It is limited like one to an unknown path. */
  refuse(request: IncomingRequest, error: unknown): Answer {
    return new Pipeline(this.#options, this.router, request, undefined).refuse(error);
  }

  /** Counts a request for a page. Returns its refusal, if it exceeds the limit. */
  limitPage(request: Pick<IncomingRequest, "address">): Refusal | undefined {
    const { limiter, table } = this.#options;
    const { pages } = table.limits;
    return pages === "off" ? undefined : limiter?.ofNetwork(pages, request);
  }

  /**
   * Runs an operation for a caller without a token, such as the operator, through the same steps as a request.
   * @param path without the prefix, such as `/wantedreason/add`; not percent-encoded
   */
  call(
    path: string,
    query: readonly (readonly [string, string])[],
    caller: Caller,
  ): Answer | Promise<Answer> {
    const request: IncomingRequest = {
      method: "GET",
      pathname: path,
      search: new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])).toString(),
      address: undefined,
      header: () => null,
    };
    return new Pipeline(this.#options, this.router, request, this.router.find(path), caller).run();
  }
}
