/** Tests that the types of the TypeScript client follow the OpenAPI description. */
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { projectFolder, temporaryFolder } from "../_setup.ts";
import "./_client.ts";
import { compiler, run } from "./_setup.ts";

it("invalid paths and parameters do not compile, and valid ones do", async (t) => {
  const folder = await temporaryFolder(t);
  await symlink(join(projectFolder, "node_modules"), join(folder, "node_modules"));
  const config = {
    extends: join(projectFolder, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(projectFolder, "node_modules", "@types")] },
    include: [],
    files: [join(projectFolder, "test", "clients", "_types.ts")],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await run(process.execPath, [compiler, "-p", folder]).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
});
