/** The router: finds the route of a path, for requests and for commands. */
import { addRoute, createRouter, findRoute, type RouterContext } from "rou3";
import { textLength } from "../domain/limits.ts";
import { endsAlike, longestTyped, nearest } from "../domain/text.ts";
import { lengthsOf } from "../table/base-types.ts";
import type { Parameter } from "../table/parameters.ts";
import type { Route, Table } from "../table/table.ts";

/** A route, and the values of its placeholders, percent-encoded. */
export interface Match {
  readonly route: Route;
  /** The placeholders of the route's path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** What the prefix has as the token: `-` where a header has it; empty where a command asks. */
  readonly token: string;
}

const none = {};

/** How a client can write a character, at most: four bytes, percent-encoded. */
const longestCharacter = 4 * "%00".length;

/** Returns the longest value of a parameter as a client can write it. */
function longestValue({ type }: Pick<Parameter, "type">): number {
  return Math.max(textLength.maxLength, lengthsOf(type).maxLength) * longestCharacter;
}

const longestToken = 100;

export class Router {
  readonly #routes: RouterContext<Route> = createRouter();
  /** The prefix before and behind the token. */
  readonly #before: string;
  readonly #behind: string;
  readonly #byPath: ReadonlyMap<string, Route>;
  /** The length of the longest path that can match, with the prefix. Any character can be percent-encoded. */
  readonly longestPath: number;

  constructor(table: Pick<Table, "prefix" | "routes" | "beside">) {
    const { prefix, routes, beside } = table;
    const served = [...routes, ...beside];
    [this.#before = "", this.#behind = ""] = prefix.split(/\{\w+\}/);
    this.#byPath = new Map(routes.map((route) => [route.path, route]));
    const lengths = served.map(({ path, parameters }) => {
      const values = parameters.filter((parameter) => parameter.in === "path").map(longestValue);
      return 3 * path.replace(/\{\w+\}/g, "").length + values.reduce((sum, length) => sum + length, 0);
    });
    this.longestPath = 3 * `${this.#before}${this.#behind}`.length + longestToken + Math.max(...lengths);
    for (const route of served) {
      addRoute(this.#routes, "", route.path.replace(/\{(\w+)\}/g, ":$1"), route);
    }
  }

  /**
   * Returns the route of a path, or undefined. If several match, literal segments take precedence over placeholders,
   * from left to right. A slash at the end is ignored.
   * @param pathname with the prefix, percent-encoded
   */
  match(pathname: string): Match | undefined {
    if (pathname.length > this.longestPath) return undefined;
    const split = this.#split(pathname);
    return split && this.#find(split.path, split.token);
  }

  /** Returns the token in a path that no route matches. Without one it is `-`: there may be one in the header. */
  tokenIn(pathname: string): string {
    const isOwn = pathname.startsWith(this.#before);
    const [token] = isOwn ? pathname.slice(this.#before.length).split("/", 1) : [];
    return token === undefined || token === "" ? "-" : token;
  }

  /** As {@link match}, of the table's own routes only: what is served beside them takes a request. @param path without the prefix, not percent-encoded */
  find(path: string): Match | undefined {
    if (!path.startsWith("/")) return undefined;
    const found = this.#find(path.split("/").map(encodeSegment).join("/"), "");
    return found !== undefined && this.#byPath.has(found.route.path) ? found : undefined;
  }

  #find(path: string, token: string): Match | undefined {
    const found = findRoute(this.#routes, "", path);
    return found && { route: found.data, params: found.params ?? none, token };
  }

  /** Returns the token and the path behind the prefix, or undefined for another prefix. */
  #split(pathname: string): { token: string; path: string } | undefined {
    const start = this.#before.length;
    const end = pathname.indexOf("/", start);
    if (end <= start || !pathname.startsWith(this.#before) || !pathname.startsWith(this.#behind, end))
      return undefined;
    const path = pathname.slice(end + this.#behind.length);
    return path.startsWith("/") ? { token: pathname.slice(start, end), path } : undefined;
  }

  /**
   * Returns the path of the table that a caller most likely meant. The path of a change is suggested only for a slip:
   * `/player/rename` must not lead to `/player/remove`.
   * @param path without the prefix; if it has one, that is left out
   */
  nearest(path: string): string | undefined {
    return this.#near(path) ?? this.nearestTo(path);
  }

  #near(path: string): string | undefined {
    const near = nearest(path, [...this.#byPath.keys()]);
    const route = near === undefined ? undefined : this.#byPath.get(near);
    return route?.operation.effect === "change" && !endsAlike(path, route.path) ? undefined : near;
  }

  /** As {@link nearest}, for a path that has a prefix. A long one costs too much to compare. */
  nearestTo(pathname: string): string | undefined {
    if (pathname.length > longestTyped) return undefined;
    const depth = `${this.#before}-${this.#behind}`.split("/").length;
    return this.#near(`/${pathname.split("/").slice(depth).join("/")}`);
  }
}

/** Encodes a segment. Dot segments become U+FFFD: no URL can contain them, and no name U+FFFD. */
function encodeSegment(text: string): string {
  return encodeText(text === "." || text === ".." ? "\ufffd" : text);
}

/** Percent-encodes a text. Lone surrogates become U+FFFD, since no URL can contain them either. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.replace(/[\uD800-\uDFFF]/gu, "\ufffd"));
}
