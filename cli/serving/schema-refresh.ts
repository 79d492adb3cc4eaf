/** Updates the editor schema beside the route table after an upgrade. */
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeTarget } from "../../src/backup/output-file.ts";
import { packaged } from "../../src/packaged.ts";
import { readRegular } from "../../src/regular-file.ts";
import { ignoreMissing, nodeFiles } from "../../src/store/folder/files.ts";
import { isUnedited } from "../../src/table/editor/schema-origin.ts";
import { schemaName } from "../data/workspace.ts";

/**
 * Replaces the schema beside a table by that of this version, unless somebody has edited or removed it.
 * @returns the path of the schema if it was replaced
 */
export async function refreshSchema(routes: string): Promise<string | undefined> {
  const path = join(dirname(routes), schemaName);
  const present = await readRegular(path).catch(ignoreMissing);
  if (present === undefined || !isUnedited(present.toString())) return undefined;
  const current = await readFile(packaged(schemaName), "utf8");
  if (JSON.stringify(JSON.parse(present.toString())) === JSON.stringify(JSON.parse(current)))
    return undefined;
  // A link remains a link: its target is replaced.
  const file = await realpath(path);
  await writeTarget(nodeFiles, file, [Buffer.from(current)], { mode: (await stat(file)).mode & 0o777 });
  return path;
}
