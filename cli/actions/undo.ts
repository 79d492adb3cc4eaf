/** Implements `undo --by` and `undo --token`: shows what one caller did, asks, and takes it back. */
import type { OperatorInput } from "../../src/operator/index.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";

/** Whose changes to take back, and which of them. */
export type CallerOptions = Omit<OperatorInput<"undo.caller">, "preview" | "basis">;

export async function undoCaller(context: Context, filter: CallerOptions): Promise<void> {
  const { change, output, run } = context;
  const preview = await run("reads", "undo.caller", { ...filter, preview: true });
  if (Object.keys(preview.records).length === 0) {
    output.result(preview, preview.info);
    return;
  }
  if (!output.wantsJSON) output.remark(preview.info.replace(/^Takes/, "This takes"));
  const who = filter.by ?? `the token ${filter.token}`;
  await confirm(context, {
    asks: "Take it back?",
    does: `This takes back what ${who} did`,
    details: preview,
  });
  const { by, basis } = preview;
  const { sequence } = await change("undo.caller", { ...filter, by, basis, preview: false });
  if (!output.wantsJSON && sequence !== undefined) output.remark(`\`addon-cli undo ${sequence}\` undoes it.`);
}
