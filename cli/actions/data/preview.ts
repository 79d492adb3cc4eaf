/** Formats the preview of a restore, an import or an edit. */
import type { Portion, ResourceChange } from "../../../src/backup/preview.ts";
import { escapeInvisible } from "../../../src/domain/escape.ts";
import { nounOf } from "../../../src/domain/model.ts";
import { pluralOf } from "../../../src/domain/text.ts";

/** Returns a line for each resource, such as `players  1 added (Ada), 2 removed (Bob, Cleo)`. */
export function resourceLines(resources: readonly ResourceChange[]): string[] {
  const rows = resources.map(
    (resource) => [pluralOf(nounOf(resource.resource)), portions(resource).join(", ")] as const,
  );
  const width = Math.max(0, ...rows.map(([noun]) => noun.length));
  return rows.map(([noun, counts]) => `${noun.padEnd(width)}  ${counts}`);
}

export function warningLines(problems: readonly string[]): string[] {
  return problems.map((problem) => `warning: ${escapeInvisible(problem)}`);
}

function portions(resource: ResourceChange): string[] {
  return (["added", "changed", "removed"] as const)
    .filter((kind) => resource[kind].count > 0)
    .map((kind) => `${resource[kind].count} ${kind} (${names(resource[kind])})`);
}

function names({ count, first }: Portion): string {
  const shown = first.map(escapeInvisible).join(", ");
  return count > first.length ? `${shown}, …` : shown;
}
