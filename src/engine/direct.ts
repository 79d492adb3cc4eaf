/**
 * Reads that are answered without h3: those that are asked for by nothing but a path, of plain characters, which has no
 * parameter but the token, or one more at its end. Addon clients ask for such lists at every start of the game, and h3's
 * way to a route (a `Request`, a `URL`, an event) costs more than all the steps of the request. The steps are the same.
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

/** Anything else h3 would take apart, or make into something else, before it looks for a route. */
const plainSegment = /^[\w-][\w.-]*$/;

/** A route, and the name of the parameter at the end of its path. */
interface Found {
  readonly route: Route;
  readonly parameter: string | undefined;
}

/** See the head of this file. */
export class DirectReads {
  readonly #options: EngineOptions;
  /** What stands before the token. */
  readonly #before: string;
  /** By what stands behind the token; undefined for what is not for here, such as a change. */
  readonly #literal = new Map<string, Found | undefined>();
  /** By what stands between the token and the parameter at the end. */
  readonly #ending = new Map<string, Found>();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { table } = options;
    const [before = "", after = ""] = table.prefix.split(`{${table.tokenParameter}}`);
    this.#before = before;
    for (const route of table.routes) {
      const { path, operation } = route;
      const isRead = operation.effect === "read";
      const [, start = "", parameter] = /^([^{]*\/)\{(\w+)\}$/.exec(path) ?? [];
      if (!path.includes("{")) {
        this.#literal.set(after + path, isRead ? { route, parameter: undefined } : undefined);
      } else if (isRead && parameter !== undefined && !isAmbiguous(path, table.routes)) {
        this.#ending.set(after + start, { route, parameter });
      }
    }
  }

  /** Answers a request, or undefined where h3 has to look at it. */
  answer({ method, url = "", headers }: RawRequest): Answer | Promise<Answer> | undefined {
    if (method !== "GET" || !url.startsWith(this.#before)) return undefined;
    const end = url.indexOf("/", this.#before.length);
    if (end === -1) return undefined;
    const path = url.slice(end);
    const last = path.lastIndexOf("/") + 1;
    const found = this.#literal.has(path) ? this.#literal.get(path) : this.#ending.get(path.slice(0, last));
    if (found === undefined) return undefined;
    const token = url.slice(this.#before.length, end);
    if (!plainSegment.test(token)) return undefined;
    const params: Record<string, string> = { [this.#options.table.tokenParameter]: token };
    if (found.parameter !== undefined) {
      const value = path.slice(last);
      if (!plainSegment.test(value)) return undefined;
      params[found.parameter] = value;
    }
    const incoming = new RawIncoming(url, params, headers);
    return new Walk(this.#options, incoming, found.route, undefined).answer();
  }
}

/** Whether a path of the same length has a parameter further in front: which of them is meant, h3 decides. */
function isAmbiguous(path: string, routes: readonly Route[]): boolean {
  const { length } = path.split("/");
  return routes.some((other) => {
    const segments = other.path.split("/");
    return segments.length === length && segments.slice(0, -1).join("/").includes("{");
  });
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
