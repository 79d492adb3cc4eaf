/** `list`: the entries of lists that the route table declares. */
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";
import { loading } from "./loading.ts";

export function addListCommands(program: Command, context: Context): void {
  const list = program.command("list").description("remove the entries of declared lists");
  neverSuggested(list.command("drop"))
    .description("remove all entries of a list, such as one that the route table no longer declares")
    .argument("<list>", "the list's name in the route table")
    .option("--yes", "do not ask")
    .addHelpText("after", examples("list drop plates"))
    .action(loading(context, async () => (await import("../actions/list.ts")).dropList));
}
