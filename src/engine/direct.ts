/**
 * Reads that are answered without h3: those whose path has no parameter but the token, asked for by nothing but that
 * path. Addon clients ask for such lists at every start of the game, and h3's way to a route (a `Request`, a `URL`,
 * an event) costs more than all the steps of the request. The steps are the same ones.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "./response.ts";
import type { Route } from "./table.ts";
import { type EngineOptions, type Incoming, Walk } from "./walk.ts";

/** A request as Node has it. */
export interface RawRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** What h3 would take apart, or make into something else, before it looks for a route. */
const plainSegment = /^[\w-]+$/;

/** See the head of this file. */
export class DirectReads {
  readonly #options: EngineOptions;
  /** What stands before the token. */
  readonly #before: string;
  /** The routes by what stands behind the token. */
  readonly #routes = new Map<string, Route>();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { table } = options;
    const [before = "", after = ""] = table.prefix.split(`{${table.tokenParameter}}`);
    this.#before = before;
    for (const route of table.routes) {
      if (route.operation.effect === "read" && !route.path.includes("{")) {
        this.#routes.set(`${after}${route.path}`, route);
      }
    }
  }

  /** Answers a request, or undefined where h3 has to look at it. */
  answer({ method, url = "", headers }: RawRequest): Answer | Promise<Answer> | undefined {
    if (method !== "GET" || !url.startsWith(this.#before)) return undefined;
    const end = url.indexOf("/", this.#before.length);
    if (end === -1) return undefined;
    const route = this.#routes.get(url.slice(end));
    if (route === undefined) return undefined;
    const token = url.slice(this.#before.length, end);
    if (!plainSegment.test(token)) return undefined;
    const { tokenParameter } = this.#options.table;
    const incoming = new RawIncoming(url, { [tokenParameter]: token }, headers);
    return new Walk(this.#options, incoming, route, undefined).answer();
  }
}

class RawIncoming implements Incoming {
  readonly method = "GET";
  readonly search = "";
  readonly pathname: string;
  readonly params: Readonly<Record<string, string>>;
  readonly #headers: IncomingHttpHeaders;

  constructor(pathname: string, params: Readonly<Record<string, string>>, headers: IncomingHttpHeaders) {
    this.pathname = pathname;
    this.params = params;
    this.#headers = headers;
  }

  header(name: string): string | null {
    const value = this.#headers[name];
    return typeof value === "string" ? value : (value?.join(", ") ?? null);
  }
}
