/** Whether one restriction implies another. */
import { isDeepStrictEqual } from "node:util";
import type { Restriction } from "./restriction.ts";

/** Whether `other` allows everyone whom `one` allows, whatever the parameters. False if that is not obvious. */
export function implies(one: Restriction, other: Restriction): boolean {
  if (other.kind === "open" || isDeepStrictEqual(one, other)) return true;
  if (other.kind === "allOf") return other.restrictions.every((part) => implies(one, part));
  switch (one.kind) {
    case "open":
      return other.kind === "anyOf" && other.restrictions.some((part) => implies(one, part));
    case "anyOf":
      return one.restrictions.every((part) => implies(part, other));
    case "cases":
      return one.cases.every(({ restriction }) => implies(restriction, other));
    case "allOf":
      return one.restrictions.some((part) => implies(part, other));
  }
  switch (other.kind) {
    case "identified":
      return one.kind === "administrators" || one.kind === "self" || one.kind === "member";
    case "anyOf":
      return other.restrictions.some((part) => implies(one, part));
    case "member":
      return (
        one.kind === "member" &&
        one.of === other.of &&
        isDeepStrictEqual(one.reference, other.reference) &&
        (one.rank ?? 1) >= (other.rank ?? 1)
      );
    default:
      return false;
  }
}
