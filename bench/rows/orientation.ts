/**
 * For orientation, without goals: the same list from frameworks that check nothing, beside the service that checks
 * everything. All servers are measured side by side in each run.
 */
import { perSecond, readSide } from "../load/sides.ts";
import { median, quantity, ratioText } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import { meanValue, measureSides } from "../run/compare.ts";
import { startBare, startFastify, startList } from "../run/peers.ts";
import { type Product, startProduct } from "../run/product.ts";
import type { Server } from "../run/server.ts";
import { settings } from "../settings.ts";
import { repeat } from "./row.ts";

/** The name of the second table for `--only`. */
export const orientationName = "for orientation";

const path = "/wantedreason";

/** The servers, in the order of the table; ratios are to the first. */
const servers: readonly (readonly [name: string, start: (product: Product) => Server | Promise<Server>])[] = [
  ["bare node:http, ready bytes", (product) => startBare(product, path)],
  ["this service, every check", ({ server }) => server],
  ["Fastify, the same checks by hand", (product) => startFastify(product)],
  ["h3, returning an object", (product) => startList(product, "h3")],
  ["Hono, returning an object", (product) => startList(product, "hono")],
  ["Express, returning an object", (product) => startList(product, "express")],
  ["json-server", (product) => startList(product, "json-server")],
];

/** The result for one server. */
export interface Orientation {
  readonly name: string;
  /** Requests a second: the median, and those of each run. */
  readonly perSecond: number;
  readonly runs: readonly number[];
  /** The median of the ratios to the first server of the same run. */
  readonly ratio: number;
}

/** Measures all servers. @throws BenchFailure */
export async function measureOrientation(): Promise<Orientation[]> {
  const runs = await repeat(settings.runs, measureServers, (rates) =>
    servers.map(([name], index) => `${name.split(",")[0]} ${Math.round(rates[index] ?? 0)}`).join(", "),
  );
  return servers.map(([name], index) => {
    const rates = runs.map((run) => run[index] ?? Number.NaN);
    const ratios = rates.map((rate, run) => rate / (runs[run]?.[0] ?? Number.NaN));
    return { name, perSecond: median(rates), runs: rates, ratio: median(ratios) };
  });
}

/** Returns the table of the results. */
export function orientationTable(orientation: readonly Orientation[]): string {
  const rows = orientation.map(({ name, perSecond: rate, ratio }) => [
    name,
    quantity(rate, "a second"),
    ratioText(ratio),
  ]);
  return table(["for orientation: a list of 50 entries", "requests", "to bare node:http"], rows);
}

async function measureServers(): Promise<number[]> {
  const product = await startProduct(settings.small);
  const sides = [];
  for (const [, start] of servers)
    sides.push(readSide({ ...product, server: await start(product) }, path, perSecond));
  return (await measureSides(sides)).map(meanValue);
}
