/** What the lists of a route table mean for many entries. */
import type { Entry } from "../../domain/entry.ts";
import { Slices } from "../../domain/slices.ts";
import { EntryFindings, type Finding } from "../../table/declared/entries.ts";
import type { List } from "../../table/declared/lists.ts";

/**
 * Finds what lists mean for entries, in slices. Entries can be added and removed meanwhile.
 * @param areAll whether there are no others
 */
export async function findingsOf(
  lists: readonly List[],
  entries: Iterable<Entry>,
  areAll = true,
): Promise<readonly Finding[]> {
  const findings = new EntryFindings(lists);
  const slices = new Slices();
  for (const entry of entries) {
    findings.add(entry);
    if (slices.isOver) await slices.next();
  }
  return areAll ? [...findings.all, ...findings.missing] : findings.all;
}

/** Returns a finding in one line, with its place in the table. */
export function findingWords({ path, message }: Finding): string {
  return `${path.join(".")}: ${message}`;
}
