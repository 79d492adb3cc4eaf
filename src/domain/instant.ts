/** Instants as text, ISO 8601 with a zone or milliseconds since 1970, and the length of a day. */

export const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The latest date that JavaScript has, in milliseconds since 1970. */
export const latestInstant = 8_640_000_000_000_000;

/** The latest end of a membership or an exclusion: files write years with four digits. Older data can have later ends. */
export const latestEnd = Date.UTC(10_000, 0) - 1;

/** Returns milliseconds since 1970, or NaN. A `+` that a client did not encode in a query arrives as a space. */
export function toInstant(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const match =
    /^(\d{4}-\d{2}-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z)|([+ -])(\d{2}):?(\d{2}))$/i.exec(text);
  if (match === null) return Number.NaN;
  const [, local = "", day, , sign, hours, minutes] = match;
  // A day that the month does not have would become one of the next month.
  const inMonth = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
  const zone = sign === undefined ? "Z" : `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
  return inMonth ? Date.parse(`${local.toUpperCase()}${zone}`) : Number.NaN;
}

/** Returns an instant to the minute, rounded up, such as `2026-12-08T10:00Z`. */
export function toMinute(instant: number): string {
  const minute = 60_000;
  return new Date(Math.ceil(instant / minute) * minute).toISOString().replace(/:\d{2}\.\d{3}Z$/, "Z");
}

/** Returns an instant in ISO 8601, or in milliseconds if JavaScript has no such date, as in a file that was written by hand. */
export function instantText(instant: number): string {
  return Math.abs(instant) <= latestInstant ? new Date(instant).toISOString() : `${instant} ms`;
}
