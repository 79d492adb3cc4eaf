/**
 * Questions about access: a path of the table and some parameters, read as a request has them. Unlike a request, a question
 * may leave placeholders in its path: `/setup/{team}/add`.
 */

import { Failure } from "../domain/errors.ts";
import { unknownPath } from "../engine/exchange.ts";
import { RequestInput } from "../engine/input.ts";
import { encodeText, Router } from "../engine/router.ts";
import { tokenInText } from "../identity/tokens.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";

/** A route, and the parameters that its restriction depends on. */
export type Question = ReturnType<typeof toQuestion>;

/** A parameter as it was typed. */
export type Pair = readonly [name: string, text: string];

/**
 * Reads a question. Parameters that the restriction does not depend on may be missing.
 * @param path without the prefix; not percent-encoded
 * @returns as `input` the decisive parameters with a value in the question, or with a default, and as `open` the others
 * @throws Failure `UNKNOWN_PATH`, `PARAMETER_UNKNOWN`, `PARAMETER_REPEATED`, and those of {@link RequestInput}
 */
export function toQuestion(table: Table, vocabulary: Vocabulary, path: string, pairs: readonly Pair[]) {
  const { route, params, rest } = match(table, path, pairs);
  const query = new URLSearchParams();
  for (const [name, text] of rest) {
    const isOpen = route.parameters.some((parameter) => parameter.in === "path" && parameter.name === name);
    // As for a request, a value in the path cannot be repeated as a query parameter.
    if (isOpen && !Object.hasOwn(params, name)) params[name] = encodeText(text);
    else query.append(name, text);
  }
  const open = route.parameters.filter(
    ({ name, default: fallback }) =>
      route.decisive.has(name) && fallback === undefined && !Object.hasOwn(params, name) && !query.has(name),
  );
  const decisive = new Set(route.decisive);
  for (const { name } of open) decisive.delete(name);
  const context = { vocabulary: () => vocabulary, tokenForm: tokenInText };
  const input = new RequestInput({ ...route, decisive }, context, { params, search: query.toString() });
  const values = { ...input.decisive() };
  // All are checked as those of a request.
  input.present();
  return { route, input: values, open };
}

/** Returns a question as it is, if it has no open parameters. @throws Failure `PARAMETER_MISSING` */
export function requireWhole(question: Question): Question {
  const [missing] = question.open;
  if (missing === undefined) return question;
  const { name } = missing;
  const where = missing.in === "path" ? "in place of its placeholder in the path" : `as ${name}=…`;
  const sentence = `The parameter "${name}" is missing: the restriction depends on it.`;
  throw new Failure("PARAMETER_MISSING", sentence, { parameter: name, hint: `Give it ${where}.` });
}

/**
 * Finds the route of a path, as the router does for a request. A placeholder that is left as it is stays open.
 * @returns also the parameters that are in no segment
 */
function match(table: Table, path: string, pairs: readonly Pair[]) {
  const router = new Router(table);
  const rest = [...pairs];
  // The value of a placeholder can be a segment of another route, which then takes the request.
  const filled = path.replace(/\{(\w+)\}/g, (open, name) => {
    const index = rest.findIndex(([of, text]) => of === name && /^[^/]+$/.test(text));
    return index === -1 ? open : (rest.splice(index, 1)[0]?.[1] ?? open);
  });
  const found = router.find(filled);
  const beside = table.beside.find((route) => route.path === path.replace(/\/$/, ""));
  if (found === undefined && beside !== undefined) {
    const who = beside.operation.invited
      ? "whoever has the code of an invitation"
      : "everyone with a valid token";
    const words = `${path} has no restriction in the table: ${who} may call it, unless excluded.`;
    throw new Failure("UNKNOWN_PATH", words);
  }
  if (found === undefined) throw unknownPath(router.nearest(path));
  const given = Object.entries(found.params).filter(([name, text]) => text !== encodeText(`{${name}}`));
  const params: Record<string, string> = Object.fromEntries(given);
  return { route: found.route, params, rest };
}
