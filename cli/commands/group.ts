/** `group`: lists addon groups, and adds and removes their members. */
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";

export function addGroupCommands(program: Command, { change, read, output }: Context): void {
  const group = program.command("group").description("list groups, and add and remove their members");
  group
    .command("list")
    .description("list the groups and their members")
    .action(async () => {
      const rows = await read("group.list", {});
      await output.list(
        rows,
        [
          { heading: "GROUP", cell: (row) => row.group },
          { heading: "MEMBERS", cell: ({ members }) => members.map(({ name }) => name).join(" ") || "-" },
        ],
        "There are no groups.",
      );
    });
  for (const name of ["add", "remove"] as const) {
    neverSuggested(group.command(name))
      .description(name === "add" ? "add a player to a group" : "remove a player from a group")
      .argument("<player>", "name or UUID; need not be registered")
      .argument("<group>", "a group")
      .addHelpText("after", examples(`group ${name} Ada TARGETLIST`))
      .action(async (player: string, to: string) => {
        await change(`group.${name}`, { player, group: to });
      });
  }
}
