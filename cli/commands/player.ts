/** `player`: registers, shows, excludes and removes players. */
import { InvalidArgumentError } from "commander";
import { integerRange } from "../../src/domain/limits.ts";
import { type Terms, withTermsInList } from "../../src/domain/terms.ts";
import { asArgument, fold } from "../../src/domain/text.ts";
import { untilOption } from "../arguments/instant.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import { type CLICommand, neverSuggested } from "../command.ts";
import { confirm } from "../terminal/confirm.ts";
import { formatInstant } from "../terminal/output.ts";

interface Member {
  readonly organisation: string;
  readonly rank: number;
  readonly until?: number | undefined;
}

/** Parses `<organisation>:<rank>`, and appends it. @throws InvalidArgumentError for any other text */
function parseMember(text: string, previous: readonly Member[] = []): Member[] {
  const [, organisation, rank] = /^(.+):([1-9]\d{0,9})$/.exec(text) ?? [];
  if (organisation === undefined || Number(rank) > integerRange.maximum)
    throw new InvalidArgumentError(
      `Expected <organisation>:<rank> with a rank from 1 to ${integerRange.maximum}, such as GROVE:4.`,
    );
  return [...previous, { organisation, rank: Number(rank) }];
}

function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

export function addPlayerCommands(program: CLICommand): void {
  const { context } = program;
  const { change, read, output, run } = context;
  const player = program.command("player").description("register, show, exclude and remove players");

  player
    .command("add")
    .description("register a player")
    .argument("<name>", "1 to 32 letters, digits, _, . or -")
    .option("--uuid <uuid>", "the player's UUID; random by default")
    .option(
      "--member <organisation:rank>",
      "a membership in a faction or service; can be repeated",
      parseMember,
    )
    .option("--admin", "make the player an administrator")
    .examples("player add Ada --member GROVE:4 --member RESCUE:2")
    .action(async (name: string, options: { uuid?: string; member?: Member[]; admin?: boolean }) => {
      const { uuid, member: members, admin: administrator } = options;
      const result = await run("changes", "player.add", { name, uuid, members, administrator });
      output.result(result, `${result.info}\n${result.uuid}`);
    });

  player
    .command("list")
    .description("list the registered players")
    .option("--member <organisation>", "only members of this faction or service; can be repeated", collect)
    .option("--group <group>", "only members of this group; can be repeated", collect)
    .option("--limit <n>", "only the first n", wholeFrom(0, 20))
    .examples("player list --member GROVE --group VIP --limit 50")
    .action(async ({ member, group, limit }: { member?: string[]; group?: string[]; limit?: number }) => {
      const found = await read("player.list", { members: member, groups: group });
      const rows = found.slice(0, limit);
      const isFiltered = member !== undefined || group !== undefined;
      const none = isFiltered ? "No player is a member of all of these." : "No player is registered yet.";
      const empty = found.length === 0 ? none : "--limit 0 shows none.";
      output.list(
        rows,
        {
          NAME: ({ name }) => name,
          UUID: ({ uuid }) => uuid,
          "MEMBER OF": ({ members }) => members.map(memberWords).join(" ") || "-",
          GROUPS: groupWords,
          ADMIN: ({ administrator }) => (administrator ? "yes" : "no"),
        },
        empty,
      );
      if (rows.length > 0 && rows.length < found.length)
        output.remark(`Showing ${rows.length} of ${found.length} players.`);
    });

  player
    .command("show")
    .description("show a player: rights, memberships, statistics, tokens")
    .argument("<player>", "name or UUID")
    .option(
      "--everything",
      "all records and all changes of a person, registered or not, as one JSON document",
    )
    .examples("player show Ada", "player show Ada --everything > ada.json")
    .action(async (reference: string, { everything = false }: { everything?: boolean }) => {
      if (everything) {
        const { showEverything } = await import("../actions/player-everything.ts");
        return showEverything(context, reference);
      }
      const shown = await read("player.show", { player: reference });
      const { statistic } = shown;
      const lines: [string, string][] = [
        ["name", shown.name],
        ["uuid", shown.uuid],
        ["administrator", shown.administrator ? "yes" : "no"],
        ["member of", shown.members.map(memberWords).join(" ") || "-"],
        ["groups", groupWords(shown)],
        ["registered", formatInstant(shown.registered)],
        ["last seen", formatInstant(shown.lastSeen)],
        ["addon version", shown.version ?? "-"],
        [
          "statistic",
          Object.entries(statistic)
            .map(([type, value]) => `${type} ${value}`)
            .join(", ") || "-",
        ],
        ["tokens", shown.tokens.map(tokenWords).join(", ") || "-"],
      ];
      output.pairs(shown, lines);
    });

  player
    .command("rename")
    .description("rename a player; statistics, memberships, lists and tokens follow")
    .argument("<player>", "name or UUID")
    .argument("<new-name>", "1 to 32 letters, digits, _, . or -")
    .examples("player rename Ada Ada_L")
    .action(async (reference: string, name: string) => {
      await change("player.rename", { player: reference, name });
    });

  neverSuggested(player.command("remove"))
    .description("remove a player, with statistics, memberships and tokens")
    .argument("<player>", "name or UUID")
    .option("--yes", "do not ask")
    .examples("player remove Ada")
    .loads(async () => (await import("../actions/player-remove.ts")).removePlayer);

  neverSuggested(player.command("exclude"))
    .description("exclude a player from the interface: every operation answers EXCLUDED")
    .argument("<player>", "name or UUID")
    .option("--reason <text>", "why; the player is told")
    .addOption(untilOption(output))
    .option("--yes", "do not ask")
    .examples("player exclude Ada", 'player exclude Ada --reason "forged kills" --until 14d')
    .action(async (reference: string, { reason, until, yes }: Terms & { yes?: boolean }) => {
      const input = { player: reference, reason, until };
      const isNamed = ({ name }: { name: string }) => fold(name) === fold(reference);
      let result = await run("edits", "player.exclude", { ...input, dryRun: true });
      if (result.wouldChange !== undefined) {
        // A removed player can have the name of somebody registered.
        const whom = isNamed(result) ? result.name : `${result.name} (${reference})`;
        const isMore = result.info !== `This excludes ${result.name}.`;
        if (isMore && yes !== true && !output.wantsJSON) output.remark(result.info);
        await confirm(context, { asks: `Exclude ${whom}?`, does: `This excludes ${whom}` });
        result = await run("edits", "player.exclude", { ...input, basis: result.basis });
      }
      output.result(result, result.info);
      const readmitted = asArgument(isNamed(result) ? result.name : reference);
      if (!output.wantsJSON) output.remark(`\`addon-cli player readmit ${readmitted}\` ends the exclusion.`);
    });

  const simple = [
    ["readmit", "player.readmit", "end the exclusion of a player"],
    ["reset-statistic", "player.reset-statistic", "set all statistics of a player to 0"],
  ] as const;
  for (const [name, operation, description] of simple) {
    neverSuggested(player.command(name))
      .description(description)
      .argument("<player>", "name or UUID")
      .examples(`player ${name} Ada`)
      .action(async (reference: string) => {
        await change(operation, { player: reference });
      });
  }
}

function tokenWords({ id, state, readOnly }: { id: string; state: string; readOnly: boolean }): string {
  return `${id} (${state}${readOnly ? ", read-only" : ""})`;
}

function memberWords({ organisation, rank, until }: Member): string {
  return withTermsInList(`${organisation}:${rank}`, { until });
}

interface Grouped {
  readonly groups: readonly string[];
  readonly terms?: readonly ({ readonly group: string } & Terms)[];
}

function groupWords({ groups, terms = [] }: Grouped): string {
  const termsOf = (name: string) => terms.find(({ group }) => group === name) ?? {};
  return groups.map((name) => withTermsInList(name, termsOf(name))).join(" ") || "-";
}
