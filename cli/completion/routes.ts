/** Completes paths and parameters after `call`, `can-i` and `who-can`. */
import { fold } from "../../src/domain/text.ts";
import { handlersFor } from "../../src/resources/index.ts";
import type { ParameterType } from "../../src/table/base-types.ts";
import { noNames } from "../../src/table/caller.ts";
import { toDeclarations } from "../../src/table/declared/declarations.ts";
import { parseTable } from "../../src/table/document.ts";
import { placeholdersOf, toParameters } from "../../src/table/route-parameters.ts";
import { toTypes } from "../../src/table/types.ts";

export type TypedRoute = ReturnType<typeof routesOf>[number];

/** Returns the routes of a table, or none if it has faults. */
export function routesOf(text: string) {
  const document = parseTable(text);
  const { content } = document;
  if (content === undefined) return [];
  const report = () => undefined;
  const types = toTypes(content.types ?? {}, report);
  const handlers = handlersFor(toDeclarations(content, { ...document, types, resources: [], report }));
  return Object.entries(content.routes).map(([path, route]) => {
    const handler = handlers.get(route.handler);
    const operation = handler && { ...handler, run: () => undefined };
    const parameters = toParameters(path, route, types, () => noNames, operation, document);
    return { path, parameters: new Map(Array.from(parameters, ([name, { type }]) => [name, type])) };
  });
}

/** Returns the first segments of the paths. */
export function resourcesOf(routes: readonly TypedRoute[]): readonly string[] {
  return [...new Set(routes.map(({ path }) => path.split("/")[1] ?? ""))];
}

/** A placeholder whose value is being typed. */
export interface TypedPlaceholder {
  readonly type: ParameterType | undefined;
  /** The typed part of its value. */
  readonly typed: string;
  /** The path before it. */
  readonly before: string;
  /** What can follow it: nothing, or a slash. */
  readonly endings: Set<"" | "/">;
}

/** Completes a path: to whole paths, to paths up to the next placeholder, which end with a slash, and to placeholders. */
export function continuePath(routes: readonly TypedRoute[], typed: string) {
  const words = typed.split("/");
  const last = words.pop() ?? "";
  const before = typed.slice(0, typed.length - last.length);
  const paths = new Set<string>();
  const placeholders = new Map<string, TypedPlaceholder>();
  for (const { path, parameters } of routes) {
    const segments = path.split("/");
    const segment = segments[words.length];
    if (segment === undefined || !words.every((word, index) => matches(word, segments[index]))) continue;
    const [name] = placeholdersOf(segment);
    if (name === undefined) {
      if (segment.startsWith(last)) paths.add(before + upToPlaceholder(segments.slice(words.length)));
      continue;
    }
    const type = parameters.get(name);
    const key = type?.name ?? "";
    const placeholder = placeholders.get(key) ?? { type, typed: last, before, endings: new Set() };
    placeholder.endings.add(segments.length > words.length + 1 ? "/" : "");
    placeholders.set(key, placeholder);
  }
  return { paths: [...paths], placeholders: [...placeholders.values()] };
}

function upToPlaceholder(segments: readonly string[]): string {
  const index = segments.findIndex((segment) => placeholdersOf(segment).length > 0);
  return index < 0 ? segments.join("/") : `${segments.slice(0, index).join("/")}/`;
}

function matches(word: string, segment = ""): boolean {
  return placeholdersOf(segment).length > 0 ? word !== "" : fold(segment) === fold(word);
}

/** Returns the parameters of a path's route that have no value yet: those of the query, and remaining placeholders. */
export function parametersLeft(
  routes: readonly TypedRoute[],
  path: string,
  given: readonly string[],
): ReadonlyMap<string, ParameterType> {
  const words = path.split("/");
  const fits = ({ path: template }: TypedRoute) => {
    const segments = template.split("/");
    return segments.length === words.length && words.every((word, index) => matches(word, segments[index]));
  };
  // A literal path precedes one with a placeholder.
  const route = routes.find((route) => route.path === path) ?? routes.find(fits);
  if (route === undefined) return new Map();
  const left = new Set(placeholdersOf(path));
  const inPath = placeholdersOf(route.path).filter((name) => !left.has(name));
  const taken = new Set([...inPath, ...given.map((pair) => pair.replace(/=.*$/s, ""))]);
  return new Map(Array.from(route.parameters).filter(([name]) => !taken.has(name)));
}
