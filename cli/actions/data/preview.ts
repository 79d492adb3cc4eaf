/** Formats the preview of a restore or an import. */
import type { Portion, ResourceChange } from "../../../src/backup/preview.ts";
import type { RestorePreview } from "../../../src/backup/restore.ts";
import { escapeInvisible } from "../../../src/domain/escape.ts";
import { nounOf } from "../../../src/domain/model.ts";
import { pluralOf } from "../../../src/domain/text.ts";

/**
 * Returns a line for each resource, such as `players  1 added (Ada), 2 removed (Bob, Cleo)`, one for the tokens that are
 * not restored, and one for each warning.
 */
export function previewLines({
  resources,
  problems,
  tokensLeftOut,
}: Pick<RestorePreview, "resources" | "problems" | "tokensLeftOut">): string[] {
  const rows = resources.map(
    (resource) => [pluralOf(nounOf(resource.resource)), portions(resource).join(", ")] as const,
  );
  const width = Math.max(0, ...rows.map(([noun]) => noun.length));
  return [
    ...rows.map(([noun, counts]) => `${noun.padEnd(width)}  ${counts}`),
    ...(tokensLeftOut > 0 ? [leftOutLine(tokensLeftOut)] : []),
    ...problems.map((problem) => `warning: ${escapeInvisible(problem)}`),
  ];
}

function leftOutLine(count: number): string {
  return count === 1
    ? "1 token is not restored; --tokens restores it."
    : `${count} tokens are not restored; --tokens restores them.`;
}

function portions({ added, changed, removed }: ResourceChange): string[] {
  const all: [Portion, string][] = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
  ];
  return all
    .filter(([{ count }]) => count > 0)
    .map(([portion, word]) => `${portion.count} ${word} (${names(portion)})`);
}

function names({ count, first }: Portion): string {
  const shown = first.map(escapeInvisible).join(", ");
  return count > first.length ? `${shown}, …` : shown;
}
