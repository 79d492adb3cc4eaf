/** The results as a file. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { withoutTokens } from "../../src/identity/tokens.ts";

/** Writes a JSON document. Whatever a message in it may have: a token does not get past here. */
export async function writeJSON(file: string, document: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${withoutTokens(JSON.stringify(document, null, 2))}\n`);
}
