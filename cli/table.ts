/** The route table as commands look at it: a file's text, checked against the names that the data has. */
import { resolve } from "node:path";
import type { Vocabulary } from "../src/engine/caller.ts";
import type { Table } from "../src/engine/table.ts";
import { readTable, TableFaults } from "../src/route-table.ts";
import { checkRoutes, readSeed } from "../src/service.ts";
import type { Session } from "./program.ts";

/** The file that a command means: the one that it was given, or the one of `--routes`. */
export async function tableFile({ io, workplace }: Session, given: string | undefined): Promise<string> {
  return given === undefined ? workplace().routesFile() : resolve(io.cwd, given);
}

/** The table of a file. @throws TableFaults where it has faults */
export async function checkedTable(session: Session, file: string): Promise<Table> {
  const { table, faults } = checkRoutes(await readTable(file), await vocabularyOf(session));
  if (table === undefined) throw new TableFaults(file, faults);
  return table;
}

/** The names that the data has; before there is data, those that it would be seeded with. */
export async function vocabularyOf({ workplace, withControl }: Session): Promise<Vocabulary> {
  if (await workplace().hasData()) return withControl("reads", (control) => control.vocabulary());
  const { groups, factions, services } = await readSeed(await workplace().seedFile());
  return { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
}
