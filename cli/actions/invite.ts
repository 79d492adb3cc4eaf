/** Implements `token invite`. */
import { formatCSV } from "../../src/backup/csv.ts";
import { counted } from "../../src/domain/text.ts";
import type { Context } from "../context.ts";
import { formatInstant } from "../terminal/output.ts";

/** Exactly one of the first three says whom. `expires` is in milliseconds from now. */
interface InviteOptions {
  readonly player?: string;
  readonly member?: string;
  readonly allWithoutToken?: boolean;
  readonly expires?: number;
  readonly message?: string;
}

/** Invites players, and prints the codes: of one player the code or the text alone, of several as CSV. */
export async function invitePlayers(context: Context, options: InviteOptions): Promise<void> {
  const { misuse, output, run } = context;
  const { player, member, message } = options;
  if ([player, member, options.allWithoutToken].filter((whom) => whom !== undefined).length !== 1)
    misuse(
      "exactly one of --player <player>, --all-without-token and --member <organisation|group> is required",
    );
  if (message !== undefined && !message.includes("{code}"))
    misuse("expected a message with {code} in it, such as 'Welcome {name}! Your code: {code}'");
  const unknown = message?.match(/\{\w*\}/g)?.find((part) => part !== "{code}" && part !== "{name}");
  if (unknown !== undefined) misuse(`expected a message with {code} and {name} only, got ${unknown}`);
  const { expires, invitations, excluded, meant, sequence } = await run("edits", "token.invite", {
    player,
    member,
    expiresIn: options.expires,
  });
  const issued = invitations.map(({ name, uuid, code }) => ({
    ...{ name, uuid, code },
    ...(message === undefined ? {} : { message: fill(message, { name, code }) }),
  }));
  const columns = message === undefined ? ["name", "code"] : ["name", "code", "message"];
  const rows = issued.map(({ name, code, message: text = "" }) =>
    [name, code, text].slice(0, columns.length),
  );
  const [one] = issued;
  const text = player === undefined ? formatCSV(columns, rows) : (one?.message ?? one?.code ?? "");
  const left = player === undefined ? { excluded } : {};
  const replaced = invitations.filter(({ replaces }) => replaces).length;
  const undo = `\`addon-cli undo ${sequence}\` returns to`;
  await output.issued({ expires, invitations: issued, ...left, ended: replaced, sequence }, text, {
    sentence: "The codes could not be printed.",
    hint: `Run the command again: new codes replace those that nobody has seen.${replaced === 0 ? "" : ` Instead, ${undo} the codes from before.`}`,
  });
  if (output.wantsJSON) return;
  const until = `valid until ${formatInstant(expires)}`;
  const others = excluded === 0 ? "" : " else";
  const nobody =
    meant === 0
      ? `There are no players${member === undefined ? "" : ` in ${member}`}.`
      : `There is nobody${others} without a valid token.`;
  output.remark(issued.length === 0 ? nobody : `${counted(issued.length, "code")}, ${until}.`);
  if (excluded > 0) output.remark(`${counted(excluded, "excluded player")} left out.`);
  if (replaced > 0)
    output.remark(`${counted(replaced, "former code")} ended; ${undo} ${replaced === 1 ? "it" : "them"}.`);
}

function fill(message: string, values: { readonly name: string; readonly code: string }): string {
  return message.replace(/\{(name|code)\}/g, (_, key: "name" | "code") => values[key]);
}
