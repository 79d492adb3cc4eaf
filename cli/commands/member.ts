/** `member` and `admin`: set a player's ranks in factions and services, and the administrator flag. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";

function parseRank(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}

export function addMemberCommands(program: Command, { change, read, output }: Context): void {
  const member = program.command("member").description("set ranks in factions and services");
  neverSuggested(member.command("set"))
    .description("give a player a rank in a faction or service")
    .argument("<player>", "name or UUID")
    .argument("<organisation>", "a faction or a service")
    .argument("<rank>", "1 to 9, or more", parseRank)
    .addHelpText("after", examples("member set Ada RESCUE 4"))
    .action(async (player: string, organisation: string, rank: number) => {
      await change("member.set", { player, organisation, rank });
    });
  neverSuggested(member.command("remove"))
    .description("remove a player from a faction or service")
    .argument("<player>", "name or UUID")
    .argument("<organisation>", "a faction or a service")
    .addHelpText("after", examples("member remove Ada RESCUE"))
    .action(async (player: string, organisation: string) => {
      await change("member.remove", { player, organisation });
    });

  const admin = program.command("admin").description("grant and revoke the administrator flag");
  for (const name of ["grant", "revoke"] as const) {
    neverSuggested(admin.command(name))
      .description(name === "grant" ? "make a player an administrator" : "revoke the administrator flag")
      .argument("<player>", "name or UUID")
      .addHelpText("after", examples(`admin ${name} Ada`))
      .action(async (player: string) => {
        await change(`admin.${name}`, { player });
      });
  }
  admin
    .command("list")
    .description("list the administrators")
    .action(async () => {
      const rows = await read("admin.list", {});
      const columns = [
        { heading: "NAME", cell: ({ name }: { name: string }) => name },
        { heading: "UUID", cell: ({ uuid }: { uuid: string }) => uuid },
      ];
      await output.list(rows, columns, "Nobody is an administrator.");
    });
}
