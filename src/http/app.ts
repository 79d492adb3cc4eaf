/**
 * The app: everything that is served by one route table. The URL of nearly every request is plain: it goes to the engine
 * as it is. h3 normalises any other URL and refuses malformed ones; then the same engine answers, or a page. Normalising
 * takes up to 0.2 µs for each character, so a path that is too long for any route is refused before.
 */
import { H3, type H3Event } from "h3";
import { Failure } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import type { Exchange, Observer } from "../engine/exchange.ts";
import { type IncomingRequest, interpretable, isPreflight } from "../engine/request.ts";
import type { Answer } from "../engine/response.ts";
import type { Table } from "../table/table.ts";
import { AnswerResponse } from "./answer-response.ts";
import { ClientAddresses, type Sender } from "./client-address.ts";
import { answerPage, type Pages } from "./page.ts";

/** The parts of Node's `IncomingMessage` that a plain request consists of; not the `NodeRequest` of srvx, a `Request`. */
export interface NodeRequest extends Sender {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** All values of each header: `headers` omits some of repeated ones. */
  readonly headersDistinct?: NodeJS.Dict<string[]>;
}

export interface AppOptions extends Observer {
  /** By default no proxy is trusted. */
  readonly clientAddresses?: ClientAddresses | undefined;
}

/** URLs that normalising would not change: no dot segments, empty segments, or percent-encodings in the path. */
const plainURL = /^(?:\/[\w-][\w.-]*)+(?:\?[\w.~*+%=&-]*)?$/;

export class App {
  readonly engine: Engine;
  readonly table: Table;
  readonly #pages: Pages;
  readonly #addresses: ClientAddresses;
  readonly #h3: H3;

  constructor(engine: Engine, pages: Pages, options: AppOptions) {
    this.engine = engine;
    this.table = engine.table;
    this.#pages = pages;
    this.#addresses = options.clientAddresses ?? new ClientAddresses();
    this.#h3 = new H3({ silent: true, onError: (error, event) => this.#answerError(error, event) });
    this.#h3.all("/**", async (event) => {
      const request = h3Request(event, this.#addresses);
      const found = pages.get(request.pathname);
      const page = found?.isExact === true && sentPath(event) !== request.pathname ? undefined : found;
      const limit = (exchange: Exchange) => engine.limitPage(exchange);
      const answer = page === undefined ? engine.answer(request) : answerPage(page, request, options, limit);
      return new AnswerResponse(await answer);
    });
  }

  /**
   * Answers a request to the table with a plain URL, or with a path that is too long for any route; returns undefined for
   * any other, which is for {@link fetch}.
   */
  answerPlain(request: NodeRequest): Answer | Promise<Answer> | undefined {
    const { url = "" } = request;
    const query = url.indexOf("?");
    const pathname = query === -1 ? url : url.slice(0, query);
    const isPlain = pathname.length > this.engine.router.longestPath || plainURL.test(url);
    if (!isPlain || this.#pages.has(pathname)) return undefined;
    const search = query === -1 ? "" : url.slice(query);
    return this.engine.answer(new PlainRequest(request, pathname, search, this.#addresses));
  }

  fetch(request: Request): Response | Promise<Response> {
    return this.#h3.fetch(request);
  }

  /** Answers where h3 refuses a URL. */
  async #answerError(error: { status: number }, event: H3Event): Promise<Response> {
    const isMalformed = error.status === 400;
    const reason = isMalformed
      ? new Failure("PARAMETER_INVALID", "The path has a malformed percent-encoding.", {
          hint: 'Write "%25" for a percent sign, and UTF-8 for letters beyond ASCII.',
        })
      : error;
    const request = h3Request(event, this.#addresses);
    // A browser shows a page no refusal whose preflight fails.
    if (isMalformed && isPreflight(request)) return new AnswerResponse(await this.engine.answer(request));
    return new AnswerResponse(this.engine.refuse(request, reason));
  }
}

/** Returns the path as the client sent it, which may be that of a whole URL (RFC 9112, section 3.2.2). */
function sentPath({ req, url }: H3Event): string {
  const [target = ""] = (req.runtime?.node?.req.url ?? url.pathname).split("?", 1);
  return target.replace(/^https?:\/\/[^/]*/i, "") || "/";
}

/** A request as Node has it. */
class PlainRequest implements IncomingRequest {
  readonly method: string;
  readonly pathname: string;
  readonly search: string;
  readonly #request: NodeRequest;
  readonly #addresses: ClientAddresses;

  constructor(request: NodeRequest, pathname: string, search: string, addresses: ClientAddresses) {
    this.method = request.method ?? "";
    this.pathname = pathname;
    this.search = search;
    this.#request = request;
    this.#addresses = addresses;
  }

  header(name: string): string | null {
    // Of several with credentials, `headers` has only the first. Node builds each of the two when it is first read.
    const all = name === "authorization" ? this.#request.headersDistinct?.[name] : undefined;
    const value = all ?? this.#request.headers[name];
    return interpretable(typeof value === "string" ? value : (value?.join(", ") ?? null));
  }

  get address(): string | undefined {
    return this.#addresses.of(this.#request);
  }
}

/** Returns a request as h3 has it, with a normalised URL. */
function h3Request({ req, url }: H3Event, addresses: ClientAddresses): IncomingRequest {
  const node = req.runtime?.node?.req;
  return {
    method: req.method,
    pathname: url.pathname,
    search: url.search,
    address: node && addresses.of(node),
    header: (name) => interpretable(req.headers.get(name)),
  };
}
