/**
 * Times the opening of a data folder by the product, until it can answer. The start of Node and the loading of the code
 * do not count. The folder stays unchanged: the probe ends as if killed.
 *
 *     node open.js <service> <data folder> <route table>
 */
import { pathToFileURL } from "node:url";

const [main, folder, routes] = process.argv.slice(2);
const { Service } = await import(pathToFileURL(main).href);
const started = performance.now();
const elapsed = () => (performance.now() - started) / 1000;
const service = await Service.open({ folder, routes });
await service.routes.load();
const seconds = elapsed();
// The first top list shows what a start defers.
const { status } = await service.call("/statistic/top", []);
const result = { seconds, answered: elapsed(), status, sequence: service.store.sequence };
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
