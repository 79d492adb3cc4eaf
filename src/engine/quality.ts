/**
 * Headers that list what a client accepts, such as `Accept` (RFC 9110, section 12.5). They are searched rather than split:
 * anybody can send a thousand elements, and splitting them takes longer than the rest of the request.
 */

/** Returns the form of an element with its parameters. @param name a regular expression */
export function elementForm(name: string): RegExp {
  return new RegExp(`(?:^|,)\\s*${name}\\s*(?:;([^,]*))?(?=,|$)`, "i");
}

/** Returns the quality of the first element of a form in a list; undefined if there is none. */
export function qualityIn(list: string, element: RegExp): number | undefined {
  const found = element.exec(list);
  if (found === null) return undefined;
  const [, quality = "1"] = /(?:^|;)\s*q=([\d.]+)/i.exec(found[1] ?? "") ?? [];
  return Number(quality);
}
