/** The TypeScript client, generated when a test imports it, so that no test needs a build. */
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "../../client/typescript/scripts/generate.ts";
import type { ClientOptions, Timing } from "../../client/typescript/src/index.ts";
import { projectFolder, type World } from "../_setup.ts";
import { compiler, run } from "./_setup.ts";

// The client's sources import the generated files, so they are imported after these exist.
await generate();
export const { GameAddonClient, GameAddonError, GameAddonNetworkError, withoutSpaces, withSpaces } =
  await import("../../client/typescript/src/index.ts");

/** A clock that stands still, a constant random number, and recorded sleeps. */
export class StillTiming implements Timing {
  time = Date.parse("2026-11-21T12:00:00Z");
  /** The recorded sleeps, in milliseconds. */
  readonly slept: number[] = [];
  readonly now = (): number => this.time;
  readonly random = (): number => 0;
  /** Never aborted. */
  readonly timeout = (): AbortSignal => new AbortController().signal;
  readonly sleep = async (milliseconds: number): Promise<void> => {
    this.slept.push(milliseconds);
  };
}

/** Returns a client of a world's service, in-process or over its socket. */
export function clientOf(world: World, token: string, options: Partial<ClientOptions> = {}) {
  const direct: typeof fetch = async (input, init) => world.service.fetch(new Request(input, init));
  const isDirect = world.url === "http://in-process";
  const transport = isDirect ? { fetch: direct } : {};
  return new GameAddonClient({
    baseUrl: world.url,
    token,
    timing: new StillTiming(),
    ...transport,
    ...options,
  });
}

/** Compiles the client into a folder's `node_modules`, as an installation would. */
export async function installClient(folder: string): Promise<void> {
  const source = join(projectFolder, "client", "typescript");
  const target = join(folder, "node_modules", "gameaddon-client");
  await mkdir(target, { recursive: true });
  await cp(join(source, "package.json"), join(target, "package.json"));
  await run(process.execPath, [compiler, "-p", source, "--outDir", join(target, "dist")]);
}
