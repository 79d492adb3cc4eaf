/** Implements `routes schema`. */
import { handlersFor } from "../../../src/resources/index.ts";
import { shippedDeclarations } from "../../../src/table/declared/declarations.ts";
import { editorSchema } from "../../../src/table/editor/editor-schema.ts";
import type { Context } from "../../context.ts";

/** Prints the schema. */
export function printSchema({ output }: Context): void {
  const schema = editorSchema([...handlersFor(shippedDeclarations()).keys()]);
  output.verbatim(schema, JSON.stringify(schema, undefined, 2));
}
