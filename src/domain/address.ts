/** IP addresses and networks in the forms in which operators, proxies and the system write them. */
import { isIP, SocketAddress } from "node:net";

/** All addresses that have the first `prefix` bits of `address`. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
}

/** Returns the network of a text such as `10.0.0.0/8` or `2001:db8::1`; undefined if the text is none. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = "", bits] = /^([\d.:a-f]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (prefix > longest) return undefined;
  return { address, prefix, family: version === 4 ? "ipv4" : "ipv6" };
}

/** An IPv4 address with or without a port, or an IPv6 address with or without a zone, brackets, and then a port. */
const written =
  /^(?:(?<v4>[\d.]+)(?::\d{1,5})?|\[(?<inner>[\d.:a-f]+)(?:%[\w.~-]+)?\](?::\d{1,5})?|(?<v6>[\d.:a-f]+)(?:%[\w.~-]+)?)$/i;

/**
 * Returns the canonical form of an address (RFC 5952), in which equal addresses are equal texts: without port and zone. An
 * IPv4 address within IPv6 (`::ffff:203.0.113.7`) becomes that IPv4 address.
 * @returns undefined if the text is no address
 */
export function parseAddress(text: string): string | undefined {
  const { v4, inner, v6 = inner } = written.exec(text)?.groups ?? {};
  if (v4 !== undefined) return isIP(v4) === 4 ? v4 : undefined;
  if (v6 === undefined || isIP(v6) !== 6) return undefined;
  return withoutMapping(new SocketAddress({ address: v6, family: "ipv6" }).address);
}

/** Returns the IPv4 address within an IPv6 address that the system has written; returns any other address as it is. */
export function withoutMapping(address: string): string {
  const mapped = "::ffff:";
  return address.startsWith(mapped) && address.includes(".") ? address.slice(mapped.length) : address;
}

/**
 * Returns the part of an address by which clients are counted: all of an IPv4 address, also of one that is mapped to IPv6;
 * of an IPv6 address the first 56 bits: a customer has 256 networks of 64 bits or more (RFC 6177).
 */
export function networkOf(text: string): string {
  const address = parseAddress(text) ?? text;
  if (isIP(address) !== 6) return address;
  const [head = [], tail = []] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  const [first, second, third, fourth = "0"] = [...head, ...zeros, ...tail];
  const half = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return `${first}:${second}:${third}:${half}::/56`;
}
