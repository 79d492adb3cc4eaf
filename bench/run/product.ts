/** The product, as an operator runs it: `addon-cli serve` on a copy of a filled data folder, checked before use. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../scale/world.ts";
import type { Bench, Template } from "./bench.ts";
import { checkProduct } from "./check.ts";
import { productMain, projectFolder, routesFile } from "./project.ts";
import { ServerProcess } from "./server.ts";

/** A running service and what is in it. */
export interface Product {
  readonly server: ServerProcess;
  readonly world: World;
  readonly folder: string;
  /** Ends it, and removes its data folder. */
  stop(): Promise<void>;
}

/** Starts the product on a copy of a data folder. @throws BenchFailure where it answers anything that is not right */
export async function startProduct(bench: Bench, { world, folder: template }: Template): Promise<Product> {
  const { workshop } = bench;
  const folder = await workshop.newFolder("serving", template);
  const options = ["--data", folder, "--routes", routesFile, "--json", "--no-input"];
  const args = [productMain, ...options, "serve", "--host", "127.0.0.1", "--port", "0"];
  const server = await ServerProcess.start(workshop, args, { cwd: projectFolder });
  const stop = async () => {
    await server.stop();
    workshop.remove(folder);
  };
  try {
    await checkProduct(server.url, world, await bench.groups);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, world, folder, stop };
}

/** Starts the product, and then a peer, which may need to know what the product answers. */
export async function startBoth(
  bench: Bench,
  template: Template,
  startPeer: (product: Product) => Promise<ServerProcess>,
): Promise<{ product: Product; peer: ServerProcess; stop: () => Promise<void> }> {
  const product = await startProduct(bench, template);
  try {
    const peer = await startPeer(product);
    const stop = async () => {
      await peer.stop();
      await product.stop();
    };
    return { product, peer, stop };
  } catch (error) {
    await product.stop();
    throw error;
  }
}

/** The bytes of a data folder's journal, all segments together. */
export async function journalBytes(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => /^journal-.*\.log$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
