/**
 * A process that verifies a folder, for tests that limit its memory:
 *
 *     node --max-old-space-size=… _verify-driver.ts <data folder>
 *
 * It prints the problems as JSON.
 */
import { verify } from "../../src/repair/verify.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";

const [folder = ""] = process.argv.slice(2);
verify(nodeFiles, folder, { running: false }).then(({ problems, inconsistencies }) => {
  console.log(JSON.stringify([...problems, ...inconsistencies]));
});
