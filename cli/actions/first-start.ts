/** The checks of a first start of `serve`. */
import { refusedAddress, theMetrics, theService } from "../../src/http/listening.ts";
import type { Address } from "../arguments/address.ts";
import type { Context } from "../context.ts";
import { checkedTable, tableFile } from "./routes/table.ts";

/** Refuses a first start that would fail, before it creates anything. @throws Failure */
export async function checkFirstStart(
  context: Context,
  { host, port, metrics }: Address & { readonly metrics?: Address | undefined },
): Promise<void> {
  await checkedTable(context, await tableFile(context, undefined));
  const refused =
    (await refusedAddress(theService, host, port)) ??
    (metrics && (await refusedAddress(theMetrics, metrics.host, metrics.port)));
  if (refused !== undefined) throw refused;
}
