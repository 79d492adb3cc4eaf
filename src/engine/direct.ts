/**
 * Requests that are answered without h3: a GET of plain characters, with at most one parameter in its path beside the
 * token. That is what addon clients send. h3's way to a route (a `Request`, a `URL`, an event, the path in pieces) costs
 * more than all the steps of the request. The steps are the same.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Route } from "../table/table.ts";
import type { Answer } from "./response.ts";
import { type EngineOptions, type Incoming, Walk } from "./walk.ts";

/** A request as Node has it. */
export interface RawRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket?: { readonly remoteAddress?: string | undefined };
}

/** Anything else h3 would take apart, or make into something else, before it looks for a route. */
const plain = /^(?:\/[\w-][\w.-]*)+(?:\?[\w.~*+%=&-]*)?$/;

/** What stands for the parameter in the path of a route. */
const hole = "{}";

/** A route, and the name of the parameter in its path. */
interface Found {
  readonly route: Route;
  readonly parameter: string | undefined;
}

/** See the head of this file. */
export class DirectRequests {
  readonly #options: EngineOptions;
  /** What stands before the token. */
  readonly #before: string;
  /** By what stands behind the token, with a {@link hole} in the place of a parameter. */
  readonly #routes = new Map<string, Found>();
  /** The segments behind the token that are a parameter of some route. */
  readonly #places = new Set<number>();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { prefix, tokenParameter, routes } = options.table;
    const [before = "", after = ""] = prefix.split(`{${tokenParameter}}`);
    this.#before = before;
    for (const route of routes) {
      const segments = (after + route.path).split("/");
      const [place, ...others] = placesIn(segments);
      if (place === undefined) {
        this.#routes.set(segments.join("/"), { route, parameter: undefined });
      } else if (others.length === 0 && !isAmbiguous(route.path, routes)) {
        const parameter = segments[place]?.slice(1, -1);
        this.#routes.set(segments.with(place, hole).join("/"), { route, parameter });
        this.#places.add(place);
      }
    }
  }

  /** Answers a request, or undefined where h3 has to look at it. */
  answer(request: RawRequest): Answer | Promise<Answer> | undefined {
    const { method, url = "" } = request;
    if (method !== "GET" || !url.startsWith(this.#before) || !plain.test(url)) return undefined;
    const start = url.indexOf("/", this.#before.length);
    if (start === -1) return undefined;
    const query = url.indexOf("?", start);
    const end = query === -1 ? url.length : query;
    const token = url.slice(this.#before.length, start);
    const path = url.slice(start, end);
    const search = url.slice(end);
    const literal = this.#routes.get(path);
    if (literal !== undefined) {
      return this.#walk(literal, new RawIncoming(this.#options, { path, search, token }, request));
    }
    for (const place of this.#places) {
      const [from, to] = segmentAt(path, place);
      const found = this.#routes.get(path.slice(0, from) + hole + path.slice(to));
      if (found === undefined) continue;
      const { parameter } = found;
      const given = { path, search, token, parameter, value: path.slice(from, to) };
      return this.#walk(found, new RawIncoming(this.#options, given, request));
    }
    return undefined;
  }

  #walk({ route }: Found, incoming: Incoming): Answer | Promise<Answer> {
    return new Walk(this.#options, incoming, route, undefined).answer();
  }
}

function placesIn(segments: readonly string[]): number[] {
  return segments.flatMap((segment, place) => (segment.startsWith("{") ? [place] : []));
}

/** Whether a path of the same length has a parameter elsewhere: which of them is meant, h3 decides. */
function isAmbiguous(path: string, routes: readonly Route[]): boolean {
  const segments = path.split("/");
  const [place] = placesIn(segments);
  return routes.some((other) => {
    const others = other.path.split("/");
    return others.length === segments.length && placesIn(others).some((each) => each !== place);
  });
}

/** Where a segment of a path begins and ends; both at the path's end where there are not so many. */
function segmentAt(path: string, place: number): readonly [from: number, to: number] {
  let from = 0;
  for (let number = 0; number < place; number += 1) {
    from = path.indexOf("/", from) + 1;
    if (from === 0) return [path.length, path.length];
  }
  const to = path.indexOf("/", from);
  return [from, to === -1 ? path.length : to];
}

/** What was found in a URL, still percent-encoded. */
interface InURL {
  readonly path: string;
  readonly search: string;
  readonly token: string;
  readonly parameter?: string | undefined;
  readonly value?: string;
}

class RawIncoming implements Incoming {
  readonly method = "GET";
  readonly #tokenParameter: string;
  readonly #inURL: InURL;
  readonly #request: RawRequest;

  constructor({ table }: EngineOptions, inURL: InURL, request: RawRequest) {
    this.#tokenParameter = table.tokenParameter;
    this.#inURL = inURL;
    this.#request = request;
  }

  get pathname(): string {
    return this.#inURL.path;
  }

  get search(): string {
    return this.#inURL.search;
  }

  param(name: string): string | undefined {
    const { token, parameter, value } = this.#inURL;
    if (name === this.#tokenParameter) return token;
    return name === parameter ? value : undefined;
  }

  header(name: string): string | null {
    const value = this.#request.headers[name];
    return typeof value === "string" ? value : (value?.join(", ") ?? null);
  }

  get address(): string | undefined {
    return this.#request.socket?.remoteAddress;
  }
}
