/** Implements `routes schema`. */
import { handlersFor } from "../../../src/resources/index.ts";
import { defaultDeclarations } from "../../../src/table/declared/declarations.ts";
import { editorSchema } from "../../../src/table/editor/editor-schema.ts";
import type { Context } from "../../context.ts";

export function printSchema({ output }: Context): void {
  const schema = editorSchema([...handlersFor(defaultDeclarations()).keys()]);
  output.verbatim(schema, JSON.stringify(schema, undefined, 2));
}
