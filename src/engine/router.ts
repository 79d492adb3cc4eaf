/** The router: finds the route of a path, for requests and for commands. */
import { addRoute, createRouter, findRoute, type RouterContext } from "rou3";
import { endsAlike, KnownNames, longestTyped } from "../domain/text.ts";
import type { Route, Table } from "../table/table.ts";

/** A route, and the values of the placeholders in its path and in the prefix, percent-encoded. */
export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** See the head of this file. */
export class Router {
  readonly #routes: RouterContext<Route> = createRouter();
  readonly #prefix: string;
  /** Folded once, since anybody can request unknown paths without a token. */
  readonly #paths: KnownNames;
  readonly #byPath: ReadonlyMap<string, Route>;

  constructor({ prefix, routes }: Pick<Table, "prefix" | "routes">) {
    this.#prefix = prefix;
    this.#byPath = new Map(routes.map((route) => [route.path, route]));
    this.#paths = new KnownNames([...this.#byPath.keys()]);
    for (const route of routes) {
      addRoute(this.#routes, "", (prefix + route.path).replace(/\{(\w+)\}/g, ":$1"), route);
    }
  }

  /**
   * Returns the route of a path, or undefined. If several match, literal segments take precedence over placeholders,
   * from left to right. A slash at the end is ignored.
   * @param pathname with the prefix, percent-encoded
   */
  match(pathname: string): Match | undefined {
    const found = findRoute(this.#routes, "", pathname);
    return found && { route: found.data, params: found.params ?? {} };
  }

  /**
   * Returns the full path of an operation as a URL has it, for {@link match}. A dash takes the place of the token.
   * @param path without the prefix, not percent-encoded
   */
  pathnameOf(path: string): string {
    return this.#prefix.replace(/\{\w+\}/, "-") + path.split("/").map(encodeSegment).join("/");
  }

  /**
   * Returns the path of the table that a caller most likely meant. The path of a change is suggested only for a slip:
   * `/player/rename` must not lead to `/player/remove`.
   * @param path without the prefix
   */
  nearest(path: string): string | undefined {
    const near = this.#paths.nearest(path);
    const route = near === undefined ? undefined : this.#byPath.get(near);
    return route?.operation.effect === "change" && !endsAlike(path, route.path) ? undefined : near;
  }

  /** As {@link nearest}, for a path with the prefix. A long one costs too much to compare. */
  nearestTo(pathname: string): string | undefined {
    if (pathname.length > longestTyped) return undefined;
    const depth = this.#prefix.split("/").length;
    return this.nearest(`/${pathname.split("/").slice(depth).join("/")}`);
  }
}

/** Encodes a segment. Dot segments and lone surrogates become U+FFFD: no URL can contain them, and no name U+FFFD. */
function encodeSegment(text: string): string {
  const isDots = text === "." || text === "..";
  return encodeURIComponent(isDots ? "\ufffd" : text.replace(/[\uD800-\uDFFF]/gu, "\ufffd"));
}
