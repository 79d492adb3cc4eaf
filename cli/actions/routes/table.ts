/** Reads the route table of a command, and checks it against the names in the data. */
import { resolve } from "node:path";
import { checkRoutes } from "../../../src/operations.ts";
import { readSeed } from "../../../src/operator/seed-file.ts";
import type { Vocabulary } from "../../../src/table/caller.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import { type CheckedTable, type Table, withFindings } from "../../../src/table/table.ts";
import { type HighestRanks, type Warning, warningsOf } from "../../../src/table/warnings.ts";
import { readTable, servedFrom } from "../../../src/table-in-force/read-table.ts";
import { faultsIn } from "../../../src/table-in-force/route-table.ts";
import type { Context } from "../../context.ts";

/** Returns the file of an argument, or that of `--routes`. */
export async function tableFile({ io, workspace }: Context, given: string | undefined): Promise<string> {
  return given === undefined ? workspace().routesFile() : resolve(io.cwd, given);
}

/** Reads a table. Only that of `--routes` is named by the option. */
async function readNamed({ workspace }: Context, file: string): Promise<string> {
  return readTable(file, file === (await workspace().routesFile()) ? servedFrom : "");
}

/**
 * Reads a table.
 * @param isNext whether it is to be put in force, so that the entries in the data must fit it
 * @throws Failure if it has faults
 */
export async function checkedTable(context: Context, file: string, isNext = false): Promise<Table> {
  const text = await readNamed(context, file);
  const findings = isNext ? await context.run("reads", "list.check", { text }) : [];
  const { table, faults } = withFindings(checkRoutes(text, await vocabularyOf(context)), findings);
  if (table === undefined) throw faultsIn(file, faults, text);
  return table;
}

/** The faults of a file or, if it has none, its warnings. */
type InspectedTable = CheckedTable & {
  readonly text: string;
  readonly revision: string;
  readonly warnings: readonly Warning[];
};

/** Reads a file, and finds its faults and warnings. */
export async function inspectTable(context: Context, file: string): Promise<InspectedTable> {
  const text = await readNamed(context, file);
  const { vocabulary, members, ranks } = await namesOf(context);
  const hasData = await context.workspace().hasData();
  const findings = hasData ? await context.run("reads", "list.check", { text }) : [];
  const checked = withFindings(checkRoutes(text, vocabulary), findings);
  const { table, document } = checked;
  const warnings = table === undefined ? [] : warningsOf(table, document, { members, ranks, findings });
  return { ...checked, text, revision: revisionOf(text), warnings };
}

/** Returns the names in the data or, before there is data, those of the seed. */
export async function vocabularyOf(context: Context): Promise<Vocabulary> {
  if (await context.workspace().hasData()) return context.run("reads", "vocabulary", {});
  return seedVocabulary(context);
}

/** Returns the names, the number of members of each group if anybody is a member or registered, and the highest ranks. */
async function namesOf(context: Context) {
  if (!(await context.workspace().hasData()))
    return { vocabulary: await seedVocabulary(context), members: undefined, ranks: undefined };
  return context.withControl("reads", async (control) => {
    const vocabulary = await control.run("vocabulary", {});
    const groups = await control.run("group.list", {});
    const players = await control.run("player.list", {});
    const members = new Map(groups.map((group) => [group.group, group.members.length]));
    const hasPeople = players.length > 0 || groups.some((group) => group.members.length > 0);
    const ranks = highestRanks(vocabulary, players);
    return { vocabulary, members: hasPeople ? members : undefined, ranks };
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

async function seedVocabulary({ workspace }: Context): Promise<Vocabulary> {
  const { groups, factions, services } = await readSeed(await workspace().seedFile());
  return { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
}
