/** Parses the addresses to listen on, and those of proxies. */
import { isIPv6 } from "node:net";
import { InvalidArgumentError } from "commander";
import { type Network, parseNetwork } from "../../src/domain/address.ts";

/** An address to listen on. */
export interface Address {
  /** An IP address without brackets, or a host name. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export function parsePort(text: string): number {
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

export function parseHost(text: string): string {
  if (hostForm.test(text)) return text;
  throw new InvalidArgumentError("Expected an IP address without brackets or zone, or a host name.");
}

/**
 * Parses a host and a port, such as `127.0.0.1:9464` or `[::1]:9464`, or `off` for none. A port alone is refused: some
 * programs listen on every address then, others only on this machine.
 */
export function parseAddressOrOff(text: string): Address | false {
  if (text === "off") return false;
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (hostForm.test(host) && (bracketed === undefined || isIPv6(bracketed)))
    return { host, port: parsePort(port) };
  throw new InvalidArgumentError(
    'Expected a host and a port, such as 127.0.0.1:9464, [::1]:9464 or 0.0.0.0:9464, or "off".',
  );
}

/** Parses proxies, separated by commas, and appends them to the previous ones. */
export function parseProxies(text: string, previous: readonly Network[] = []): readonly Network[] {
  const words = text.split(",").filter((word) => word.trim() !== "");
  return [...previous, ...(words.length === 0 ? [text] : words).map(parseProxy)];
}

function parseProxy(text: string): Network {
  const network = parseNetwork(text.trim());
  if (network !== undefined) return network;
  throw new InvalidArgumentError("Expected an IP address or a network such as 10.0.0.0/8 or fd00::/8.");
}

/** Returns what is expected of the URL of a shared journal; undefined for a good one. */
export function journalFault(text: string): string | undefined {
  if (/^postgres(?:ql)?:\/\//.test(text)) return undefined;
  return "expected a URL such as postgres://gameaddon@db.example/gameaddon for the journal";
}

/**
 * Parses the URL of a shared journal without a password: others can read the arguments of a process.
 * @param refuse ends the command with a message; Commander's own would repeat the URL
 */
export function parseJournal(text: string, refuse: (message: string) => never): string {
  const fault = journalFault(text);
  if (fault !== undefined) return refuse(fault);
  if (/^\w+:\/\/[^/?@]*:.*@|[?&]\w*password=/.test(text))
    return refuse(
      "expected no password in the URL, since others could see it: set PGPASSWORD or ADDON_JOURNAL",
    );
  return text;
}
