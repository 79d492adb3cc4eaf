/** What `routes schema` does. */

import { handlers } from "../../../src/resources/index.ts";
import { editorSchema } from "../../../src/table/editor-schema.ts";
import type { Session } from "../../context.ts";

/** Prints the schema. */
export function printSchema({ output }: Session): void {
  const schema = editorSchema([...handlers.keys()]);
  output.result(schema, JSON.stringify(schema, undefined, 2));
}
