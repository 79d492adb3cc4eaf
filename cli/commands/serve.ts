/** `serve`: runs the service until it is told to stop. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Network } from "../../src/domain/address.ts";
import type { ServeOptions } from "../actions/serve.ts";
import { parseAddressOrOff, parseHost, parsePort, parseProxies, parseProxy } from "../arguments/address.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import type { Context } from "../context.ts";
import { examples } from "../help.ts";
import { type LogOptions, levelChoices, requestChoices } from "../serving/log-options.ts";
import { ReloadSignal } from "../serving/reloading.ts";
import { stopSignal } from "../serving/stopping.ts";

/** Parses the value of an option that the environment can set: Commander checks only flags. */
function fromEnvironment<T>(command: Command, variable: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return command.error(`error: ${variable} is "${text}". ${error.message}`, { code: "usage", exitCode: 2 });
  }
}

/** Returns a parser that checks a text, and leaves it for {@link fromEnvironment} to parse. */
function checkedBy(parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    parse(text);
    return text;
  };
}

/** Returns a parser that accepts only the given words. */
function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((choice) => choice === text);
    if (choice === undefined) throw new InvalidArgumentError(`Expected ${choices.join(", ")}.`);
    return choice;
  };
}

/** Parses a variable that is on or off. Any other value would turn on what `disabled`, for example, should not. */
function parseSwitch(text: string): boolean {
  const value = text.toLowerCase();
  if (["1", "on", "true", "yes"].includes(value)) return true;
  if (["", "0", "off", "false", "no"].includes(value)) return false;
  throw new InvalidArgumentError("Expected 1 or 0, or on or off.");
}

/** The options from Commander. Those that the environment can set are not parsed yet. */
interface GivenOptions extends Omit<ServeOptions, "port" | "log" | "trustedProxies" | "limits" | "metrics"> {
  readonly port: number | string;
  readonly trustedProxy?: readonly Network[];
  readonly limits?: string;
  readonly metrics?: string;
  readonly logRequests: string;
  readonly logLevel: string;
}

export function addServeCommand(program: Command, context: Context): void {
  const { io, misuse } = context;
  const port = new Option("--port <port>", "the port to listen on; 0 for any free one").argParser(parsePort);
  const portText = io.env.ADDON_PORT || "8888";
  const host = new Option("--host <host>", "the address to listen on").argParser(parseHost);
  const limits = new Option("--limits <which>", "do not apply the limits of the route table").choices([
    "off",
  ]);
  const metrics = new Option(
    "--metrics <host:port>",
    "serve metrics for Prometheus on this address; `off` for none",
  ).argParser(checkedBy(parseAddressOrOff));
  const logRequests = new Option("--log-requests <which>", "which requests to log")
    .choices(requestChoices)
    .default(io.env.ADDON_LOG_REQUESTS || "all");
  const logLevel = new Option("--log-level <level>", "the lowest level to log; requests are `info`")
    .choices(levelChoices)
    .default(io.env.ADDON_LOG_LEVEL || "info");
  const trustedProxy = new Option(
    "--trusted-proxy <cidr>",
    "a proxy whose X-Forwarded-For names the client; repeatable",
  ).argParser((text, given: readonly Network[] = []) => [...given, parseProxy(text)]);
  const staleness = new Option(
    "--max-staleness <seconds>",
    "with --journal: how long to answer without contact to it",
  ).argParser(wholeFrom(1, 60));
  program
    .command("serve")
    .description("run the service; the first start seeds the data and issues one public token")
    .addOption(host.default(io.env.ADDON_HOST || "127.0.0.1"))
    .addOption(port.default(portText, portText))
    .option("--https", "serve HTTPS, with --cert and --key")
    .option("--cert <file>", "the certificate with its chain, PEM; a renewal needs no restart")
    .option("--key <file>", "its private key, PEM")
    .option(
      "--no-watch",
      "reload a changed route table only on SIGHUP and `routes reload`, a certificate only on SIGHUP",
    )
    .option("--confirm-loss", "a changed route table that takes something away waits for `routes reload`")
    .option("--no-confirm-loss", "it does not wait, even if ADDON_CONFIRM_LOSS is set")
    .addOption(limits)
    .addOption(logRequests)
    .addOption(logLevel)
    .addOption(metrics.default(io.env.ADDON_METRICS || undefined))
    .option("--log-address", "log the client's address with each request")
    .option("--no-log-address", "do not log it, even if ADDON_LOG_ADDRESS is set")
    .addOption(trustedProxy)
    .addOption(staleness.default(60))
    .addHelpText(
      "after",
      examples(
        "serve --host 0.0.0.0 --port 8443 --https --cert cert.pem --key key.pem",
        "serve --trusted-proxy 127.0.0.1 --log-address",
      ),
    )
    .action(async (options: GivenOptions, command: Command) => {
      if (options.https === true && (options.cert === undefined || options.key === undefined)) {
        misuse("--https requires --cert <file> and --key <file>");
      }
      if (options.https !== true && (options.cert !== undefined || options.key !== undefined)) {
        misuse("--cert and --key require --https");
      }
      const address = {
        host: fromEnvironment(command, "ADDON_HOST", options.host, parseHost),
        port: fromEnvironment(command, "ADDON_PORT", String(options.port), parsePort),
        metrics: fromEnvironment(command, "ADDON_METRICS", options.metrics ?? "off", parseAddressOrOff),
      };
      const asked = options.limits ?? io.env.ADDON_LIMITS;
      const limits = asked
        ? fromEnvironment<"off">(command, "ADDON_LIMITS", asked, oneOf(["off"]))
        : undefined;
      const isOn = (variable: string) =>
        fromEnvironment(command, variable, io.env[variable] ?? "", parseSwitch);
      const logAddress = options.logAddress ?? isOn("ADDON_LOG_ADDRESS");
      const confirmLoss = options.confirmLoss ?? isOn("ADDON_CONFIRM_LOSS");
      const log: LogOptions = {
        requests: fromEnvironment(command, "ADDON_LOG_REQUESTS", options.logRequests, oneOf(requestChoices)),
        level: fromEnvironment(command, "ADDON_LOG_LEVEL", options.logLevel, oneOf(levelChoices)),
      };
      const trustedProxies =
        options.trustedProxy ??
        fromEnvironment(command, "ADDON_TRUSTED_PROXIES", io.env.ADDON_TRUSTED_PROXIES ?? "", parseProxies);
      // Before the action is loaded, so that an early signal is not lost.
      const signals = { stopping: stopSignal(io), reloading: new ReloadSignal(io) };
      const { serve } = await import("../actions/serve.ts");
      await serve(
        context,
        { ...options, ...address, log, logAddress, confirmLoss, trustedProxies, limits },
        signals,
      );
    });
}
