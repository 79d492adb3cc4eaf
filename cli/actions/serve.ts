/** Implements `serve`: runs the service until it is told to stop. */
import { once } from "node:events";
import { resolve } from "node:path";
import { describeInconsistency, findInconsistencies } from "../../src/backup/consistency.ts";
import { controlOf } from "../../src/control/operations.ts";
import { requireSocketPath } from "../../src/control/socket.ts";
import { type Network, parseAddress } from "../../src/domain/address.ts";
import { asArgument } from "../../src/domain/text.ts";
import { readCertificate } from "../../src/http/certificate.ts";
import { ClientAddresses } from "../../src/http/client-address.ts";
import { startServer } from "../../src/http/server.ts";
import { packaged, version } from "../../src/packaged.ts";
import type { Service } from "../../src/service.ts";
import { isFull } from "../../src/store/folder/files.ts";
import { modeWith } from "../../src/store/folder/folder.ts";
import { FolderLost } from "../../src/store/journal/journal.ts";
import { type Limits, limitNames } from "../../src/table/limits.ts";
import type { Table } from "../../src/table/table.ts";
import { missingWords } from "../../src/table/warnings/warnings.ts";
import { followTables } from "../../src/table-in-force/changes.ts";
import { TableHistory } from "../../src/table-in-force/history.ts";
import type { ReloadCause } from "../../src/table-in-force/route-table.ts";
import type { Address } from "../arguments/address.ts";
import type { Context } from "../context.ts";
import { openAsService } from "../data/control.ts";
import type { ServiceSettings } from "../data/open-folder.ts";
import { defaultRoutes } from "../data/workspace.ts";
import { CertificateReloader } from "../serving/certificate.ts";
import { serveControl } from "../serving/control-socket.ts";
import { misspelledSettings } from "../serving/environment.ts";
import { disablePretenuring } from "../serving/heap.ts";
import { createLog, type Log } from "../serving/log.ts";
import type { LogOptions } from "../serving/log-options.ts";
import { refreshSchema } from "../serving/schema-refresh.ts";
import { logTable } from "../serving/table-log.ts";
import { watchFile } from "../serving/watch.ts";
import type { DetachedOutput } from "../terminal/io.ts";

export interface ServeOptions extends LogOptions {
  readonly host: string;
  readonly port: number;
  readonly https?: boolean;
  readonly cert?: string;
  readonly key?: string;
  /** Whether a changed route table, and a renewed certificate, are put in force without a signal or command. */
  readonly watch: boolean;
  /** Whether a changed table that takes something away waits for `routes reload`. */
  readonly confirmLoss?: boolean;
  /** Whether the log contains the client's address. */
  readonly logAddress?: boolean;
  /** The proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxy?: readonly Network[];
  /** Whether the limits of the route table do not apply. */
  readonly limits?: "off" | undefined;
  /** How long to answer without contact to a shared journal, in seconds. */
  readonly maxStaleness: number;
  /** The address of the metrics; false or undefined for none. */
  readonly metrics?: Address | false;
}

/** The signals that `serve` obeys while it runs. */
export interface ServeSignals {
  /** Aborted when the service should stop. */
  readonly stopping: AbortSignal;
  /** Is given what to call for each SIGHUP. */
  readonly onReload: (reload: () => void) => void;
}

/** Serves until `stopping` is aborted, which also ends an unfinished start. */
export async function serve(context: Context, options: ServeOptions, signals: ServeSignals): Promise<void> {
  const { stopping } = signals;
  const { io, output, workspace } = context;
  disablePretenuring();
  // First of all: a stopped terminal would block a remark of the start, and the handling of signals with it.
  const outputs = await io.detachOutput((lines) => log.dropped(lines));
  const log = createLog(io, options);
  try {
    const { folder } = workspace();
    for (const sentence of misspelledSettings(io.env)) output.remark(`warning: ${sentence}`);
    await requireSocketPath(folder);
    const settled = await settle(context, options, log, outputs);
    if (!(await workspace().hasData())) {
      const { checkFirstStart } = await import("./first-start.ts");
      await checkFirstStart(context, options);
    }
    const settings = { ...serviceSettings(context, log, settled), stopping };
    const service = await openAsService(workspace(), output, settings, stopping);
    try {
      await warnOfStrangers(context, options, { folder, routesFile: service.routes.file });
      if (!stopping.aborted) await serveOn(service, context, settled, log, signals);
    } finally {
      await service.close({ snapshot: true });
    }
  } catch (error) {
    const isStopped = stopping.aborted && error instanceof Error && error.name === "AbortError";
    if (!isStopped) throw error;
  } finally {
    log.close();
    await outputs.close();
    // A stalled reader, for example, could keep the process alive.
    io.leaveSoon();
  }
}

type Settled = Awaited<ReturnType<typeof settle>>;

/** Returns the options, and what `serve` makes of them before it opens the folder. */
async function settle({ io }: Context, options: ServeOptions, log: Log, outputs: DetachedOutput) {
  const { https, cert, key } = options;
  const files =
    https === true ? { cert: resolve(io.cwd, String(cert)), key: resolve(io.cwd, String(key)) } : undefined;
  const certificate = files && (await readCertificate(files));
  /** Undefined without an address for them: then nothing is loaded or counted. */
  const measured = options.metrics ? new (await import("../../src/metrics/metrics.ts")).Metrics() : undefined;
  const clientAddresses = new ClientAddresses(options.trustedProxy, log.warn);
  /** Receives the records of requests, for the log and the metrics. */
  const observe: Log["request"] = (record) => {
    measured?.observe(record);
    log.request(record);
  };
  return { ...options, clientAddresses, certificate, files, measured, observe, outputs };
}

function serviceSettings(
  { io, workspace }: Context,
  log: Log,
  { logAddress = false, limits, maxStaleness, observe, measured, clientAddresses }: Settled,
): ServiceSettings {
  return {
    ...{ logAddress, observe, clientAddresses, meter: measured?.meter },
    maxStaleness: maxStaleness * 1000,
    limits: limits !== "off",
    warn: log.warn,
    onFatal(error) {
      log.fatal(
        error instanceof FolderLost
          ? `${error.message}. Exiting.`
          : isFull(error instanceof Error ? error.cause : error)
            ? "The disk is full: exiting. Make room, and start again."
            : "The disk is no longer reliable: exiting. The next start writes everything again.",
        error,
      );
      // Started again without it, a service would create an empty one. A machine of several takes the data of the others.
      const isGone = error instanceof FolderLost && !error.path.endsWith("lock") && !workspace().journal;
      io.abort(isGone ? 2 : 1);
    },
  };
}

/** Listens on the port and on the control socket until `stopping` is aborted. If either fails, both are closed. */
async function serveOn(
  service: Service,
  context: Context,
  settled: Settled,
  log: Log,
  { stopping, onReload }: ServeSignals,
): Promise<void> {
  const { certificate, files, https: _, measured, metrics, outputs, watch, ...listening } = settled;
  const unfollow = followTables({
    service,
    history: new TableHistory(service.store.folder),
    confirmsLoss: settled.confirmLoss === true,
    report: (change) => logTable(log, change),
    warn: log.warn,
  });
  const closers: (() => unknown)[] = [unfollow];
  try {
    const table = await service.routes.load();
    await checkUpgrade(service.routes.file, table, log);
    warnOfNoLimits(table.limits, settled.limits, service.routes.file, log);
    const server = await startServer({
      ...listening,
      fetch: service.fetch,
      answerPlain: service.answerPlain,
      warn: log.warn,
      ...(certificate === undefined ? {} : { https: certificate }),
    });
    closers.push(() => server.close());
    const { url } = server;
    const holder = { pid: process.pid, url, since: Date.now() };
    const control = await serveControl(
      service.store,
      controlOf({ ...service.environment, service: async () => service, holder }),
      log,
    );
    closers.push(() => control.close());
    if (metrics && measured !== undefined) {
      const { serveMetrics } = await import("../../src/metrics/listener.ts");
      measured.survey({
        service,
        connections: () => server.connections,
        droppedLogLines: () => outputs.droppedLines(),
        version,
      });
      const listener = await serveMetrics({ ...metrics, registry: measured.registry, warn: log.warn });
      closers.push(() => listener.close());
      log.info(`Serving metrics on ${listener.url}.`);
    }
    const reloadTable = (cause: ReloadCause) => {
      service.routes.reload(cause).catch((error) => service.warnOfRefusal(error));
    };
    const reloader = files && certificate && new CertificateReloader(files, certificate, server, log);
    reloader?.watch({ files: watch });
    closers.push(() => reloader?.close());
    onReload(() => {
      reloadTable("signal");
      void reloader?.reload();
    });
    if (watch) closers.push(watchFile(service.routes.file, () => reloadTable("watch")));
    service.start();
    const { printBanner } = await import("./first-start.ts");
    await printBanner(context, service, url);
    warnOfInconsistencies(service, log, stopping).catch((error) =>
      log.warn("Cannot check the consistency of the records.", error),
    );
    if (!stopping.aborted) await once(stopping, "abort");
    log.info("Stopping: requests under way are finished, new ones are refused.");
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}

/** After an upgrade, warns of operations that the table lacks, and refreshes the schema beside it. */
async function checkUpgrade(file: string, table: Table, log: Log): Promise<void> {
  if (table.missing.length > 0) {
    const shipped = packaged(defaultRoutes);
    const where = file === shipped ? "" : ` That of this version is ${shipped}.`;
    log.warn(`In ${file} ${missingWords(table.missing)}.${where}`);
  }
  try {
    const refreshed = await refreshSchema(file);
    if (refreshed !== undefined)
      log.info(`Replaced ${refreshed}, which was not edited, by that of this version.`);
  } catch (error) {
    log.warn(`Cannot refresh the editor schema beside ${file}.`, error);
  }
}

function warnOfNoLimits(limits: Limits, option: ServeOptions["limits"], file: string, log: Log): void {
  const names = limitNames.filter((name) => limits[name] === "off");
  if (option === "off") log.warn("All limits are off, by --limits or ADDON_LIMITS.");
  else if (names.length > 0) log.warn(`In ${file} these limits are off: ${names.join(", ")}.`);
}

/** Returns whether only this machine can reach a host. A name other than `localhost` may resolve to any address. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d+){3})$/i.test(parseAddress(host) ?? host);
}

/** Warns if strangers can read tokens or data, or give themselves rights. */
async function warnOfStrangers(
  { output }: Context,
  { host, https, metrics, trustedProxy = [] }: ServeOptions,
  { folder, routesFile }: { readonly folder: string; readonly routesFile: string },
): Promise<void> {
  // Loading the table reports why it cannot be read.
  const writable = await modeWith(0o002, routesFile).catch(() => undefined);
  const mode = await modeWith(0o077, folder);
  const warnings = [
    https !== true &&
      !isLoopback(host) &&
      `Other machines can reach ${host}, and without --https everyone on the network path can read the ` +
        "tokens. Give --https with --cert and --key, or listen on 127.0.0.1 behind a proxy that speaks TLS.",
    metrics &&
      !isLoopback(metrics.host) &&
      `Other machines can reach the metrics on ${metrics.host}, which need no token. Give --metrics an address ` +
        "of this machine, such as 127.0.0.1:9464, or let a firewall protect its port.",
    trustedProxy.some(({ prefix }) => prefix === 0) &&
      "--trusted-proxy trusts every address, so that each client can choose the address by which it is limited " +
        "and logged. Give it only the addresses of your proxies.",
    writable !== undefined &&
      `Every user of this machine can change the route table ${routesFile} (mode ${writable}), and with it who may ` +
        `call what. \`chmod o-w ${asArgument(routesFile)}\` denies it.`,
    mode !== undefined &&
      `Other users of this machine can enter the data folder ${folder} (mode ${mode}). ` +
        `\`chmod 700 ${asArgument(folder)}\` denies them access.`,
  ];
  for (const warning of warnings) if (warning) output.remark(`warning: ${warning}`);
}

/** The most inconsistencies that the log names. */
const maxNamed = 5;

/**
 * Warns of inconsistent records, which do not keep the service from running. The check runs beside the first requests: it
 * takes about a second for 400,000 records, and delays no request by more than a few milliseconds.
 */
async function warnOfInconsistencies(service: Service, log: Log, stopping: AbortSignal): Promise<void> {
  // The log is closed once the service stops.
  const found = await findInconsistencies(service.store.data);
  if (found.length === 0 || stopping.aborted) return;
  const more = found.length > maxNamed ? `; and ${found.length - maxNamed} more` : "";
  const named = found.slice(0, maxNamed).map(describeInconsistency).join("; ");
  log.warn(`Inconsistent records: ${named}${more}. \`addon-cli data verify\` lists all of them.`);
}
