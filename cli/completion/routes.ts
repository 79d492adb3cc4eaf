/** The paths of a route table and their parameters, as they are typed behind `call`, `can-i` and `who-can`. */

import { fold } from "../../src/domain/text.ts";
import { parseTable } from "../../src/table/document.ts";
import type { ParameterType } from "../../src/table/parameters.ts";
import { placeholdersOf } from "../../src/table/table.ts";
import { Types } from "../../src/table/types.ts";

/** A route, as far as it is typed. */
export interface TypedRoute {
  readonly path: string;
  readonly parameters: ReadonlyMap<string, ParameterType>;
}

/** The routes of a table; none of one that has faults. */
export function routesOf(text: string): readonly TypedRoute[] {
  const { content } = parseTable(text);
  if (content === undefined) return [];
  const types = new Types(content.types ?? {}, () => {});
  return Object.entries(content.routes).map(([path, { parameters = {} }]) => ({
    path,
    parameters: new Map(
      Object.entries(parameters).flatMap(([name, form]) => {
        const type = typeof form === "string" ? types.named(form) : types.refined(form, []);
        return type === undefined ? [] : [[name, type] as const];
      }),
    ),
  }));
}

/** The first parts of the paths. */
export function resourcesOf(routes: readonly TypedRoute[]): readonly string[] {
  return [...new Set(routes.map(({ path }) => path.split("/")[1] ?? ""))];
}

/** A placeholder that is being typed, and what can stand behind it. */
export interface TypedPlaceholder {
  readonly type: ParameterType | undefined;
  /** What has been typed of it. */
  readonly typed: string;
  /** What has been typed before it. */
  readonly before: string;
  /** Whether a path ends with it, and whether one goes on behind it. */
  readonly ends: boolean;
  readonly goesOn: boolean;
}

/** What a path that is being typed can become. */
export interface TypedPath {
  /** Whole paths, and those up to their next placeholder, which end with a slash. */
  readonly paths: readonly string[];
  readonly placeholders: readonly TypedPlaceholder[];
}

/** Continues a path. */
export function continuePath(routes: readonly TypedRoute[], typed: string): TypedPath {
  const words = typed.split("/");
  const last = words.pop() ?? "";
  const before = typed.slice(0, typed.length - last.length);
  const paths = new Set<string>();
  const placeholders = new Map<string, TypedPlaceholder>();
  for (const { path, parameters } of routes) {
    const segments = path.split("/");
    const segment = segments[words.length];
    if (segment === undefined || !words.every((word, index) => matches(segments[index], word))) continue;
    const [name] = placeholdersOf(segment);
    if (name === undefined) {
      if (segment.startsWith(last)) paths.add(before + upToPlaceholder(segments.slice(words.length)));
      continue;
    }
    const type = parameters.get(name);
    const goesOn = segments.length > words.length + 1;
    const known = placeholders.get(type?.name ?? "");
    placeholders.set(type?.name ?? "", {
      type,
      typed: last,
      before,
      ends: known?.ends === true || !goesOn,
      goesOn: known?.goesOn === true || goesOn,
    });
  }
  return { paths: [...paths], placeholders: [...placeholders.values()] };
}

function upToPlaceholder(segments: readonly string[]): string {
  const index = segments.findIndex((segment) => placeholdersOf(segment).length > 0);
  return index < 0 ? segments.join("/") : `${segments.slice(0, index).join("/")}/`;
}

function matches(segment: string | undefined, word: string): boolean {
  if (segment === undefined) return false;
  return placeholdersOf(segment).length > 0 ? word !== "" : fold(segment) === fold(word);
}

/** The parameters of the route of a path that are yet to be given: those of its query, and braces that were left. */
export function parametersLeft(
  routes: readonly TypedRoute[],
  path: string,
  given: readonly string[],
): ReadonlyMap<string, ParameterType> {
  const words = path.split("/");
  const fits = ({ path: template }: TypedRoute) => {
    const segments = template.split("/");
    return segments.length === words.length && words.every((word, index) => matches(segments[index], word));
  };
  // A static path comes before one with a placeholder.
  const route = routes.find((each) => each.path === path) ?? routes.find(fits);
  if (route === undefined) return new Map();
  const left = new Set(placeholdersOf(path));
  const inPath = placeholdersOf(route.path).filter((name) => !left.has(name));
  const taken = new Set([...inPath, ...given.map((pair) => pair.replace(/=.*$/s, ""))]);
  return new Map(Array.from(route.parameters).filter(([name]) => !taken.has(name)));
}
