/** `group`: lists addon groups, and adds and removes their members. */
import { type Terms, withTermsInList } from "../../src/domain/terms.ts";
import { untilOption } from "../arguments/instant.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

export function addGroupCommands(program: CLICommand): void {
  const { change, read, output } = program.context;
  const group = program.command("group").description("list groups, and add and remove their members");
  group
    .command("list")
    .description("list the groups and their members")
    .action(async () => {
      const rows = await read("group.list", {});
      output.list(
        rows,
        {
          GROUP: (row) => row.group,
          MEMBERS: ({ members }) => termed(members) || "-",
        },
        "There are no groups.",
      );
    });
  for (const name of ["add", "remove"] as const) {
    const command = neverSuggested(group.command(name))
      .description(name === "add" ? "add a player to a group" : "remove a player from a group")
      .argument("<player>", "name or UUID; need not be registered")
      .argument("<group>", "a group");
    const more = name === "add" ? ["group add Ada VIP --until 30d"] : [];
    if (name === "add") command.addOption(untilOption(output));
    command
      .examples(`group ${name} Ada TARGETLIST`, ...more)
      .action(async (player: string, to: string, options: { until?: number }) => {
        await change(
          `group.${name}`,
          { player, group: to, ...options },
          name === "add" ? "changes" : "edits",
        );
      });
  }
}

function termed(members: readonly ({ readonly name: string } & Terms)[]): string {
  return members.map((member) => withTermsInList(member.name, member)).join(" ");
}
