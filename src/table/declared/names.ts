/** The names that declarations give: of lists, fields, statistics, counters, events, scores and their sides. */
import type { Path, Report, Side } from "../yaml/fault.ts";

/** What names look like, and which of them nobody can give. */
const usual = {
  form: /^[a-z][A-Za-z0-9]{0,31}$/,
  words: "at most 32 letters and digits, the first a lower-case letter",
  reserved: [] as readonly string[],
};

/** Returns a function that reports a name that is malformed, reserved or in use, and returns whether it is none of that. */
export function namesIn(report: Report, own: Partial<typeof usual>) {
  const { form, words, reserved } = { ...usual, ...own };
  const taken = new Set<string>();
  return (name: string, path: Path, side?: Side): boolean => {
    const isTaken = taken.has(name);
    taken.add(name);
    if (form.test(name) && !reserved.includes(name) && !isTaken) return true;
    const which = reserved.includes(name) ? "has a meaning of its own" : "is in use";
    const message = form.test(name)
      ? `"${name}" ${which}; choose another name`
      : `expected a name of ${words}, got "${name}"`;
    report(path, message, side);
    return false;
  };
}
