/** Calls for pages that everybody may see: as a visitor, who has no token and may call what is open. */
import { type Caller, nobody } from "../table/caller.ts";
import { opens, type TablePage } from "../table/pages.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Route } from "../table/table.ts";
import type { Engine } from "./engine.ts";
import type { Answer } from "./response.ts";
import { encodeText } from "./router.ts";

/** A visitor changes nothing, whatever the table opens. */
const visitor: Caller = { ...nobody, readOnly: true };

/** Runs the operation of a page through the steps of a request. The request for the page is logged instead of it. */
export async function visit(engine: Engine, page: TablePage, input: Input): Promise<Answer> {
  // Whether the route is also open with this input is decided as for any other request.
  const sights = engine.table.routes.flatMap((route) => sightOf(route, page));
  const [open] = sights.sort((one, other) => other.most - one.most);
  if (open === undefined) throw new Error(`${page.operation} is not open, although a page shows it`);
  const { route, most } = open;
  const values = Number.isFinite(most) ? { ...input, limit: most } : input;
  const given = route.parameters.filter(({ name }) => Object.hasOwn(values, name));
  const textsIn = (place: "path" | "query") =>
    given
      .filter((parameter) => parameter.in === place)
      .map(({ name }): [string, string] => [name, String(values[name])]);
  const params = Object.fromEntries(textsIn("path").map(([name, text]) => [name, encodeText(text)]));
  return engine.call(route.path, textsIn("query"), visitor, { route, params, token: "" });
}

/**
 * Returns a route if it is open, and how many entries of a list it gives. The default of a limit would hide entries from
 * searches and files.
 */
function sightOf(route: Route, { operation, input, list }: TablePage) {
  if (!opens(route, operation, input)) return [];
  const limit = route.parameters.find(({ name }) => list !== undefined && name === "limit");
  if (limit === undefined) return [{ route, most: Number.POSITIVE_INFINITY }];
  const { maximum } = limit.type;
  const isWhole = maximum !== undefined && opens(route, operation, { ...input, limit: maximum });
  return [{ route, most: Number(isWhole ? maximum : limit.default) }];
}
