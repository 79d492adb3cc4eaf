/** `seed`: adds and removes the names of groups, factions and services. */
import { Argument } from "commander";
import { namedKinds } from "../../src/domain/collection.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

export function addSeedCommands(program: CLICommand): void {
  const seed = program.command("seed").description("add and remove groups, factions and services");
  seed
    .command("groups")
    .description("add the groups, factions and services of a YAML file; removes none")
    .argument("[file]", "a list of groups, factions and services; by default seed.yaml in the data folder")
    .examples("seed groups data/seed.yaml")
    .loads(async () => (await import("../actions/seed.ts")).seedGroups);
  neverSuggested(seed.command("remove"))
    .description("remove a group, a faction or a service that nothing refers to")
    .addArgument(new Argument("<kind>", "the kind of name").choices(namedKinds))
    .argument("<name>", "its name")
    .option("--yes", "do not ask")
    .details(`
Refuses while members, entries of lists or the route table refer to the name, and names the references.`)
    .examples("seed remove group VIPP")
    .loads(async () => (await import("../actions/seed.ts")).removeName);
}
