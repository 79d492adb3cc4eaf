/** What an undo says of records that cannot be undone. */
import { operationName } from "../../audit/operations.ts";
import { Failure } from "../../domain/errors.ts";
import { textOf } from "../../domain/label.ts";
import { allOf, asArgument, capitalised, counted } from "../../domain/text.ts";
import { type JournalRecord, placeOf, type RecordChange } from "../../store/change.ts";
import type { Data } from "../../store/data.ts";
import { recordWords, unfitWords } from "./outcome.ts";
import { takeoversIn } from "./takeovers.ts";

/** The most obstacles that a message names, and the most changes for each. */
const mostNamed = 5;

/** A record that cannot be undone. */
export interface Obstacle {
  readonly change: RecordChange;
  /** The reason; undefined for a record that has changed since. */
  readonly why: string | undefined;
}

/** Returns the refusal of a change that only added names. */
export function addedNames(sequence: number, changes: readonly RecordChange[]): Failure {
  const names = changes.map(({ after }) => ({ kind: textOf(after, "kind"), name: textOf(after, "name") }));
  const commands = names.map(
    ({ kind, name }) => `\`addon-cli seed remove ${kind} ${asArgument(name ?? "")}\``,
  );
  const more = commands.length > mostNamed ? `, and likewise the other ${commands.length - mostNamed}` : "";
  const stay = names.map(({ name }) => `the name ${name} stays`);
  return new Failure("CONFLICT", `Change ${sequence} cannot be undone: ${listed(stay)}.`, {
    hint: `Remove a name that nothing refers to: ${commands.slice(0, mostNamed).join(", ")}${more}.`,
  });
}

/** Whether a change of a record added a name, which stays. */
export const addsName = ({ collection, before }: RecordChange): boolean =>
  collection === "names" && before === null;

/** Returns a note on the names that an undone change had added, and that are still there; "" for none. */
export function namesNote({ names: present }: Data, { changes }: JournalRecord): string {
  const added = changes.filter((change) => addsName(change) && present.has(change.key));
  const names = added.map(({ after }) => String(textOf(after, "name")));
  if (names.length === 0) return "";
  const what = names.length === 1 ? "name stays" : "names stay";
  return ` Its ${what}, until \`addon-cli seed remove\` removes ${names.length === 1 ? "it" : "them"}: ${allOf(names)}.`;
}

/**
 * Returns the refusal of a change with obstacles.
 * @param words what {@link describeObstacles} returned
 * @param isPart whether its other records can be undone
 */
export function refusal(
  sequence: number,
  obstacles: readonly Obstacle[],
  words: string,
  isPart: boolean,
): Failure {
  const isUnfit = ({ why }: Obstacle) => why?.startsWith(unfitWords) === true;
  const steps = [
    ...(obstacles.some(isUnfit) ? ["put a table in force that they fit"] : []),
    ...(obstacles.every(isUnfit) ? [] : ["undo the later changes"]),
  ];
  const part = isPart ? ` \`addon-cli undo ${sequence} --except-changed\` undoes the other records.` : "";
  return new Failure("CONFLICT", `Change ${sequence} cannot be undone: ${words}.`, {
    hint: `${capitalised(allOf(steps))} first, or make a new change.${part}`,
  });
}

/**
 * Describes the first obstacles, each with the first changes that caused it, and the number of further ones.
 * @param history the changes after the undone one
 * @param last the number of the last change that can have caused one
 */
export async function describeObstacles(
  obstacles: readonly Obstacle[],
  history: AsyncIterable<JournalRecord>,
  last: number,
  { players }: Data,
): Promise<string> {
  const named = obstacles.slice(0, mostNamed);
  const later = new Map(named.map(({ change }) => [placeOf(change), { words: [] as string[], count: 0 }]));
  for await (const record of history) {
    if (record.sequence > last) break;
    const own = takeoversIn(record.changes).map((taken) => taken.own);
    for (const place of new Set([...record.changes.map(placeOf), ...own])) {
      const found = later.get(place);
      if (found !== undefined && ++found.count <= mostNamed) found.words.push(changeWords(record));
    }
  }
  // Players whom a later change has removed.
  const removed = new Map(
    named.map(({ change: { key, before, after } }) => [key, textOf(after ?? before, "name")]),
  );
  const sentences = named.map(({ change, why }) => {
    if (why !== undefined) return why;
    const { words = [], count = 0 } = later.get(placeOf(change)) ?? {};
    const by = count > mostNamed ? [...words, `${count - mostNamed} more`] : words;
    const what = recordWords(change, (uuid) => players.get(uuid)?.name ?? removed.get(uuid) ?? uuid);
    return `${what} has since been changed${by.length === 0 ? "" : ` by ${by.join(", ")}`}`;
  });
  // That of a name and that of the player who took it over are called the same.
  const different = [...new Set(sentences)];
  return listed(different, obstacles.length - sentences.length + different.length);
}

/** Returns a change in words, such as `change 7 (targetlist.add)` or `change 8 (undo 7)`. */
function changeWords(record: JournalRecord): string {
  const { sequence, undoes } = record;
  return `change ${sequence} (${operationName(record)}${undoes === null ? "" : ` ${undoes}`})`;
}

/** Joins the first phrases, with the number of further ones. */
function listed(all: readonly string[], count = all.length): string {
  const named = all.slice(0, mostNamed);
  const more = count - named.length;
  return [...named, ...(more > 0 ? [`and ${counted(more, "more record")}`] : [])].join("; ");
}
