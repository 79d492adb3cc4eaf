/** `serve`: runs the service until it is told to stop. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ServeOptions } from "../actions/serve.ts";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";
import { ReloadSignal } from "../reloading.ts";
import { stopSignal } from "../stopping.ts";

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError("Expected is a port from 0 to 65535.");
  return port;
}

/** Whether an environment variable switches something on: anything does but an empty value, `0` and `false`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}

export function addServeCommand(program: Command, session: Session): void {
  const { io } = session;
  const port = new Option("--port <port>", "the port to listen on; 0 for any free one").argParser(parsePort);
  const portText = io.env.ADDON_PORT ?? "8888";
  const logsAddress = isOn(io.env.ADDON_LOG_ADDRESS);
  program
    .command("serve")
    .description("run the service; on the very first start it seeds the data and issues one public token")
    .option("--host <host>", "the address to listen on", io.env.ADDON_HOST ?? "127.0.0.1")
    .addOption(port.default(portText, portText))
    .option("--https", "serve HTTPS, with --cert and --key")
    .option("--cert <file>", "the certificate, PEM")
    .option("--key <file>", "its private key, PEM")
    .option("--no-watch", "put a changed route table in force only on SIGHUP and by `routes reload`")
    .option("--log-address", "log the client's address with each request", logsAddress)
    .option("--no-log-address", "leave it out, whatever ADDON_LOG_ADDRESS says")
    .addHelpText("after", examples("serve --host 0.0.0.0 --port 8443 --https --cert cert.pem --key key.pem"))
    .action(async (options: ServeOptions & { port: number | string }, command: Command) => {
      if (options.https === true && (options.cert === undefined || options.key === undefined)) {
        command.error("error: --https needs --cert <file> and --key <file>", { code: "usage", exitCode: 2 });
      }
      if (options.https !== true && (options.cert !== undefined || options.key !== undefined)) {
        command.error("error: --cert and --key go with --https", { code: "usage", exitCode: 2 });
      }
      // Asked for before anything is loaded: whoever stops it early is heard.
      const signals = { stopping: stopSignal(io), reloading: new ReloadSignal(io) };
      try {
        const { serve } = await import("../actions/serve.ts");
        await serve(session, { ...options, port: parsePort(String(options.port)) }, signals);
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
