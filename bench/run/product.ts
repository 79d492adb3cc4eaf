/** The product as an operator runs it: `addon-cli serve` on a copy of a filled data folder, checked before use. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { connectControl } from "../../src/control/client.ts";
import type { Control } from "../../src/control/operations.ts";
import type { Dataset } from "../data/dataset.ts";
import { template } from "../data/template.ts";
import { checkProduct } from "./check.ts";
import { ensure } from "./failure.ts";
import { productMain, routesFile } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { copyFolder } from "./temporary.ts";

/** A running service, its data folder, and the dataset in it. */
export interface Product {
  readonly server: Server;
  readonly dataset: Dataset;
  readonly folder: string;
}

/** Returns the arguments of a command on a data folder, for Node. */
export function productCommand(folder: string, ...command: readonly string[]): string[] {
  return [productMain, "--data", folder, "--routes", routesFile, ...command];
}

/** Starts the product with so many players; by default without limits. @throws BenchFailure if any answer is wrong */
export async function startProduct(size: number, options = ["--limits", "off"]): Promise<Product> {
  const { dataset, folder: filled } = await template(size);
  const folder = await copyFolder(filled);
  const serve = ["--json", "--no-input", "serve", "--host", "127.0.0.1", "--port", "0", ...options];
  const server = await startServer(productCommand(folder, ...serve));
  await checkProduct(server.url, dataset);
  return { server, dataset, folder };
}

/** Connects to the socket of a running product. */
export async function connect({ folder }: Product): Promise<Control> {
  const control = await connectControl(folder);
  ensure(control !== undefined, () => "cannot connect to the control socket of the service");
  return control;
}

/** Returns the number of bytes in a data folder's journal. */
export async function journalBytes(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => /^journal-.*\.log$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
