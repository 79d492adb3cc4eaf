/** What `serve` does: it runs the service until it is told to stop. */
import { once } from "node:events";
import { resolve } from "node:path";
import { controlOf } from "../../src/control/control.ts";
import { requireSocketPath } from "../../src/control/socket.ts";
import { connectionLimit } from "../../src/http/descriptors.ts";
import { docsPath } from "../../src/http/docs-page.ts";
import { startServer } from "../../src/http/server.ts";
import { packaged } from "../../src/packaged.ts";
import type { Service } from "../../src/service.ts";
import { modeForOthers } from "../../src/store/folder/folder.ts";
import { FolderLost } from "../../src/store/journal/journal.ts";
import { missingWords } from "../../src/table/warnings.ts";
import { followTables } from "../../src/table-in-force/changes.ts";
import { TableHistory } from "../../src/table-in-force/history.ts";
import type { ReloadCause } from "../../src/table-in-force/route-table.ts";
import type { Session } from "../context.ts";
import { openAsService } from "../data/control.ts";
import type { Telling } from "../data/open-folder.ts";
import { defaultRoutes } from "../data/workspace.ts";
import { keepControl } from "../serving/control-socket.ts";
import { keepNewObjectsYoung } from "../serving/heap.ts";
import { createLog, type Log } from "../serving/log.ts";
import type { LogOptions } from "../serving/log-options.ts";
import { isLoopback } from "../serving/loopback.ts";
import type { ReloadSignal } from "../serving/reloading.ts";
import { refreshSchema } from "../serving/schema-refresh.ts";
import { logTable } from "../serving/table-log.ts";
import { watchFile } from "../serving/watch.ts";
import type { IO } from "../terminal/io.ts";

/** Where and how it is served. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly https?: boolean;
  readonly cert?: string;
  readonly key?: string;
  /** Whether a change of the route table's file puts it in force. */
  readonly watch: boolean;
  /** Whether the log has the client's address. */
  readonly logAddress?: boolean;
  readonly log?: LogOptions;
}

/** What the service is told while it runs. */
export interface ServeSignals {
  /** Aborted when it is to stop. */
  readonly stopping: AbortSignal;
  readonly reloading: ReloadSignal;
}

/** Serves until `stopping` is aborted; also a start that is not over yet then ends. */
export async function serve(session: Session, options: ServeOptions, signals: ServeSignals): Promise<void> {
  const { stopping } = signals;
  const { io, output, workplace } = session;
  keepNewObjectsYoung();
  // The first thing: a terminal that is stopped would already block a remark of the start, and every signal with it.
  const outputs = await io.detachOutput((lines) => log.dropped(lines));
  const log = createLog(io, options.log);
  try {
    const { folder } = workplace();
    await requireSocketPath(folder);
    const service = await openAsService(workplace(), output, telling(io, log, options), stopping);
    try {
      await warnOfStrangers(session, options, folder);
      if (!stopping.aborted) await serveOn(service, session, options, log, signals);
    } finally {
      await service.close({ snapshot: true });
    }
  } catch (error) {
    const isStopped = stopping.aborted && error instanceof Error && error.name === "AbortError";
    if (!isStopped) throw error;
  } finally {
    log.close();
    await outputs.close();
    // Whatever still holds the process, such as a reader that stalls, is not worth waiting for.
    io.leaveSoon();
  }
}

/** What the service is told. */
function telling(io: IO, log: Log, { logAddress = false }: ServeOptions): Telling {
  return {
    observe: log.request,
    logAddress,
    warn: log.warn,
    onFatal(error) {
      log.fatal(
        error instanceof FolderLost
          ? `${error.message}. Leaving.`
          : "The disk can not be relied on any more: leaving. The next start saves everything anew.",
        error,
      );
      io.abort(1);
    },
  };
}

/** Listens, on the port and on the control socket, until `stopping` is aborted. Where either fails both are closed. */
async function serveOn(
  service: Service,
  session: Session,
  { host, port, https, cert, key, watch, logAddress = false }: ServeOptions,
  log: Log,
  { stopping, reloading }: ServeSignals,
): Promise<void> {
  const { io } = session;
  followTables({
    service,
    history: new TableHistory(service.store.folder),
    report: (change) => logTable(log, change),
    warn: log.warn,
  });
  const { missing } = await service.loadTable();
  await upkeep(service.routes.file, missing, log);
  const files = https === true && { cert: resolve(io.cwd, String(cert)), key: resolve(io.cwd, String(key)) };
  const server = await startServer({
    fetch: service.fetch,
    answerPlain: service.answerPlain,
    host,
    port,
    observe: log.request,
    warn: log.warn,
    maxConnections: connectionLimit(),
    logAddress,
    ...(files ? { https: files } : {}),
  });
  const { url } = server;
  const closers: (() => unknown)[] = [() => server.close()];
  try {
    const holder = { pid: process.pid, url, since: Date.now() };
    const control = await keepControl(service.store, controlOf(service, holder), log);
    closers.push(() => control.close());
    const reload = (cause: ReloadCause) => reloadTable(service, log, cause);
    reloading.listen(() => void reload("signal"));
    if (watch) {
      const watching = watchFile(service.routes.file, () => void reload("watch"));
      closers.push(() => watching.close());
    }
    service.start();
    await greet(session, service, url);
    warnOfInconsistencies(service, log, stopping).catch((error) =>
      log.warn("The records could not be checked.", error),
    );
    if (!stopping.aborted) await once(stopping, "abort");
    log.info("Stopping: no more requests are taken, those under way are finished.");
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}

/** After an upgrade: tells which operations the table lacks, and refreshes the schema beside it. */
async function upkeep(file: string, missing: readonly string[], log: Log): Promise<void> {
  if (missing.length > 0) {
    const shipped = packaged(defaultRoutes);
    const where = file === shipped ? "" : ` That one is ${shipped}.`;
    log.warn(`In ${file} ${missingWords(missing)}.${where}`);
  }
  try {
    const refreshed = await refreshSchema(file);
    if (refreshed !== undefined)
      log.info(`Replaced ${refreshed}, which nobody had edited, with that of this version.`);
  } catch (error) {
    log.warn(`The editor schema beside ${file} could not be refreshed.`, error);
  }
}

/** Warns of what lets strangers read tokens or data. */
async function warnOfStrangers(
  { output }: Session,
  { host, https }: ServeOptions,
  folder: string,
): Promise<void> {
  if (https !== true && !isLoopback(host)) {
    output.remark(
      `warning: Other machines can reach ${host}, and without --https everyone on the way can read the tokens in the ` +
        "paths. Give --https with --cert and --key, or listen on 127.0.0.1 behind a proxy that speaks TLS.",
    );
  }
  const mode = await modeForOthers(folder);
  if (mode !== undefined) {
    output.remark(
      `warning: Other users of this machine can enter the data folder ${folder} (mode ${mode}). ` +
        `\`chmod 700 ${folder}\` keeps them out.`,
    );
  }
}

/** How many inconsistencies the log names. */
const mostNamed = 5;

/**
 * Warns where records do not fit together; nobody is locked out by that. Looked for beside the first requests: it takes
 * about a second for 400,000 records, of which no request waits for more than a few milliseconds.
 */
async function warnOfInconsistencies(service: Service, log: Log, stopping: AbortSignal): Promise<void> {
  const { describeInconsistency, findInconsistencies } = await import("../../src/backup/consistency.ts");
  // Once the service stops, its log is closed.
  const found = await findInconsistencies(service.store.data);
  if (found.length === 0 || stopping.aborted) return;
  const more = found.length > mostNamed ? `; and ${found.length - mostNamed} more` : "";
  const named = found.slice(0, mostNamed).map(describeInconsistency).join("; ");
  log.warn(`Records do not fit together: ${named}${more}. \`addon-cli data verify\` names all of them.`);
}

/** Puts the file's table in force, of which {@link followTables} tells. A faulty one is refused and logged; the old one stays in force. */
async function reloadTable(service: Service, log: Log, cause: ReloadCause): Promise<void> {
  try {
    await service.routes.reload(cause);
  } catch (error) {
    const { revision } = service.routes.status();
    log.warn(`The route table was refused; revision ${revision} stays in force.`, error);
  }
}

const whereTokens =
  "There is a public token, which was shown when it was issued; `addon-cli token issue --public` issues another one.";

/** The banner. The token is issued only now that it can be shown: a failed start must not use it up. */
async function greet({ output }: Session, service: Service, url: string): Promise<void> {
  const { prefix } = await service.loadTable();
  const listening = `Listening on ${url}${prefix}\nDocumentation: ${url}${docsPath}`;
  const isFirst = !hasPublicToken(service);
  if (!isFirst) {
    // The first start may have ended before anybody saw its token.
    output.result({ url }, `${listening}\n${whereTokens}`);
    return;
  }
  const { token } = await service.administer("token.issue", { label: "first start" });
  const open = `${url}${prefix.replace(/\{\w+\}/, token)}/player/groups`;
  await output.issued(
    { url, open },
    `${listening}

Open this in a browser. It has the public token in it, which is not shown again:
  ${open}

Next, in another terminal:
  npx addon-cli player add Ada --member GROVE:4     register a player
  npx addon-cli token issue --player Ada            issue her token
  npx addon-cli --help                              everything else
`,
  );
}

/** The public token of the first start is among the first, so that not all are looked at. */
function hasPublicToken({ store }: Service): boolean {
  for (const { uuid } of store.data.tokens.values()) if (uuid === null) return true;
  return false;
}
