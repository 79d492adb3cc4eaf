/**
 * What is asked about access: a path of the table and some parameters, read as a request would read them. Other than
 * a request, a question may leave a path's parameter in braces: `/blacklistreason/{factionString}/add`.
 */

import { Failure } from "../domain/errors.ts";
import { didYouMean, oneOf } from "../domain/text.ts";
import { RequestInput } from "../engine/input.ts";
import { Router } from "../engine/router.ts";
import { tokenInText } from "../identity/tokens.ts";
import type { Vocabulary } from "../table/caller.ts";
import { type Parameter, parseParameter, quote } from "../table/parameters.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";

/** A route, and what is said of its parameters. */
export interface Question {
  readonly route: Route;
  /** The parameters that the restriction depends on, as given or by their defaults. */
  readonly input: Input;
  /** Those of them that were neither given nor have a default. */
  readonly open: readonly Parameter[];
}

/** A parameter as somebody typed it: its name, its text. */
export type Pair = readonly [name: string, text: string];

interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Reads a question. Parameters that the restriction does not depend on may be missing.
 * @param path without the prefix; not percent-encoded
 * @throws Failure `UNKNOWN_PATH`, `PARAMETER_UNKNOWN`, `PARAMETER_REPEATED`, `PARAMETER_INVALID`, or that of an unknown name
 */
export function toQuestion(
  table: Table,
  vocabulary: Vocabulary,
  path: string,
  pairs: readonly Pair[],
): Question {
  const { route, path: inPath } = matchRoute(table, path);
  const given = new Map(Object.entries(inPath));
  for (const [name, text] of pairs) {
    const parameter = route.parameters.find((each) => each.name === name);
    // What the path says already is not asked for a second time: a request would not take it either.
    if (parameter === undefined || name in inPath) throw unknownParameter(route, inPath, name);
    if (given.has(name)) {
      throw new Failure("PARAMETER_REPEATED", `"${name}" came more than once.`, {
        parameter: name,
        hint: "Give it once.",
      });
    }
    given.set(name, text);
  }
  const open: Parameter[] = [];
  for (const parameter of route.parameters) {
    const text = given.get(parameter.name);
    if (text !== undefined) parseParameter(parameter, text, vocabulary);
    else if (route.decisive.has(parameter.name) && parameter.default === undefined) open.push(parameter);
  }
  return { route, input: decisiveOf(route, vocabulary, given, open), open };
}

/** As {@link toQuestion}, where everything has to be given that decides. @throws Failure also `PARAMETER_MISSING` */
export function toWholeQuestion(
  table: Table,
  vocabulary: Vocabulary,
  path: string,
  pairs: readonly Pair[],
): Question {
  const question = toQuestion(table, vocabulary, path, pairs);
  const [missing] = question.open;
  if (missing === undefined) return question;
  const { name } = missing;
  const where = missing.in === "path" ? "in place of its braces in the path" : `as ${name}=…`;
  throw new Failure(
    "PARAMETER_MISSING",
    `The parameter "${name}" is missing: the restriction depends on it.`,
    {
      parameter: name,
      hint: `Give it ${where}.`,
    },
  );
}

/** The decisive parameters, by the code that checks those of requests. */
function decisiveOf(
  route: Route,
  vocabulary: Vocabulary,
  given: ReadonlyMap<string, string>,
  open: readonly Parameter[],
): Input {
  const isGiven = ({ name }: Parameter) => given.has(name);
  const path = route.parameters.filter((each) => each.in === "path" && isGiven(each));
  const query = route.parameters.filter((each) => each.in === "query" && isGiven(each));
  const decisive = new Set(route.decisive);
  for (const { name } of open) decisive.delete(name);
  const textOf = ({ name }: Parameter) => given.get(name) ?? "";
  const params = Object.fromEntries(path.map((each) => [each.name, encodeURIComponent(textOf(each))]));
  const input = new RequestInput(
    { ...route, decisive },
    { vocabulary: () => vocabulary, tokenForm: tokenInText },
    {
      params,
      search: new URLSearchParams(
        Object.fromEntries(query.map((each) => [each.name, textOf(each)])),
      ).toString(),
    },
  );
  return { ...input.decisive() };
}

/**
 * Finds the route of a path as the router finds that of a request. A placeholder of the route that is repeated as it is,
 * such as `{factionString}`, stays open.
 */
function matchRoute(table: Table, path: string): Match {
  const router = new Router(table);
  const match = router.match(router.pathnameOf(path));
  if (match === undefined) {
    const near = router.nearest(path);
    const hint = near === undefined ? "`addon-cli routes list` lists the paths." : `Did you mean ${near}?`;
    throw new Failure("UNKNOWN_PATH", `The route table has no path ${quote(path)}.`, { hint });
  }
  const { route, params } = match;
  const values: Record<string, string> = Object.create(null);
  for (const { name, in: place } of route.parameters) {
    const text = decodeURIComponent(params[name] ?? "");
    if (place === "path" && text !== `{${name}}`) values[name] = text;
  }
  return { route, path: values };
}

function unknownParameter(route: Route, inPath: Match["path"], name: string): Failure {
  const names = route.parameters.map((each) => each.name).filter((each) => !(each in inPath));
  const known = names.length === 0 ? "It takes none." : `It takes ${oneOf(names, "and")}.`;
  const said = quote(name);
  return new Failure(
    "PARAMETER_UNKNOWN",
    `This operation has no parameter ${said}.${didYouMean(name, names)}`,
    {
      parameter: said.slice(1, -1),
      hint: known,
    },
  );
}
