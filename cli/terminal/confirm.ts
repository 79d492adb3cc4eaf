/** Asks for confirmation before a command does something that is hard to undo. */
import { Failure } from "../../src/domain/errors.ts";
import { Interrupted, type IO } from "./io.ts";
import { type Output, onOneLine, Reported } from "./output.ts";

interface Asking {
  readonly io: IO;
  readonly output: Output;
  /** `input` is false with `--no-input`; `--yes` answers. */
  options(): { readonly input: boolean; readonly yes?: boolean };
}

/** A question, and the failure if there is nobody to answer it. */
export interface Question {
  /** Answered by yes or no, such as "Remove Ada?". */
  readonly asks: string;
  /** What the command does, as a main clause: "This removes Ada". */
  readonly does: string;
  /** What to do if there is nobody to ask; the default names `--yes`. */
  readonly hint?: string;
  /** What stays the same, as a clause: "revision 06579cbfdaa8 stays in force". */
  readonly stays?: string;
  /** Further members of the failure with `--json`. */
  readonly details?: object;
}

/** Asks, unless `--yes` answers. @throws Failure, or Reported, unless the answer is yes */
export async function confirm(
  { io, output, options }: Asking,
  { asks, does, hint = "--yes does it without asking.", stays, details }: Question,
): Promise<void> {
  const { input, yes = false } = options();
  const json = output.wantsJSON;
  if (yes) return;
  if (json || !input || io.ask === undefined || io.stdout.isTTY !== true) {
    const info = `${does}, and there is nobody to ask: ${stays ?? "nothing was changed"}.`;
    if (!json || details === undefined) throw new Failure("CONFLICT", info, { hint });
    const failure = { code: "CONFLICT", info, hint };
    // First, although the details may have a sentence of their own.
    output.result({ ...failure, ...details, ...failure }, "");
    throw new Reported();
  }
  const nothing = stays === undefined ? "Nothing was changed." : `Nothing was changed: ${stays}.`;
  const answer = await io.ask(`${onOneLine(asks)} [y/N] `).catch((error: unknown) => {
    if (error instanceof Interrupted) output.remark(nothing);
    throw error;
  });
  if (/^\s*y(es)?\s*$/i.test(answer ?? "")) return;
  output.remark(nothing);
  throw new Reported();
}
