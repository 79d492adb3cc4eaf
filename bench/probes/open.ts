/**
 * A probe: opens a data folder with the product, until it can answer. Node's own start and loading the code are not
 * counted. It is left as `kill -9` would, so that the folder stays as it is.
 *
 *     node open.js <service> <data folder> <route table>
 */
import { pathToFileURL } from "node:url";

/** What of the product is used. */
interface Product {
  readonly Service: {
    open(options: { folder: string; routes: string }): Promise<{
      readonly store: { readonly sequence: number };
      loadTable(): Promise<unknown>;
      call(path: string, query: readonly (readonly [string, string])[]): Promise<Response>;
    }>;
  };
}

const [main = "", folder = "", routes = ""] = process.argv.slice(2);
const { Service }: Product = await import(pathToFileURL(main).href);
const started = performance.now();
const since = () => (performance.now() - started) / 1000;
const service = await Service.open({ folder, routes });
await service.loadTable();
const seconds = since();
// What a start puts off until it is asked for shows here.
const { status } = await service.call("/statistic/top", []);
const answered = since();
process.stdout.write(`${JSON.stringify({ seconds, answered, status, sequence: service.store.sequence })}\n`);
process.exit(0);
