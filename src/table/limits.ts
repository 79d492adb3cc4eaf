/**
 * The limits of a table: how many requests a caller may send. Their form in the document, the shipped values, and what
 * they mean. `src/engine/limiter.ts` applies them.
 */
import * as v from "valibot";
import { allOf } from "../domain/text.ts";
import { countTo, optional } from "./type-form.ts";
import { mapWith } from "./yaml/maps.ts";

/**
 * The names of a table's limits: of a caller's reads and changes, of requests without a valid token, and of those that need
 * none: pages, descriptions and preflights.
 */
export const limitNames = ["reads", "changes", "unknown", "pages"] as const;

/** A limit: a bucket of `burst` requests, which is refilled at a rate. */
export type Limit = Readonly<Exclude<ReturnType<typeof toLimit>, "off">>;

export type Limits = Readonly<Record<(typeof limitNames)[number], Limit | "off">>;

/** The seconds in each unit of time of a table. */
export const secondsIn: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };
const rateForm = /^([1-9]\d{0,5})\/(s|min|h)$/;
const rateWords = "a rate from 1/h to 999999/s, such as 10/s, 20/min or 100/h";
const off = v.pipe(v.literal("off"), v.description("No limit."));

export const limitSchema = v.union(
  [
    off,
    mapWith({
      rate: v.pipe(
        v.string(rateWords),
        v.regex(rateForm, rateWords),
        v.description(
          "How many requests a second (s), minute (min) or hour (h) are allowed in the long run.",
        ),
      ),
      burst: countTo(999_999, "How many requests are allowed at once, after a pause."),
    }),
  ],
  "off, or a map such as { rate: 10/s, burst: 60 }",
);

const limitEntries = {
  reads: optional(limitSchema, "The reads with one token; with a public token, from one network."),
  changes: optional(limitSchema, "The changes with one token; with a public token, from one network."),
  unknown: optional(limitSchema, "The requests without a valid token from one network."),
  pages: optional(
    limitSchema,
    "The requests for pages and descriptions, and the CORS preflights, from one network.",
  ),
};

export const limitsSchema = v.union([off, mapWith(limitEntries)], `off, or a map of ${allOf(limitNames)}`);

export type LimitDeclaration = v.InferOutput<typeof limitSchema>;
export type LimitsDeclaration = v.InferOutput<typeof limitsSchema>;

/** The limits of a table that declares none. */
const shipped: Readonly<Record<keyof Limits, LimitDeclaration>> = {
  reads: { rate: "10/s", burst: 60 },
  changes: { rate: "1/s", burst: 30 },
  unknown: { rate: "20/min", burst: 20 },
  // A browser loads the page at /docs with ten files.
  pages: { rate: "5/s", burst: 60 },
};

/** Returns the limits of a table: those that it declares, and the shipped ones for the others. */
export function toLimits(declared: LimitsDeclaration = {}): Limits {
  const of = (name: keyof Limits) =>
    toLimit(name, declared === "off" ? "off" : (declared[name] ?? shipped[name]));
  return { reads: of("reads"), changes: of("changes"), unknown: of("unknown"), pages: of("pages") };
}

/**
 * Returns a limit.
 * @param name one of {@link limitNames}, or the path of a route that has a limit of its own
 * @param declared of the form of {@link limitSchema}
 */
export function toLimit(name: string, declared: LimitDeclaration) {
  if (declared === "off") return declared;
  const { rate, burst } = declared;
  const [, count, unit = ""] = rateForm.exec(rate) ?? [];
  const perSecond = Number(count) / (secondsIn[unit] ?? Number.NaN);
  /** As declared, for people. */
  const words = `${rate}, burst ${burst}`;
  return { name, burst, perSecond, words };
}

/** Returns the words of a limit: `10/s, burst 60`, or `off`. */
export function limitWords(limit: Limit | "off"): string {
  return limit === "off" ? "off" : limit.words;
}
