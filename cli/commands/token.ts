/** `token`: issuing, listing and revoking tokens. A token is shown once, when it is issued. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Control } from "../../src/control/control.ts";
import { Failure } from "../../src/domain/errors.ts";
import { hashOfToken, tokenInText } from "../../src/identity/tokens.ts";
import type { Session } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";
import { type ConfirmOptions, confirm } from "../terminal/confirm.ts";
import { toDate } from "../terminal/output.ts";

const millisecondsOf = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A duration such as `30d`, in milliseconds. @throws InvalidArgumentError where it is none */
export function parseDuration(text: string): number {
  const match = /^([1-9]\d{0,5})([mhdw])$/.exec(text);
  if (match === null) throw new InvalidArgumentError("Expected is a number and m, h, d or w, such as 30d.");
  return Number(match[1]) * millisecondsOf[match[2] as keyof typeof millisecondsOf];
}

/** Characters that are read of standard input: a token, and white space around it. */
const longestInput = 1024;

/** The hash of the token in a text. @throws Failure where there is none */
function hashFrom(text: string): string {
  const hash = hashOfToken(text.trim());
  if (hash !== undefined) return hash;
  throw new Failure("PARAMETER_INVALID", "Expected one token on standard input, but there is none.", {
    hint: "A token is gat_ and 43 characters. Give the id instead where you know it.",
  });
}

/**
 * Revokes a token that was to be read-only and is not: a service that was started from an earlier version ignores the
 * option, and the token is about to be published.
 * @throws Failure where the token was revoked
 */
async function requireReadOnly(control: Control, id: string): Promise<void> {
  const tokens = await control.administer("token.list", {});
  if (tokens.some((each) => each.id === id && each.readOnly)) return;
  await control.administer("token.revoke", { id });
  throw new Failure(
    "CONFLICT",
    "Expected a read-only token, but the running service issued one that allows changes; it was revoked.",
    { hint: "The service was started from an earlier version. Restart it, then issue the token again." },
  );
}

/** The failure where an issued token could not be shown, and never will be. */
function unseen(id: string, cause: Error): Failure {
  const sentence = `The token ${id} was issued, but nobody has seen it. ${cause.message}`;
  return new Failure("STORE_UNAVAILABLE", sentence, {
    hint: `\`addon-cli token revoke ${id}\` revokes it. Then issue another one.`,
    cause,
  });
}

interface IssueOptions {
  readonly player?: string;
  readonly public?: boolean;
  readonly label?: string;
  readonly addonVersion?: string;
  readonly readOnly?: boolean;
  readonly expires?: number;
}

export function addTokenCommands(program: Command, session: Session): void {
  const { look, output, withControl } = session;
  const token = program.command("token").description("issue, list and revoke tokens");
  token
    .command("issue")
    .description("issue a token, and print it: alone, on standard output, this once")
    .addOption(new Option("--player <player>", "identifies this player: name or UUID").conflicts("public"))
    .option("--public", "belongs to nobody, and can call what is open")
    .option("--label <text>", "what the token is for")
    .option("--addon-version <version>", "the addon version that it is issued for, such as 2.5.1")
    .option("--expires <duration>", "such as 30d; also m, h and w", parseDuration)
    .option("--read-only", "allows no changes; for web pages and other places where many can see it")
    .addHelpText(
      "after",
      examples("token issue --player Ada --expires 30d", "token issue --public --read-only"),
    )
    .action(async (options: IssueOptions, command: Command) => {
      if (options.player === undefined && options.public !== true) {
        command.error("error: one of --player <player> and --public is needed", {
          code: "usage",
          exitCode: 2,
        });
      }
      const issued = await withControl("changes", async (control) => {
        const answer = await control.administer("token.issue", {
          player: options.player,
          label: options.label,
          addonVersion: options.addonVersion,
          readOnly: options.readOnly,
          expiresIn: options.expires,
        });
        if (options.readOnly === true) await requireReadOnly(control, answer.id);
        return answer;
      });
      await output.issued(issued, issued.token).catch((error: Error) => {
        throw unseen(issued.id, error);
      });
    });
  token
    .command("list")
    .description("list the tokens; they themselves are not kept and never shown")
    .option("--player <player>", "only the tokens of this player: name or UUID")
    .addHelpText("after", examples("token list --player Ada"))
    .action(async ({ player }: { player?: string }) => {
      const rows = await look("token.list", { player });
      await output.list(
        rows,
        [
          { heading: "ID", cell: ({ id }) => id },
          { heading: "PLAYER", cell: ({ player }) => player ?? "(public)" },
          { heading: "STATE", cell: ({ state }) => state },
          { heading: "ACCESS", cell: ({ readOnly }) => (readOnly ? "read-only" : "full") },
          { heading: "ISSUED", cell: ({ issued }) => toDate(issued) },
          { heading: "EXPIRES", cell: ({ expires }) => toDate(expires) },
          { heading: "VERSION", cell: ({ addonVersion }) => addonVersion ?? "-" },
          { heading: "LABEL", cell: ({ label }) => label ?? "-" },
        ],
        player === undefined ? "No token was issued yet." : `${player} has no tokens.`,
      );
    });
  neverSuggested(token.command("revoke"))
    .description("revoke a token, or all tokens of a player")
    .argument("[id]", "as `token list` shows it, or - to read the token itself from standard input")
    .option("--player <player>", "revoke all tokens of this player: name or UUID")
    .option("--yes", "do not ask whether all are to be revoked")
    .addHelpText(
      "after",
      examples("token revoke a92ebc16", "token revoke - < token.txt", "token revoke --player Ada"),
    )
    .action(async (id: string | undefined, { player }: { player?: string }, command: Command) => {
      if ((id === undefined) === (player === undefined)) {
        command.error("error: one of <id> and --player <player> is needed", { code: "usage", exitCode: 2 });
      }
      if (player !== undefined) return revokeAllOf(session, player, command.optsWithGlobals());
      const input = await tokenInput(session, id ?? "", command);
      const result = await withControl("changes", (control) => control.administer("token.revoke", input));
      output.result(result, result.info);
    });
}

/** The token that is meant by what was typed. A token itself is taken from standard input alone. */
async function tokenInput({ io }: Session, id: string, command: Command) {
  if (tokenInText.test(id)) {
    command.error(
      "error: expected a token's id, got a token: on a command line everyone on this machine can read it. " +
        "Give the id that `token list` shows, or `token revoke -` and the token on standard input.",
      { code: "usage", exitCode: 2 },
    );
  }
  return id === "-" ? { hash: hashFrom(await io.readInput(longestInput)) } : { id };
}

/** Revokes all tokens of a player, once that is confirmed. */
async function revokeAllOf(session: Session, player: string, options: ConfirmOptions): Promise<void> {
  const { look, output, withControl } = session;
  const found = await look("token.list", { player });
  const tokens = found.filter(({ state }) => state !== "revoked");
  if (tokens.length > 0) {
    const what = tokens.length === 1 ? `the token of ${player}` : `all ${tokens.length} tokens of ${player}`;
    await confirm(session, options, { asks: `Revoke ${what}?`, does: `This revokes ${what}` });
  }
  const result = await withControl("changes", (control) => control.administer("token.revoke", { player }));
  output.result(result, result.info);
}
