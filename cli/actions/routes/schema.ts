/** Implements `routes schema`. */
import { handlers } from "../../../src/resources/index.ts";
import { editorSchema } from "../../../src/table/editor/editor-schema.ts";
import type { Context } from "../../context.ts";

/** Prints the schema. */
export function printSchema({ output }: Context): void {
  const schema = editorSchema([...handlers.keys()]);
  output.verbatim(schema, JSON.stringify(schema, undefined, 2));
}
