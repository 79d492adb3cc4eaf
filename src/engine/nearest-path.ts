/** The path that somebody most likely meant who asked for one that does not exist. */
import { endsAlike, KnownNames, longestTyped } from "../domain/text.ts";
import type { Table } from "../table/table.ts";

/** The paths of each table, folded once: anybody can ask for paths that do not exist, without a token. */
const pathsOf = new WeakMap<Table, KnownNames>();

/** As {@link nearestToPath}, without looking at the token in what was asked for, nor at the prefix. */
export function nearestPath(table: Table, pathname: string): string | undefined {
  if (pathname.length > longestTyped) return undefined;
  const depth = table.prefix.split("/").length;
  return nearestToPath(table, `/${pathname.split("/").slice(depth).join("/")}`);
}

/**
 * Returns the path of the table that is nearest to one behind the prefix. The path of a change is returned only for a
 * slip: `/player/rename` must not lead to `/player/remove`.
 */
export function nearestToPath(table: Table, asked: string): string | undefined {
  let paths = pathsOf.get(table);
  if (paths === undefined) {
    paths = new KnownNames(table.routes.map(({ path }) => path));
    pathsOf.set(table, paths);
  }
  const near = paths.nearest(asked);
  const route = table.routes.find(({ path }) => path === near);
  return route?.operation.effect === "change" && !endsAlike(asked, route.path) ? undefined : near;
}
