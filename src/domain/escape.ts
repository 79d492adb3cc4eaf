/** Escaping control and invisible characters. Every command loads this file, which imports nothing. */

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/v;

/**
 * Returns a text with its control and invisible characters as `\uXXXX`, so that it can neither steer a terminal, nor break
 * a line, nor look like another text. Emoji stay.
 */
export function escapeInvisible(text: string): string {
  // Few texts have such a character; searching for emoji takes longer.
  if (!unseen.test(text)) return text;
  return text.replace(
    new RegExp(`(\\p{RGI_Emoji})|${unseen.source}`, "gv"),
    (found, emoji?: string) => emoji ?? escapeUnits(found),
  );
}

/** Returns every character of a text as `\uXXXX`. */
export function escapeUnits(text: string): string {
  let escaped = "";
  for (let index = 0; index < text.length; index += 1) {
    escaped += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
