/**
 * Makes what the client knows of the interface, from the description that `addon-cli routes openapi` prints of the
 * repository's own route table, or from another one (`npm run generate -- openapi.json`):
 *
 *   src/generated/description.ts   the types, by openapi-typescript
 *   src/generated/operations.ts    the prefix of every path, and which operations only read
 *
 * Both are written again only when there is something else to write: tests of several files ask for them at once.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const clientFolder = fileURLToPath(new URL("..", import.meta.url));
const projectFolder = join(clientFolder, "..", "..");
const generatedFolder = join(clientFolder, "src", "generated");

/** What is looked at of a description. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly get: { readonly "x-effect": "read" | "change" } }>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly "x-secret"?: boolean }>>;
  };
}

/** Makes the files. @param file the description; without one it is made from the repository's route table */
export async function generate(file?: string): Promise<void> {
  const text = file === undefined ? await ownDescription() : await readFile(file, "utf8");
  const operations = `${await headOf(text)}\n${operationsOf(JSON.parse(text))}`;
  const path = join(generatedFolder, "operations.ts");
  if ((await readFile(path, "utf8").catch(() => "")) === operations) return;
  const { astToString, COMMENT_HEADER, default: toTypes } = await import("openapi-typescript");
  const types = await toTypes(text, { immutable: true, silent: true });
  await mkdir(generatedFolder, { recursive: true });
  await replace(join(generatedFolder, "description.ts"), COMMENT_HEADER + astToString(types));
  // The last one: it vouches for the other.
  await replace(path, operations);
}

/**
 * The description of the repository's own table, with the names of groups and factions in `data/seed.yaml`: a data folder
 * that is there may have others.
 */
async function ownDescription(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-client-"));
  try {
    const routes = join(projectFolder, "routes.yaml");
    const command = ["--import", "tsx", join("cli", "main.ts"), "--data", folder, "--routes", routes];
    const options = { cwd: projectFolder, maxBuffer: 2 ** 26 };
    const { stdout } = await run(process.execPath, [...command, "routes", "openapi"], options);
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Says what the files were made from: the description, this file, and the version of the generator. */
async function headOf(description: string): Promise<string> {
  const digest = createHash("sha256").update(description);
  digest.update(await readFile(fileURLToPath(import.meta.url)));
  digest.update(await readFile(join(clientFolder, "package.json")));
  return `// Made by scripts/generate.ts from ${digest.digest("hex")}.`;
}

function operationsOf({ paths, components }: Description): string {
  const token = Object.values(components.parameters).find((parameter) => parameter["x-secret"] === true);
  const [first = ""] = Object.keys(paths);
  const place = `{${token?.name}}`;
  if (!first.includes(place)) throw new Error("The description has no token in its paths.");
  const prefix = first.slice(0, first.indexOf(place) + place.length);
  const reads = Object.keys(paths).filter((path) => paths[path]?.get["x-effect"] === "read");
  const names = reads.map((path) => `  ${JSON.stringify(path.slice(prefix.length))},\n`);
  return `
/** What every path begins with. */
export const prefix = ${JSON.stringify(prefix)};

/** The operations that only read. Every other one changes data. */
export const reads: ReadonlySet<string> = new Set([
${names.join("")}]);
`;
}

/** Writes a file so that nobody reads half of it. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file] = process.argv;
  // npm runs scripts in the package's folder; the file is meant from where the caller is.
  await generate(file === undefined ? undefined : resolve(process.env.INIT_CWD ?? ".", file));
}
