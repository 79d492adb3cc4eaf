/**
 * Questions about access: a path of the table and some parameters, read as a request has them. Unlike a request, a question
 * may leave placeholders in its path: `/blacklistreason/{factionString}/add`.
 */

import { Failure } from "../domain/errors.ts";
import { RequestInput } from "../engine/input.ts";
import { encodeText, Router } from "../engine/router.ts";
import { tokenInText } from "../identity/tokens.ts";
import type { Vocabulary } from "../table/caller.ts";
import { type Parameter, quote, repeatedParameter, unknownParameter } from "../table/parameters.ts";
import type { Input } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";

/** A route, and the parameters that its restriction depends on. */
export interface Question {
  readonly route: Route;
  /** Those with a value in the question, or with a default. */
  readonly input: Input;
  /** The others. */
  readonly open: readonly Parameter[];
}

/** A parameter as it was typed. */
export type Pair = readonly [name: string, text: string];

interface Match {
  readonly route: Route;
  /** The values of its placeholders, without those that are left open. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Reads a question. Parameters that the restriction does not depend on may be missing.
 * @param path without the prefix; not percent-encoded
 * @throws Failure `UNKNOWN_PATH`, `PARAMETER_UNKNOWN`, `PARAMETER_REPEATED`, and those of {@link RequestInput}
 */
export function toQuestion(
  table: Table,
  vocabulary: Vocabulary,
  path: string,
  pairs: readonly Pair[],
): Question {
  const { route, path: inPath } = matchRoute(table, path);
  const texts = new Map(Object.entries(inPath));
  for (const [name, text] of pairs) {
    // As for a request, a value in the path cannot be repeated as a query parameter.
    const names = route.parameters.map((each) => each.name).filter((each) => !(each in inPath));
    if (!names.includes(name)) throw unknownParameter(name, names);
    if (texts.has(name)) throw repeatedParameter(name);
    texts.set(name, text);
  }
  const open = route.parameters.filter(
    (each) => route.decisive.has(each.name) && each.default === undefined && !texts.has(each.name),
  );
  return { route, input: decisiveInput(route, vocabulary, texts, open), open };
}

/** As {@link toQuestion}, without open parameters. @throws Failure also `PARAMETER_MISSING` */
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
  const where = missing.in === "path" ? "in place of its placeholder in the path" : `as ${name}=…`;
  const sentence = `The parameter "${name}" is missing: the restriction depends on it.`;
  throw new Failure("PARAMETER_MISSING", sentence, { parameter: name, hint: `Give it ${where}.` });
}

/** Parses all parameters as those of a request, and returns those that the restriction depends on. */
function decisiveInput(
  route: Route,
  vocabulary: Vocabulary,
  texts: ReadonlyMap<string, string>,
  open: readonly Parameter[],
): Input {
  const textsIn = (place: Parameter["in"]) =>
    route.parameters.flatMap(({ name, in: own }): [string, string][] => {
      const text = own === place ? texts.get(name) : undefined;
      return text === undefined ? [] : [[name, text]];
    });
  const params = textsIn("path").map(([name, text]) => [name, encodeText(text)] as const);
  const decisive = new Set(route.decisive);
  for (const { name } of open) decisive.delete(name);
  const input = new RequestInput(
    { ...route, decisive },
    { vocabulary: () => vocabulary, tokenForm: tokenInText },
    { params: Object.fromEntries(params), search: new URLSearchParams(textsIn("query")).toString() },
  );
  const values = { ...input.decisive() };
  input.present();
  return values;
}

/** Finds the route of a path, as the router does for a request. A placeholder that is left as it is stays open. */
function matchRoute(table: Table, path: string): Match {
  const router = new Router(table);
  const match = router.find(path);
  if (match === undefined) {
    const near = router.nearest(path);
    const hint = near === undefined ? "`addon-cli routes list` lists the paths." : `Did you mean ${near}?`;
    throw new Failure("UNKNOWN_PATH", `The route table has no path ${quote(path)}.`, { hint });
  }
  const { route } = match;
  const segments = path.split("/");
  const values: Record<string, string> = Object.create(null);
  for (const [index, own] of route.path.split("/").entries()) {
    const text = segments[index] ?? "";
    if (own.startsWith("{") && own !== text) values[own.slice(1, -1)] = text;
  }
  return { route, path: values };
}
