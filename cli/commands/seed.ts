/** `seed`: names from a file. */
import type { Command } from "commander";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";

export function addSeedCommands(program: Command, session: Session): void {
  const seed = program.command("seed").description("add groups, factions and services");
  seed
    .command("groups")
    .description("add the groups, factions and services of a YAML file; adds and never removes")
    .argument("[file]", "lists groups, factions and services; by default seed.yaml in the data folder")
    .addHelpText("after", examples("seed groups data/seed.yaml"))
    .action(async (file: string | undefined) => {
      const { seedGroups } = await import("../actions/seed.ts");
      return seedGroups(session, file);
    });
}
