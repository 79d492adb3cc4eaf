/** What `routes schema` does. */
import { editorSchema } from "../../src/engine/editor-schema.ts";
import { handlers } from "../../src/handlers/index.ts";
import type { Session } from "../session.ts";

/** Prints the schema. */
export function printSchema({ output }: Session): void {
  const schema = editorSchema([...handlers.keys()]);
  output.result(schema, JSON.stringify(schema, undefined, 2));
}
