/** The table of the service that runs on the data folder. Many commands load this file, so it imports little. */
import { realpath } from "node:fs/promises";
import { connectControl } from "../../src/control/client.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { TableStatus } from "../../src/table-in-force/route-table.ts";
import type { Workspace } from "./workspace.ts";

/** Returns the status of the table in force; undefined if no service runs. */
export async function tableInForce({ folder }: Workspace): Promise<TableStatus | undefined> {
  const control = await connectControl(folder);
  return control?.run("routes.status", {});
}

/**
 * @param file the table of the service
 * @throws Failure if `--routes` names another one, at which the service never looks
 */
export async function requireServed(workspace: Workspace, hint: string, file?: string): Promise<void> {
  const { routes, typedRoutes } = workspace;
  const served = typedRoutes ? (file ?? (await tableInForce(workspace))?.file) : undefined;
  const target = (path: string) => realpath(path).catch(() => path);
  if (served === undefined || (await target(routes)) === (await target(served))) return;
  throw new Failure("CONFLICT", `The service runs on ${served}, not on ${routes}.`, { hint });
}
