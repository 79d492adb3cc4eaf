/** Markup of the pages: made by h3's `html`, which escapes every value, and by nothing else. */
import { html, type RawHTML, raw } from "h3";

/** Markup, in which every value is escaped. */
export type Markup = RawHTML;

/** Returns a template's markup. Markup in it stays as it is, and so does each of a list. */
export function markup(
  strings: TemplateStringsArray,
  ...parts: readonly (Markup | readonly Markup[] | string | number | undefined)[]
): Markup {
  const values = parts.map((part) =>
    typeof part === "object" && !("value" in part) ? raw(part.map(({ value }) => value).join("")) : part,
  );
  return raw(String(html(strings, ...values).body));
}
