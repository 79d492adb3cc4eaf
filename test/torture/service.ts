/**
 * The service under torture: as `serve` runs it, but with snapshots so frequent that kills hit them.
 * `node service.js <folder> <bytes of the journal before a snapshot>`
 */
import { serveControl } from "../../cli/serving/control-socket.ts";
import { createLog } from "../../cli/serving/log.ts";
import { processIO } from "../../cli/terminal/process-io.ts";
import { controlOf } from "../../src/control/operations.ts";
import { startServer } from "../../src/http/server.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";

/** The first line of the service. */
export interface Started {
  readonly url: string;
  /** The clients' tokens by player, at the first start of a folder. */
  readonly tokens: Readonly<Record<string, string>>;
}

const clientCount = 64;

const [folder = "", snapshotAfter = ""] = process.argv.slice(2);
const io = processIO();
await io.detachOutput((lines) => log.dropped(lines));
const log = createLog(io);
const service = await Service.open({
  folder,
  routes: "routes.yaml",
  limits: false,
  snapshotAfter: { bytes: Number(snapshotAfter), snapshots: 0 },
  retention: { milliseconds: 60_000, snapshots: 3 },
  observe: log.request,
  warn: log.warn,
  onFatal: (error) => {
    log.fatal("Exiting.", error);
    process.exit(3);
  },
});
const isNew = service.store.sequence === 0;
if (isNew) await service.administer("seed.groups", await readSeed("data/seed.yaml"));
await service.routes.load();
const tokens: Record<string, string> = {};
for (let index = 0; isNew && index < clientCount; index += 1) {
  const player = `P${index}`;
  const members = [{ organisation: "POLICE", rank: 9 }];
  await service.administer("player.add", { name: player, administrator: true, members });
  await service.administer("group.add", { player, group: "TARGETLIST" });
  tokens[player] = (await service.administer("token.issue", { player })).token;
}
const { fetch, answerPlain } = service;
const server = await startServer({ fetch, answerPlain, host: "127.0.0.1", port: 0, observe: log.request });
const holder = { pid: process.pid, url: server.url, since: Date.now() };
const control = await serveControl(
  service.store,
  controlOf({ ...service.environment, service: async () => service, holder }),
  log,
);
service.start();
process.once("SIGTERM", async () => {
  await Promise.all([server.close(), control.close()]);
  await service.close({ snapshot: true });
  await log.close();
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ url: server.url, tokens } satisfies Started)}\n`);
