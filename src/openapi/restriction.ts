/** A restriction in the form in which a table has it: the way back from what `restriction-form.ts` takes apart. */
import type { Case, Restriction } from "../table/restriction/restriction.ts";

/** Gives a text, a map or a list, as JSON and YAML have them. */
export function toForm(restriction: Restriction): unknown {
  switch (restriction.kind) {
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
    default:
      return restriction.kind;
  }
}

function toCaseForm({ when, restriction }: Case): unknown {
  const form = toForm(restriction);
  const isMap = typeof form === "object" && !Array.isArray(form);
  if (when === undefined) return Array.isArray(form) ? { restriction: form } : form;
  return isMap ? { when, ...form } : { when, restriction: form };
}

/** Whether it lets everybody in who has a valid token. */
export function isOpen(restriction: Restriction): boolean {
  switch (restriction.kind) {
    case "open":
      return true;
    case "anyOf":
      return restriction.restrictions.some(isOpen);
    case "allOf":
      return restriction.restrictions.every(isOpen);
    case "cases":
      return restriction.cases.every((each) => isOpen(each.restriction));
    default:
      return false;
  }
}
