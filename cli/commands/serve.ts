/** `serve`: runs the service until it is told to stop. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Network, parseNetwork } from "../../src/http/network.ts";
import type { ServeOptions } from "../actions/serve.ts";
import type { Context } from "../context.ts";
import { examples } from "../help.ts";
import { type LogOptions, levelChoices, requestChoices } from "../serving/log-options.ts";
import { ReloadSignal } from "../serving/reloading.ts";
import { stopSignal } from "../serving/stopping.ts";

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new InvalidArgumentError("Expected a port from 0 to 65535.");
  return port;
}

/**
 * The hosts that listhen accepts. It replaces anything else by `localhost` with no more than a warning, and an empty host
 * means every address.
 */
const hostForm = /^(?!-)[\d.:A-Za-z-]{1,63}(?<!-)$/;

function parseHost(text: string): string {
  if (hostForm.test(text)) return text;
  throw new InvalidArgumentError("Expected an IP address without brackets or zone, or a host name.");
}

function parseProxy(text: string): Network {
  const network = parseNetwork(text.trim());
  if (network !== undefined) return network;
  throw new InvalidArgumentError("Expected an IP address or a network such as 10.0.0.0/8 or fd00::/8.");
}

/** Parses a list of proxies from the environment. */
function parseProxies(text: string): readonly Network[] {
  return text.split(",").flatMap((each) => (each.trim() === "" ? [] : parseProxy(each)));
}

/** Parses the value of an option that the environment can set: Commander checks only flags. */
function fromEnvironment<T>(command: Command, variable: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return command.error(`error: ${variable} is "${text}". ${error.message}`, { code: "usage", exitCode: 2 });
  }
}

/** Returns a parser that accepts only the given words. */
function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw new InvalidArgumentError(`Expected ${choices.join(", ")}.`);
    return choice;
  };
}

/** Returns whether an environment variable is on: any value except an empty one, `0` and `false`. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}

/** The options from Commander. Those that the environment can set are not parsed yet. */
interface GivenOptions extends Omit<ServeOptions, "port" | "log" | "trustedProxies" | "limits"> {
  readonly port: number | string;
  readonly trustedProxy?: readonly Network[];
  readonly limits?: string;
  readonly logRequests: string;
  readonly logLevel: string;
}

export function addServeCommand(program: Command, context: Context): void {
  const { io } = context;
  const port = new Option("--port <port>", "the port to listen on; 0 for any free one").argParser(parsePort);
  const portText = io.env.ADDON_PORT || "8888";
  const host = new Option("--host <host>", "the address to listen on").argParser(parseHost);
  const limits = new Option("--limits <off>", "do not apply the limits of the route table").choices(["off"]);
  const logsAddress = isOn(io.env.ADDON_LOG_ADDRESS);
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
    .addOption(limits)
    .addOption(logRequests)
    .addOption(logLevel)
    .option("--log-address", "log the client's address with each request", logsAddress)
    .option("--no-log-address", "do not log it, even if ADDON_LOG_ADDRESS is set")
    .addOption(trustedProxy)
    .addHelpText(
      "after",
      examples(
        "serve --host 0.0.0.0 --port 8443 --https --cert cert.pem --key key.pem",
        "serve --trusted-proxy 127.0.0.1 --log-address",
      ),
    )
    .action(async (options: GivenOptions, command: Command) => {
      if (options.https === true && (options.cert === undefined || options.key === undefined)) {
        command.error("error: --https requires --cert <file> and --key <file>", {
          code: "usage",
          exitCode: 2,
        });
      }
      if (options.https !== true && (options.cert !== undefined || options.key !== undefined)) {
        command.error("error: --cert and --key require --https", { code: "usage", exitCode: 2 });
      }
      const address = {
        host: fromEnvironment(command, "ADDON_HOST", options.host, parseHost),
        port: fromEnvironment(command, "ADDON_PORT", String(options.port), parsePort),
      };
      const asked = options.limits ?? io.env.ADDON_LIMITS;
      const limits = asked
        ? fromEnvironment<"off">(command, "ADDON_LIMITS", asked, oneOf(["off"]))
        : undefined;
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
      await serve(context, { ...options, ...address, log, trustedProxies, limits }, signals);
    });
}
