/** `routes`: the route table as people read it, what is wrong with it, and which one is in force. */
import type { Command } from "commander";
import type { Session } from "../session.ts";
import { addCheckCommand } from "./routes-check.ts";
import { addDiffCommand } from "./routes-diff.ts";
import { addListCommand } from "./routes-list.ts";
import { addReloadCommands } from "./routes-reload.ts";
import { addSchemaCommand } from "./routes-schema.ts";
import { addTestCommand } from "./routes-test.ts";

export function addRoutesCommands(program: Command, session: Session): void {
  const routes = program.command("routes").description("list and check the route table");
  addListCommand(routes, session);
  addCheckCommand(routes, session);
  addTestCommand(routes, session);
  addDiffCommand(routes, session);
  addReloadCommands(routes, session);
  addSchemaCommand(routes, session);
}
