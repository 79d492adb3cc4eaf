/** `token`: issues, lists and revokes tokens and invitations. A token or a code is shown once, when it is issued. */
import { Option } from "commander";
import type { OperationInput } from "../../src/control/operations.ts";
import { Failure } from "../../src/domain/errors.ts";
import { hashOfToken, tokenInText } from "../../src/identity/tokens.ts";
import { instantWords, parseFuture } from "../arguments/instant.ts";
import { type CLICommand, neverSuggested } from "../command.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";
import { formatInstant } from "../terminal/output.ts";

/** The limit for standard input, in characters: a token, and white space around it. */
const longestInput = 1024;

/** Returns the hash of the token in a text. @throws Failure if there is none */
function hashFrom(text: string): string {
  const hash = hashOfToken(text.trim());
  if (hash !== undefined) return hash;
  const got = text.trim() === "" ? "nothing" : "another text";
  throw new Failure("PARAMETER_INVALID", `Expected a token on standard input, got ${got}.`, {
    hint: "A token is gat_ and 43 characters. If you know its id, give that instead.",
  });
}

type IssueOptions = Omit<OperationInput<"token.issue">, "expiresIn"> & { public?: boolean; expires?: number };

export function addTokenCommands(program: CLICommand): void {
  const { context } = program;
  const { change, misuse, read, run, output } = context;
  const parseExpiry = (text: string) => parseFuture(text, output) - Date.now();
  const token = program.command("token").description("issue, list and revoke tokens and invitations");
  token
    .command("issue")
    .description("issue a token, and print it on standard output; it is never shown again")
    .addOption(new Option("--player <player>", "a token of this player: name or UUID").conflicts("public"))
    .option("--public", "a token of nobody, for operations that are open to everyone")
    .option("--label <text>", "what the token is for")
    .option("--addon-version <version>", "the addon version it is issued for, such as 2.5.1")
    .option("--expires <moment>", `when it expires: ${instantWords}`, parseExpiry)
    .option("--read-only", "a token that allows no changes, for web pages and other public places")
    .examples("token issue --player Ada --expires 30d", "token issue --public --read-only")
    .action(async ({ public: isPublic, expires: expiresIn, ...input }: IssueOptions) => {
      if (input.player === undefined && isPublic !== true)
        misuse("one of --player <player> and --public is required");
      const issued = await run(isPublic === true ? "changes" : "edits", "token.issue", {
        ...input,
        expiresIn,
      });
      const { id } = issued;
      await output.issued(issued, issued.token, {
        sentence: `The token ${id} was issued, but could not be printed.`,
        hint: `\`addon-cli token revoke ${id}\` revokes it. Then issue another one.`,
      });
    });
  token
    .command("list")
    .description("list the tokens, without their secrets, which are not stored")
    .option("--player <player>", "only the tokens of this player: name or UUID")
    .examples("token list --player Ada")
    .action(async ({ player }: { player?: string }) => {
      const rows = await read("token.list", { player });
      output.list(
        rows,
        {
          ID: ({ id }) => id,
          PLAYER: ({ player }) => player ?? "(public)",
          STATE: ({ state }) => state,
          ACCESS: ({ readOnly }) => (readOnly ? "read-only" : "full"),
          ISSUED: ({ issued }) => formatInstant(issued),
          EXPIRES: ({ expires }) => formatInstant(expires),
          VERSION: ({ addonVersion }) => addonVersion ?? "-",
          LABEL: ({ label }) => label ?? "-",
        },
        player === undefined ? "No token was issued yet." : `${player} has no tokens.`,
      );
    });
  token
    .command("invite")
    .description("print codes that players exchange for a token; they are never shown again")
    .option("--player <player>", "invite this player: name or UUID; prints the code")
    .option(
      "--all-without-token",
      "invite all players who have no valid token; prints CSV of names and codes",
    )
    .option("--member <organisation|group>", "the same, but only members of this faction, service or group")
    .option(
      "--expires <moment>",
      `when the codes expire, by default as the route table says: ${instantWords}`,
      parseExpiry,
    )
    .option("--message <text>", "a text with {code} and {name} for each player, as a further column")
    .examples(
      "token invite --player Ada",
      "token invite --member GROVE --message 'Welcome {name}! Your code: {code}' > codes.csv",
    )
    .loads(async () => (await import("../actions/invite.ts")).invitePlayers);
  token
    .command("invitations")
    .description("list the latest invitation of each player, without its code, which is not stored")
    .examples("token invitations")
    .action(async () => {
      output.list(
        await read("token.invitations", {}),
        {
          PLAYER: ({ player }) => player,
          STATE: ({ state }) => state,
          ISSUED: ({ issued }) => formatInstant(issued),
          EXPIRES: ({ expires }) => formatInstant(expires),
          TOKEN: ({ token }) => token ?? "-",
        },
        "Nobody was invited yet.",
      );
    });
  neverSuggested(token.command("revoke"))
    .description("revoke a token, all tokens of a player, or an invitation")
    .argument("[id]", "as `token list` shows it, or - to read the token itself from standard input")
    .option("--player <player>", "revoke all tokens and the invitation of this player: name or UUID")
    .option(
      "--invitation <player>",
      "revoke the invitation of this player, and the token that it gave, unless that was used",
    )
    .option("--yes", "with --player: do not ask")
    .examples(
      "token revoke a92ebc16",
      "token revoke - < token.txt",
      "token revoke --player Ada",
      "token revoke --invitation Ada",
    )
    .action(
      async (id: string | undefined, { player, invitation }: { player?: string; invitation?: string }) => {
        if ([id, player, invitation].filter((whom) => whom !== undefined).length !== 1)
          misuse("exactly one of <id>, --player <player> and --invitation <player> is required");
        if (player !== undefined) return revokeAllOf(context, player);
        if (invitation !== undefined) {
          await change("token.revoke", { invitation });
          return;
        }
        await change("token.revoke", await tokenInput(context, id ?? ""));
      },
    );
}

/** Returns the token that an argument names. A token itself is read only from standard input. */
async function tokenInput({ io, misuse }: Context, id: string) {
  if (tokenInText.test(id)) {
    misuse(
      "expected a token's id, got a token: on a command line everyone on this machine can read it. " +
        "Give the id that `token list` shows, or `token revoke -` and the token on standard input.",
    );
  }
  return id === "-" ? { hash: hashFrom(await io.readInput(longestInput)) } : { id };
}

async function revokeAllOf(context: Context, player: string): Promise<void> {
  const { change, read } = context;
  // Until the answer, the name can become another's.
  const { name, uuid, tokens: found } = await read("player.show", { player });
  const { length } = found.filter(({ state }) => state !== "revoked");
  if (length > 0) {
    const what = length === 1 ? `the token of ${name}` : `all ${length} tokens of ${name}`;
    await confirm(context, { asks: `Revoke ${what}?`, does: `This revokes ${what}` });
  }
  await change("token.revoke", { player: uuid });
}
