/** `seed`: names from a file. */
import { Argument, type Command } from "commander";
import type { Named } from "../../src/domain/model.ts";
import type { Session } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";

const kinds: readonly Named["kind"][] = ["group", "faction", "service"];

export function addSeedCommands(program: Command, session: Session): void {
  const seed = program.command("seed").description("add and remove groups, factions and services");
  seed
    .command("groups")
    .description("add the groups, factions and services of a YAML file; adds and never removes")
    .argument("[file]", "lists groups, factions and services; by default seed.yaml in the data folder")
    .addHelpText("after", examples("seed groups data/seed.yaml"))
    .action(async (file: string | undefined) => {
      const { seedGroups } = await import("../actions/seed.ts");
      return seedGroups(session, file);
    });
  neverSuggested(seed.command("remove"))
    .description("remove a group, a faction or a service that nothing refers to")
    .addArgument(new Argument("<kind>", "what it is").choices(kinds))
    .argument("<name>", "its name")
    .addHelpText(
      "after",
      `
It is refused while members, blacklist reasons or the route table refer to the name, and says which.
${examples("seed remove group VIPP")}`,
    )
    .action(async (kind: Named["kind"], name: string) => {
      const { removeName } = await import("../actions/seed.ts");
      return removeName(session, kind, name);
    });
}
