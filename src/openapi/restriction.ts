/** The form of a restriction in a table: the inverse of `restriction-form.ts`. */
import type { Case, Restriction } from "../table/restriction/restriction.ts";

/** Returns a text, a map or a list of JSON. */
export function toForm(restriction: Restriction): string | object {
  switch (restriction.kind) {
    case "open":
    case "identified":
    case "administrators":
      return restriction.kind;
    case "self":
      return { self: restriction.parameter };
    case "member": {
      const { of, reference, rank } = restriction;
      const name = "name" in reference ? reference.name : `$${reference.parameter}`;
      return { [of]: name, ...(rank === undefined ? {} : { rank }) };
    }
    case "anyOf":
    case "allOf":
      return { [restriction.kind]: restriction.restrictions.map(toForm) };
    case "cases":
      return restriction.cases.map(toCaseForm);
  }
}

function toCaseForm({ when, restriction }: Case): unknown {
  const form = toForm(restriction);
  const isMap = typeof form === "object" && !Array.isArray(form);
  if (when === undefined) return Array.isArray(form) ? { restriction: form } : form;
  return isMap ? { when, ...form } : { when, restriction: form };
}
