/** `serve`: runs the service until it is told to stop. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Control, controlOf, type Holder, startControl } from "../../src/control.ts";
import type { Reloaded } from "../../src/route-table.ts";
import { startServer } from "../../src/server.ts";
import type { Service } from "../../src/service.ts";
import { examples } from "../help.ts";
import { createLog, type Log } from "../log.ts";
import type { Session } from "../session.ts";
import { watchFile } from "../watch.ts";
import { openAsService } from "../workplace.ts";

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly https?: boolean;
  readonly cert?: string;
  readonly key?: string;
  /** Whether a change of the route table's file puts it in force. */
  readonly watch: boolean;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError("Expected is a port from 0 to 65535.");
  return port;
}

export function addServeCommand(program: Command, session: Session): void {
  const { io } = session;
  const port = new Option("--port <port>", "the port to listen on; 0 for any free one").argParser(parsePort);
  const portText = io.env.ADDON_PORT ?? "8888";
  program
    .command("serve")
    .description("run the service; on the very first start it seeds the data and issues one public token")
    .option("--host <host>", "the address to listen on", io.env.ADDON_HOST ?? "127.0.0.1")
    .addOption(port.default(portText, portText))
    .option("--https", "serve HTTPS, with --cert and --key")
    .option("--cert <file>", "the certificate, PEM")
    .option("--key <file>", "its private key, PEM")
    .option("--no-watch", "put a changed route table in force only on SIGHUP and by `routes reload`")
    .addHelpText("after", examples("serve --host 0.0.0.0 --port 8443 --https --cert cert.pem --key key.pem"))
    .action(async (options: ServeOptions & { port: number | string }, command: Command) => {
      if (options.https === true && (options.cert === undefined || options.key === undefined)) {
        command.error("error: --https needs --cert <file> and --key <file>", { code: "usage", exitCode: 2 });
      }
      if (options.https !== true && (options.cert !== undefined || options.key !== undefined)) {
        command.error("error: --cert and --key go with --https", { code: "usage", exitCode: 2 });
      }
      try {
        await serve(session, { ...options, port: parsePort(String(options.port)) });
      } catch (error) {
        // A port from the environment is checked here: commander checks flags only.
        if (error instanceof InvalidArgumentError) {
          command.error(`error: ADDON_PORT is "${options.port}". ${error.message}`, {
            code: "usage",
            exitCode: 2,
          });
        }
        throw error;
      }
    });
}

async function serve(session: Session, { host, port, https, cert, key, watch }: ServeOptions): Promise<void> {
  const { io, output, workplace } = session;
  const log = createLog(io);
  const stopped = new Promise<void>((resolveStop) => io.onStop(resolveStop));
  const service = await openAsService(workplace(), output, {
    observe: log.request,
    warn: log.warn,
    onFatal(error) {
      log.fatal(
        "The disk can not be relied on any more: leaving. The next start saves everything anew.",
        error,
      );
      io.abort(1);
    },
  });
  try {
    await service.loadTable();
    const files = https === true && {
      cert: resolve(io.cwd, String(cert)),
      key: resolve(io.cwd, String(key)),
    };
    const server = await startServer({
      fetch: service.fetch,
      host,
      port,
      observe: log.request,
      ...(files ? { https: files } : {}),
    });
    const { url } = server;
    const holder = { pid: process.pid, url, since: Date.now() };
    const control = await startControl(service.store.folder, loggedControl(service, holder, log));
    const reload = (why: string) => reloadTable(service, log, why);
    io.onReload(() => void reload("on SIGHUP"));
    const watching = watch
      ? watchFile(service.routes.file, () => void reload("since the file has changed"))
      : undefined;
    try {
      service.start();
      await greet(session, service, url);
      await stopped;
      log.info("Stopping: no more requests are taken, those under way are finished.");
    } finally {
      watching?.close();
      await server.close();
      await control.close();
    }
  } finally {
    await service.close({ snapshot: true });
    log.close();
  }
}

/** The control of the service, whose log tells which table was put in force through it. */
function loggedControl(service: Service, holder: Holder, log: Log): Control {
  const control = controlOf(service, holder);
  return {
    ...control,
    async reloadRoutes(expected) {
      const reloaded = await control.reloadRoutes(expected);
      if (reloaded.changed) log.info(inForce("on `routes reload`", reloaded));
      return reloaded;
    },
  };
}

function inForce(why: string, { revision }: Reloaded): string {
  return `The route table was read again ${why}: revision ${revision} is in force.`;
}

/** Puts the file's table in force. A faulty one is refused and logged; the old one stays in force. */
async function reloadTable(service: Service, log: Log, why: string): Promise<void> {
  try {
    const reloaded = await service.routes.reload();
    if (reloaded.changed) log.info(inForce(why, reloaded));
  } catch (error) {
    const { revision } = service.routes.status();
    log.warn(`The route table was refused; revision ${revision} stays in force.`, error);
  }
}

/** The banner. The token is issued only now that it can be shown: a failed start must not use it up. */
async function greet({ output }: Session, service: Service, url: string): Promise<void> {
  const { prefix } = await service.loadTable();
  const tokens = await service.administer("token.list", {});
  const isFirst = !tokens.some(({ player }) => player === null);
  if (!isFirst) {
    output.result({ url }, `Listening on ${url}${prefix}`);
    return;
  }
  const { token } = await service.administer("token.issue", { label: "first start" });
  const open = `${url}${prefix.replace(/\{\w+\}/, token)}/player/groups`;
  output.result(
    { url, open },
    `Listening on ${url}${prefix}

Open this in a browser. It has the public token in it, which is not shown again:
  ${open}

Next, in another terminal:
  npx addon-cli player add Ada --member GROVE:4     register a player
  npx addon-cli token issue --player Ada            issue her token
  npx addon-cli --help                              everything else
`,
  );
}
