/** Adding the groups, factions and services of a seed, and colours of them. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { reservedKeys, reservedWords, textLength } from "../domain/limits.ts";
import type { Named } from "../domain/model.ts";
import { fold, invisibleIn, leaveOut } from "../domain/text.ts";
import { requireName } from "../identity/memberships.ts";
import { tokenInText } from "../identity/tokens.ts";
import type { Draft } from "../store/data.ts";
import { defineChange } from "./define.ts";

const nameWords = `expected a name of 1 to ${textLength.maxLength} characters without spaces, control characters or any of { } $ / ? # & = %`;
const name = v.pipe(
  v.string("expected a name"),
  v.normalize("NFC"),
  // U+FFFD stands for dot segments in paths.
  v.regex(/^[^\s\p{Z}\p{C}{}$/?#&=%\uFFFD]+$/u, nameWords),
  v.check((text) => Array.from(text).length <= textLength.maxLength, nameWords),
  v.check((text) => !tokenInText.test(text), "expected a name without a token in it"),
  // Names are keys of `colors` and of answers.
  v.notValues(reservedKeys, ({ input }) => `"${input}" ${reservedWords}`),
);
const names = v.optional(v.nullable(v.array(name, "expected a list of names")), []);

const colorWords = 'expected a color such as "#2e9e4f", in quotes';
const color = v.pipe(v.string(colorWords), v.regex(/^#[0-9a-f]{6}$/i, colorWords));
const colors = v.optional(v.nullable(v.record(v.string(), color, "expected a map of names to colors")), {});

/** The form of a seed file in words. */
export const seedForm = "groups, factions, services and colors";

/** The form of a seed file. */
export const seedSchema = v.strictObject(
  { groups: names, factions: names, services: names, colors },
  (issue) => {
    const expected = `expected ${seedForm}`;
    return issue.expected === "never" ? `${expected}, got "${issue.path?.[0]?.key}"` : expected;
  },
);

/** Adds names of one kind after the existing ones. Returns the new names. */
function addNames(draft: Draft, kind: Named["kind"], wanted: readonly string[]): string[] {
  const added: string[] = [];
  let position = positionAfter(draft, kind);
  for (const name of wanted) {
    if (draft.names.has(`${kind}/${fold(name)}`)) continue;
    const twin = kind === "faction" ? "service" : "faction";
    if (kind !== "group" && draft.names.has(`${twin}/${fold(name)}`)) {
      throw new Failure("CONFLICT", `"${name}" cannot be both a faction and a service.`, {
        hint: "Rename one of them.",
      });
    }
    const invisible = invisibleIn(name);
    if (invisible !== undefined)
      throw new Failure("PARAMETER_INVALID", `The name "${name}" cannot be added: ${leaveOut(invisible)}.`);
    draft.names.put({ name, kind, position });
    position += 1;
    added.push(name);
  }
  return added;
}

/** Returns the position after all names of a kind. Some may have been removed: their number is not it. */
function positionAfter(draft: Draft, kind: Named["kind"]): number {
  return draft.names.find("kind", kind).reduce((after, { position }) => Math.max(after, position + 1), 0);
}

/** Sets the colours of factions and services. Returns the names of those that had another one. @throws Failure `UNKNOWN_FACTION` */
function setColors(draft: Draft, colors: Readonly<Record<string, string>>): string[] {
  return Object.entries(colors).flatMap(([name, color]) => {
    const named = requireName(draft, name, "faction", "service");
    if (named.color === color) return [];
    draft.names.put({ ...named, color });
    return named.name;
  });
}

/** Adds the names that the data does not have, and sets colours; removes none. */
export const seed = defineChange({
  input: seedSchema,
  change(draft, { groups, factions, services, colors }) {
    const added = {
      groups: addNames(draft, "group", groups ?? []),
      factions: addNames(draft, "faction", factions ?? []),
      services: addNames(draft, "service", services ?? []),
    };
    const all = [...added.groups, ...added.factions, ...added.services];
    const colored = setColors(draft, colors ?? {}).filter((name) => !all.includes(name));
    const words = [
      ...(all.length === 0 ? [] : [`Added ${all.join(", ")}.`]),
      ...(colored.length === 0 ? [] : [`Set the colours of ${colored.join(", ")}.`]),
    ];
    return { info: words.join(" ") || "All names already exist.", added, colored };
  },
});
