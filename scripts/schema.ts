/** Writes `routes.schema.json`, by which editors complete and check `routes.yaml`: `npm run schema`. */
import { writeFile } from "node:fs/promises";
import { editorSchema } from "../src/engine/editor-schema.ts";
import { handlers } from "../src/handlers/index.ts";

const file = new URL("../routes.schema.json", import.meta.url);
await writeFile(file, `${JSON.stringify(editorSchema([...handlers.keys()]), null, 2)}\n`);
