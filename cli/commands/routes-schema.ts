/** `routes schema`: the JSON Schema by which editors complete and check a route table. */
import type { Command } from "commander";
import { editorSchema } from "../../src/engine/editor-schema.ts";
import { handlers } from "../../src/handlers/index.ts";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";

export function addSchemaCommand(routes: Command, { output }: Session): void {
  routes
    .command("schema")
    .description("print the JSON Schema by which editors complete and check a route table")
    .addHelpText("after", examples("routes schema > routes.schema.json"))
    .action(() => {
      const schema = editorSchema([...handlers.keys()]);
      output.result(schema, JSON.stringify(schema, undefined, 2));
    });
}
