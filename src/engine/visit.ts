/** Calls for pages that everybody may see: as a visitor, who has no token and may call what is open. */
import { type Caller, nobody } from "../table/caller.ts";
import { openRoute, type TablePage } from "../table/pages.ts";
import type { Parameter } from "../table/parameters.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Engine } from "./engine.ts";
import type { Answer } from "./response.ts";
import { encodeText } from "./router.ts";

/** A visitor changes nothing, whatever the table opens. */
const visitor: Caller = { ...nobody, readOnly: true };

/** Runs the operation of a page through the steps of a request. The request for the page is logged instead of it. */
export async function visit(engine: Engine, page: TablePage, input: Input): Promise<Answer> {
  const { operation, list } = page;
  // Whether the route is also open with this input is decided as for any other request.
  const open = openRoute(engine.table.routes, operation, page.input);
  if (open === undefined) throw new Error(`${operation} is not open, although a page shows it`);
  // A list is shown as far as anybody may read it: the default of a limit would hide entries from searches and files.
  const isLimit = ({ name }: Parameter) => list !== undefined && name === "limit";
  const most = open.parameters.find(isLimit)?.type.maximum;
  const values = most === undefined ? input : { ...input, limit: most };
  const parameters =
    most === undefined ? open.parameters.filter((known) => !isLimit(known)) : open.parameters;
  const route = { ...open, parameters };
  const given = route.parameters.filter(({ name }) => Object.hasOwn(values, name));
  const textsIn = (place: "path" | "query") =>
    given
      .filter((parameter) => parameter.in === place)
      .map(({ name }): [string, string] => [name, String(values[name])]);
  const params = Object.fromEntries(textsIn("path").map(([name, text]) => [name, encodeText(text)]));
  return engine.call(route.path, textsIn("query"), visitor, { route, params, token: "" });
}
