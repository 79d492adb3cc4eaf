/** What a command asks before it does something that is hard to take back (contract, section 4). */
import { Failure } from "../../src/domain/errors.ts";
import type { Session } from "../context.ts";
import type { GlobalOptions } from "../data/workspace.ts";
import { Reported } from "./output.ts";

/** The options that decide whether anybody is asked. */
export interface ConfirmOptions extends Pick<GlobalOptions, "json" | "input"> {
  /** Whether `--yes` answers. */
  readonly yes?: boolean;
}

/** A question, and what is said where there is nobody to answer it. */
export interface Question {
  /** Answered by yes or no, such as "Remove Ada?". */
  readonly asks: string;
  /** What the command does, as a main clause: "This removes Ada". */
  readonly does: string;
  /** What to do then; by default it names `--yes`. */
  readonly hint?: string;
  /** What stays as it is, as a clause: "revision 06579cbfdaa8 stays in force". */
  readonly stays?: string;
  /** What the failure has with `--json`, beside code, info and hint. */
  readonly details?: object;
}

/** Asks, unless `--yes` has answered. @throws Failure, or Reported, where it is not to be done */
export async function confirm(
  { io, output }: Pick<Session, "io" | "output">,
  { json, input, yes = false }: ConfirmOptions,
  { asks, does, hint = "--yes does it without asking.", stays, details }: Question,
): Promise<void> {
  if (yes) return;
  if (json || !input || io.ask === undefined || io.stdout.isTTY !== true) {
    const info = `${does}, and nobody can be asked: ${stays ?? "nothing was changed"}.`;
    if (!json || details === undefined) throw new Failure("CONFLICT", info, { hint });
    output.result({ code: "CONFLICT", info, hint, ...details }, "");
    throw new Reported();
  }
  const answer = await io.ask(`${asks} [y/N] `);
  if (/^\s*y(es)?\s*$/i.test(answer ?? "")) return;
  output.remark(stays === undefined ? "Nothing was changed." : `Nothing was changed: ${stays}.`);
  throw new Reported();
}
