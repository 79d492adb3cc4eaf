/** Scalars where a text is expected. YAML reads some of them as another text than was written: 2.10 as the number 2.1. */
import { type Document, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Path } from "./fault.ts";

/** Returns a scalar as it is written; undefined if a path leads to no scalar, or to one that is merged in. */
export function sourceAt(document: Document, path: Path): string | undefined {
  let node: unknown = document.contents;
  for (const step of path) {
    const whole = isAlias(node) ? node.resolve(document) : node;
    if (isMap(whole))
      node = whole.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))?.value;
    else node = isSeq(whole) ? whole.items[Number(step)] : undefined;
  }
  const scalar = isAlias(node) ? node.resolve(document) : node;
  return isScalar(scalar) ? scalar.source : undefined;
}

/**
 * Returns what is wrong with a value where a text is expected, or undefined if its text is what is written.
 * @param source the value as it is written; undefined if that is not known
 */
export function rewrittenWords(value: unknown, source: string | undefined): string | undefined {
  const text = value === null ? "" : String(value);
  if (typeof value === "string" || text === source) return undefined;
  return unquotedWords(value, source);
}

/** Returns what is wrong with a scalar that is no text. */
export function unquotedWords(value: unknown, source: string | undefined): string {
  const written = source ?? (value === null ? "" : String(value));
  const kind = value === null ? "" : `the ${typeof value} `;
  return `expected a text, got ${kind}${written}; write it in quotes: "${written}"`;
}

/** Returns what is wrong with a whole number that has a point, or undefined: 1.000 is a thousand to many people. */
export function pointWords(value: unknown, source = ""): string | undefined {
  if (typeof value !== "number" || !/^[-+]?\d+\.0*$/.test(source)) return undefined;
  const thousand = value !== 0 && source.endsWith(".000") ? `${source.replace(".", "")} or ` : "";
  return `expected a number without a point, got ${source}; write ${thousand}${value}`;
}
