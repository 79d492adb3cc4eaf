/** Implements `list drop`. */
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";

/** Asks, and removes the entries of a list. */
export async function dropList(context: Context, list: string): Promise<void> {
  const { change, output, run } = context;
  const { info: entries } = await run("reads", "list.drop", { list, dryRun: true });
  await confirm(context, { asks: `Remove ${entries}?`, does: `This removes ${entries}` });
  const { sequence } = await change("list.drop", { list }, "reads");
  if (!output.wantsJSON) output.remark(`\`addon-cli undo ${sequence}\` undoes it.`);
}
