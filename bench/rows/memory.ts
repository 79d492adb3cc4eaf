/** The memory of a service with much data. */
import { additionSide, loadSide, perSecond } from "../load/sides.ts";
import { grouped } from "../report/quantity.ts";
import { type Product, startProduct } from "../run/product.ts";
import { settings } from "../settings.ts";
import { quantityRow } from "./row.ts";

/** The row of this file. */
export const memoryRow = quantityRow(
  `resident memory at ${grouped(settings.large)} players, after requests of every kind that is measured`,
  300 * 2 ** 20,
  "bytes",
  async () => memoryAfterRequests(await startProduct(settings.large)),
);

/** Returns the resident memory after reads of lists, of statistics and of the top list, and additions. */
export async function memoryAfterRequests({ server, dataset }: Product): Promise<number> {
  const { connections, seconds } = settings;
  const many = Array.from({ length: Math.min(dataset.size, 10_000) }, (_, index) => index);
  for (const paths of [
    dataset.paths("/wantedreason"),
    dataset.paths("/navipoint"),
    dataset.paths("/targetlist"),
    dataset.paths("/statistic/{name}", many),
    dataset.paths("/statistic/top"),
  ]) {
    await loadSide(server, { paths, connections }, perSecond).measure(seconds);
  }
  const additions = await additionSide(server, dataset, connections, perSecond);
  await additions.measure(seconds);
  await additions.check();
  return (await server.memory()).resident;
}
