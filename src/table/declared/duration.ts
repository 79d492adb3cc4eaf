/** Durations in a table, such as `30min`, `48h` or `7d`. */
import * as v from "valibot";
import { secondsIn } from "../limits.ts";

const form = /^([1-9]\d{0,3})(min|h|d)$/;
const expected = "a duration such as 30min, 1h or 7d, with a number up to 9999";
const nouns: Readonly<Record<string, string>> = { min: "minute", h: "hour", d: "day" };

export type Duration = ReturnType<typeof toDuration>;

export const durationSchema = v.pipe(v.string(expected), v.regex(form, expected));

/** Returns a duration. @param text of the form of {@link durationSchema} */
export function toDuration(text: string) {
  const [, count = "", unit = ""] = form.exec(text) ?? [];
  const noun = nouns[unit] ?? unit;
  /** For people: `one hour`, `48 hours`. */
  const words = count === "1" ? `one ${noun}` : `${count} ${noun}s`;
  return { milliseconds: Number(count) * (secondsIn[unit] ?? 0) * 1000, words };
}
