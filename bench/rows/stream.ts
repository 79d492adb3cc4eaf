/** Streams: how soon a thousand of them have an event, and how long other callers wait meanwhile. */
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { ensure } from "../run/failure.ts";
import { ask, askFor } from "../run/http.ts";
import { type Product, startProduct } from "../run/product.ts";
import { settings } from "../settings.ts";
import { quantityRow, type Row } from "./row.ts";

const count = settings.short ? 50 : 1000;
/** The pause between two changes, and between two reads beside them, in milliseconds. */
const pause = { change: 100, read: 4 };

/** The rows of this file. */
export const streamRows: readonly Row[] = [
  quantityRow(
    "an event on the last of 1,000 streams, after the acknowledgement of its change",
    0.3,
    "duration",
    async () => {
      const streams = await openStreams(await startProduct(settings.small));
      const delays: number[] = [];
      for (let score = 1; score <= 10; score += 1) delays.push(await streams.change(score));
      streams.close();
      return Math.max(...delays);
    },
  ),
  quantityRow(
    "99 of 100 reads of /wantedreason, while 1,000 streams have an event every 100 ms",
    0.025,
    "duration",
    async () => {
      const product = await startProduct(settings.small);
      const streams = await openStreams(product);
      const reading = new AbortController();
      const waits = readPolitely(product, reading.signal);
      const end = performance.now() + settings.seconds * 2000;
      for (let score = 1; performance.now() < end; score += 1) {
        await streams.change(score);
        await setTimeout(pause.change);
      }
      reading.abort();
      streams.close();
      const sorted = (await waits).sort((a, b) => a - b);
      return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN;
    },
  ),
];

/** Opens the streams, of all callers in turn. */
async function openStreams({ server: { url }, dataset }: Product) {
  const paths = dataset.paths("/stream");
  const agent = new Agent({ keepAlive: false });
  let wanted = "";
  let missing = 0;
  let arrived = () => {};
  const opening = Array.from({ length: count }, async (_, index) => {
    const [response] = (await once(get(`${url}${paths[index % paths.length]}`, { agent }), "response")) as [
      IncomingMessage,
    ];
    ensure(response.statusCode === 200, () => `a stream was answered with ${response.statusCode}`);
    response.setEncoding("utf8").on("error", () => {});
    response.on("data", (text: string) => {
      if (wanted === "" || !text.includes(wanted)) return;
      missing -= 1;
      if (missing === 0) arrived();
    });
    return response;
  });
  const responses = await Promise.all(opening);
  return {
    /** Makes a change. @returns the seconds from its acknowledgement until every stream has the event */
    async change(score: number): Promise<number> {
      wanted = `"attacker":${score},`;
      missing = count;
      const all = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await askFor(
        `${url}${dataset.path(dataset.callers[0] ?? 0, `/event/gangwar?attacker=${score}&defender=0`)}`,
      );
      const acknowledged = performance.now();
      await all;
      return (performance.now() - acknowledged) / 1000;
    },
    close() {
      for (const response of responses) response.destroy();
    },
  };
}

/** Reads one after another. @returns how long each took, in seconds */
async function readPolitely({ server: { url }, dataset }: Product, signal: AbortSignal): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const paths = dataset.paths("/wantedreason");
  const waits: number[] = [];
  while (!signal.aborted) {
    const began = performance.now();
    const { status } = await ask(`${url}${paths[waits.length % paths.length]}`, {}, agent);
    ensure(status === 200, () => `a read was answered with ${status}`);
    waits.push((performance.now() - began) / 1000);
    await setTimeout(pause.read);
  }
  agent.destroy();
  return waits;
}
