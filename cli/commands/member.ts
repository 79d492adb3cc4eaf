/** `member`, `admin` and `roster`: set ranks in factions and services and the administrator flag, for one player or for all. */
import { untilOption } from "../arguments/instant.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

export function addMemberCommands(program: CLICommand): void {
  const { change, read, output } = program.context;
  const member = program.command("member").description("set ranks in factions and services");
  neverSuggested(member.command("set"))
    .description("give a player a rank in a faction or service")
    .argument("<player>", "name or UUID")
    .argument("<organisation>", "a faction or a service")
    .argument("<rank>", "a whole number from 1", wholeFrom(1, 4))
    .addOption(untilOption(output))
    .examples("member set Ada RESCUE 4", "member set Ada RESCUE 4 --until 2026-12-01")
    .action(async (player: string, organisation: string, rank: number, { until }: { until?: number }) => {
      await change("member.set", { player, organisation, rank, until });
    });
  neverSuggested(member.command("remove"))
    .description("remove a player from a faction or service")
    .argument("<player>", "name or UUID")
    .argument("<organisation>", "a faction or a service")
    .examples("member remove Ada RESCUE")
    .action(async (player: string, organisation: string) => {
      await change("member.remove", { player, organisation });
    });

  const admin = program.command("admin").description("grant and revoke the administrator flag");
  for (const name of ["grant", "revoke"] as const) {
    neverSuggested(admin.command(name))
      .description(name === "grant" ? "make a player an administrator" : "revoke the administrator flag")
      .argument("<player>", "name or UUID")
      .examples(`admin ${name} Ada`)
      .action(async (player: string) => {
        await change(`admin.${name}`, { player });
      });
  }
  admin
    .command("list")
    .description("list the administrators")
    .action(async () => {
      output.list(
        await read("admin.list", {}),
        {
          NAME: ({ name }) => name,
          UUID: ({ uuid }) => uuid,
        },
        "Nobody is an administrator.",
      );
    });
}

export function addRosterCommands(program: CLICommand): void {
  const roster = program.command("roster").description("export, compare and apply players as a CSV file");
  roster
    .command("export")
    .description("write all players with their ranks and groups as CSV")
    .argument("[file]", "the file to write; by default standard output")
    .option("--force", "overwrite an existing file")
    .examples("roster export roster.csv")
    .loads(async () => (await import("../actions/roster.ts")).exportRoster);
  for (const name of ["diff", "apply"] as const) {
    const command = neverSuggested(roster.command(name))
      .description(
        name === "diff"
          ? "show what a roster would change"
          : "register and rename players, and set ranks and groups, as a roster says: one change",
      )
      .argument("<file>", "a CSV file, such as `roster export` writes")
      .option(
        "--only <columns>",
        "apply these columns only, such as organisations,groups",
        (text, before: string[] = []) => [...before, ...text.split(",").map((column) => column.trim())],
      )
      .option("--remove", "end the memberships of players whom the file lacks; no player is removed");
    if (name === "apply") command.option("--yes", "do not ask");
    command
      .details(`
Columns: name, uuid, and any of
  organisations  GROVE:4 POLICE:2@2099-12-01T00:00Z; the rank in POLICE ends then
  groups         VIP BETA
  administrator  yes
A column that the file lacks stays as it is. An empty cell means none; an empty UUID means unknown.
Players are found by UUID, or else by name, and renamed if only the UUID is the same.
Whoever is not in the file stays.`)
      .examples(`roster ${name} roster.csv`, `roster ${name} roster.csv --only organisations`)
      .action(async (file: string, options: { only?: string[]; remove?: boolean }) => {
        const { applyRoster } = await import("../actions/roster.ts");
        await applyRoster(program.context, file, { ...options, dryRun: name === "diff" });
      });
  }
}
