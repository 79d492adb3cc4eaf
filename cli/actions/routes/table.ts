/** The route table as commands look at it: a file's text, checked against the names that the data has. */
import { resolve } from "node:path";
import { checkRoutes, operationsToCheck } from "../../../src/operations.ts";
import { readSeed } from "../../../src/operator/seed-file.ts";
import type { Vocabulary } from "../../../src/table/caller.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import type { CheckedTable, Table } from "../../../src/table/table.ts";
import { type HighestRanks, type Warning, warningsOf } from "../../../src/table/warnings.ts";
import { readTable, TableFaults } from "../../../src/table-in-force/route-table.ts";
import type { Session } from "../../context.ts";

/** The file that a command means: the one that it was given, or the one of `--routes`. */
export async function tableFile({ io, workplace }: Session, given: string | undefined): Promise<string> {
  return given === undefined ? workplace().routesFile() : resolve(io.cwd, given);
}

/** The table of a file. @throws TableFaults where it has faults */
export async function checkedTable(session: Session, file: string): Promise<Table> {
  const text = await readTable(file);
  const { table, faults } = checkRoutes(text, await vocabularyOf(session));
  if (table === undefined) throw new TableFaults(file, faults, text);
  return table;
}

/** A file's faults, and where it has none, what is suspicious in it. */
export type LookedThrough = CheckedTable & {
  readonly text: string;
  readonly revision: string;
  readonly warnings: readonly Warning[];
};

/** Looks a file through, for faults and for what is suspicious. */
export async function lookThrough(session: Session, file: string): Promise<LookedThrough> {
  const text = await readTable(file);
  const { vocabulary, members, ranks } = await namesOf(session);
  const checked = checkRoutes(text, vocabulary);
  const warnings =
    checked.table === undefined
      ? []
      : warningsOf(checked.table, text, { operations: operationsToCheck(), members, ranks });
  return { ...checked, text, revision: revisionOf(text), warnings };
}

/** The names that the data has; before there is data, those that it would be seeded with. */
export async function vocabularyOf(session: Session): Promise<Vocabulary> {
  if (await session.workplace().hasData())
    return session.withControl("reads", (control) => control.vocabulary());
  return seedVocabulary(session);
}

interface Names {
  readonly vocabulary: Vocabulary;
  /** How many members each group has; undefined while there is nobody at all, and every group is empty. */
  readonly members: ReadonlyMap<string, number> | undefined;
  readonly ranks: HighestRanks | undefined;
}

async function namesOf(session: Session): Promise<Names> {
  if (!(await session.workplace().hasData()))
    return { vocabulary: await seedVocabulary(session), members: undefined, ranks: undefined };
  return session.withControl("reads", async (control) => {
    const vocabulary = await control.vocabulary();
    const groups = await control.administer("group.list", {});
    const players = await control.administer("player.list", {});
    const members = new Map(groups.map((each) => [each.group, each.members.length]));
    const isAnybody = players.length > 0 || groups.some((each) => each.members.length > 0);
    const ranks = highestRanks(vocabulary, players);
    return { vocabulary, members: isAnybody ? members : undefined, ranks };
  });
}

function highestRanks(
  vocabulary: Vocabulary,
  players: readonly { readonly members: readonly { organisation: string; rank: number }[] }[],
): HighestRanks {
  const highest = new Map<string, number>();
  for (const { organisation, rank } of players.flatMap(({ members }) => members))
    highest.set(organisation, Math.max(rank, highest.get(organisation) ?? 0));
  const of = (names: readonly string[]) =>
    new Map(names.map((name) => [name, highest.get(name) ?? 0] as const).filter(([, rank]) => rank > 0));
  return { faction: of(vocabulary.faction), service: of(vocabulary.service) };
}

async function seedVocabulary({ workplace }: Session): Promise<Vocabulary> {
  const { groups, factions, services } = await readSeed(await workplace().seedFile());
  return { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
}
