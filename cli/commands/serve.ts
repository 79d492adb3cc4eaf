/** `serve`: runs the service until it is told to stop. */
import { Option } from "commander";
import type { ServeOptions } from "../actions/serve.ts";
import { parseAddressOrOff, parseHost, parsePort, parseProxies } from "../arguments/address.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import type { CLICommand } from "../command.ts";
import { applyEnvironment } from "../serving/environment.ts";
import { levelChoices, requestChoices } from "../serving/log-options.ts";
import { reloadSignal } from "../serving/reloading.ts";
import { stopSignal } from "../serving/stopping.ts";

export function addServeCommand(program: CLICommand): void {
  const { context } = program;
  const { io, misuse } = context;
  program
    .command("serve")
    .description("run the service; the first start seeds the data and issues one public token")
    .option("--host <host>", "the address to listen on", parseHost, "127.0.0.1")
    .option("--port <port>", "the port to listen on; 0 for any free one", parsePort, 8888)
    .option("--https", "serve HTTPS, with --cert and --key")
    .option("--cert <file>", "the certificate with its chain, PEM; a renewal needs no restart")
    .option("--key <file>", "its private key, PEM")
    .option(
      "--no-watch",
      "reload a changed route table only on SIGHUP and `routes reload`, a certificate only on SIGHUP",
    )
    .option("--confirm-loss", "a changed route table that takes something away waits for `routes reload`")
    .option("--no-confirm-loss", "apply it at once, even if ADDON_CONFIRM_LOSS is set")
    .addOption(new Option("--limits <which>", "`off`: apply no limits of the route table").choices(["off"]))
    .addOption(
      new Option("--log-requests <which>", "which requests to log").choices(requestChoices).default("all"),
    )
    .addOption(
      new Option("--log-level <level>", "the lowest level to log; requests are `info`")
        .choices(levelChoices)
        .default("info"),
    )
    .option(
      "--metrics <host:port>",
      "serve metrics for Prometheus on this address; `off` for none",
      parseAddressOrOff,
    )
    .option("--log-address", "log the client's address with each request")
    .option("--no-log-address", "do not log addresses, even if ADDON_LOG_ADDRESS is set")
    .option(
      "--trusted-proxy <cidr>",
      "a proxy whose X-Forwarded-For names the client; repeatable",
      parseProxies,
    )
    .option(
      "--max-staleness <seconds>",
      "with --journal: how long to keep answering without contact to the journal",
      wholeFrom(1, 60),
      60,
    )
    .examples(
      "serve --host 0.0.0.0 --port 8443 --https --cert cert.pem --key key.pem",
      "serve --trusted-proxy 127.0.0.1 --log-address",
    )
    .action(async (_options: ServeOptions, command: CLICommand) => {
      applyEnvironment(command, io.env);
      const options = command.opts<ServeOptions>();
      if (options.https === true && (options.cert === undefined || options.key === undefined)) {
        misuse("--https requires --cert <file> and --key <file>");
      }
      if (options.https !== true && (options.cert !== undefined || options.key !== undefined)) {
        misuse("--cert and --key require --https");
      }
      // Before the action is loaded, so that an early signal is not lost.
      const signals = { stopping: stopSignal(io), onReload: reloadSignal(io) };
      const { serve } = await import("../actions/serve.ts");
      await serve(context, options, signals);
    });
}
