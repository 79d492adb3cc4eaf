/** The pages of a table: what everybody may see without a token. `docs/pages.md` describes them. */
import * as v from "valibot";
import { nobody } from "./caller.ts";
import type { Declarations } from "./declared/declarations.ts";
import type { List } from "./declared/lists.ts";
import type { Parameter } from "./parameters.ts";
import { type Input, isAllowed, type Restriction, toInput } from "./restriction/restriction.ts";
import { optional, text } from "./type-form.ts";
import type { Report } from "./yaml/fault.ts";
import { mapWith } from "./yaml/maps.ts";
import { unknownName } from "./yaml/wording.ts";

const pageNames = ["home", "overlay", "top", "player", "housebans", "wanted", "team"] as const;

export const pagesSchema = optional(
  v.array(
    v.union(
      [v.picklist(pageNames), mapWith({ list: text("The declared list that the page shows.") })],
      `one of ${pageNames.join(", ")}, or a map such as { list: track }`,
    ),
  ),
  "The pages that everybody may see without a token; without it, none.",
);

export interface TablePage {
  readonly name: Exclude<(typeof pageNames)[number], "wanted"> | "list";
  readonly path: string;
  /** What it shows: an operation that is open, with the values of its parameters. */
  readonly operation: string;
  readonly input: Input;
  /** The list of a page that shows one. */
  readonly list: List | undefined;
}

/** The folder of the pages' styles and scripts. */
export const pageFiles = "/pages";

/** Each page with the operation that it shows, which everybody has to be allowed to call. */
const shown: Readonly<Record<TablePage["name"], readonly [operation: string, input: Input]>> = {
  home: ["mgmt.overview", {}],
  overlay: ["event.current", {}],
  top: ["statistic.top", {}],
  player: ["statistic.show", { player: "" }],
  housebans: ["houseban.list", { advanced: false }],
  team: ["player.overview", {}],
  list: ["", {}],
};

/** A route as far as a page is concerned. */
interface Served {
  readonly handler: string;
  readonly restriction: Restriction;
  readonly parameters: readonly Pick<Parameter, "name" | "default">[];
}

/** Whether everybody may call an operation by a route with some values, all others being left out. */
export function opens(
  { handler, restriction, parameters }: Served,
  operation: string,
  input: Input,
): boolean {
  const values = toInput(parameters.map(({ name, default: initial }) => [name, input[name] ?? initial]));
  const isWhole = parameters.every(({ name }) => Object.hasOwn(values, name));
  return handler === operation && isWhole && isAllowed(restriction, nobody, values);
}

/** Returns the pages that a table declares. Reports those that show what is not open, and a prefix that could match one. */
export function toPages(
  declared: v.InferOutput<typeof pagesSchema>,
  prefix: string,
  { lists, scores }: Pick<Declarations, "lists" | "scores">,
  routes: readonly Served[],
  report: Report,
): TablePage[] {
  const pages = (declared ?? []).flatMap((page, index): TablePage[] => {
    const at = ["pages", index];
    const named = page === "wanted" ? "wantedreason" : typeof page === "object" ? page.list : undefined;
    const list = lists.find(({ name }) => name === named);
    if (named !== undefined && list === undefined) {
      const names = lists.map(({ name }) => name);
      return report(typeof page === "object" ? [...at, "list"] : at, unknownName("list", named, names)) ?? [];
    }
    const name: TablePage["name"] = page === "wanted" || typeof page === "object" ? "list" : page;
    const [operation, input] = list === undefined ? shown[name] : [`${list.name}.list`, {}];
    if (!routes.some((route) => opens(route, operation, input))) {
      const [required] = routes
        .filter((route) => route.handler === operation && isAllowed(route.restriction, nobody, input))
        .flatMap(({ parameters }) => parameters)
        .filter((parameter) => (input[parameter.name] ?? parameter.default) === undefined);
      const words =
        required === undefined
          ? "which no route opens to everybody"
          : `whose open route requires "${required.name}"; add an open route without it`;
      report(at, `this page shows ${operation}, ${words}`);
    }
    const base = { name, operation, input, list };
    if (name === "overlay") return scores.map((score) => ({ ...base, path: `/overlay/${score.name}` }));
    const own = name === "home" ? "/" : `/${typeof page === "object" ? `lists/${named}` : page}`;
    return [{ ...base, path: own }];
  });
  const paths = pages.map(({ path }) => path);
  for (const [index, path] of paths.entries())
    if (paths.indexOf(path) < index) report(["pages"], `the page ${path} is listed twice`, "key");
  const met = [...paths, ...(paths.length > 0 ? [`${pageFiles}/page.css`] : [])].find((path) =>
    begins(path, prefix),
  );
  if (met !== undefined) report(["prefix"], `this prefix matches the page ${met}; choose another one`);
  return pages;
}

/** Whether a path begins with what a prefix matches. The start page has no segment that one could match. */
function begins(path: string, prefix: string): boolean {
  const segments = path.split("/");
  return (
    path !== "/" &&
    prefix
      .split("/")
      .every((part, index) => segments[index] === part || (part.startsWith("{") && index < segments.length))
  );
}
