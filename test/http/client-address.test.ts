/** The address of a client behind proxies: what of `X-Forwarded-For` counts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type Network, parseNetwork } from "../../src/domain/address.ts";
import { ClientAddresses } from "../../src/http/client-address.ts";
import { runs } from "../_depth.ts";

function networks(...texts: readonly string[]): Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    assert.ok(network !== undefined, text);
    return network;
  });
}

function addressOf(
  trusted: readonly string[],
  peer: string | undefined,
  forwarded?: string,
): string | undefined {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return new ClientAddresses(networks(...trusted)).of({ headers, socket: { remoteAddress: peer } });
}

const proxies = ["10.0.0.0/8", "fd00::/8"];

type Case = [
  what: string,
  forwarded: string | undefined,
  expected: string | undefined,
  peer?: string | null,
  trusted?: string[],
];

const cases: Case[] = [
  ["the peer, where no proxy is trusted", "203.0.113.7", "10.0.0.1", "10.0.0.1", []],
  ["the peer, where it is no trusted proxy", "203.0.113.7", "198.51.100.1", "198.51.100.1"],
  ["the peer, where a trusted proxy sends no header", undefined, "10.0.0.1"],
  ["what a trusted proxy appended", "203.0.113.7", "203.0.113.7"],
  ["what the last of several proxies appended", "203.0.113.7, 10.0.0.3,10.0.0.2", "203.0.113.7"],
  ["not what the client itself sent", "1.1.1.1, 203.0.113.7", "203.0.113.7"],
  ["not a trusted address that the client itself sent", "10.9.9.9, 203.0.113.7", "203.0.113.7"],
  ["the left-most, where all are trusted", "10.0.0.4, 10.0.0.3, 10.0.0.2", "10.0.0.4"],
  ["IPv6", "2001:DB8::0:7", "2001:db8::7", "fd00::1"],
  ["IPv6 behind a proxy of IPv4", "[2001:db8::7]:4711", "2001:db8::7"],
  ["IPv4 with a port", "203.0.113.7:4711", "203.0.113.7"],
  ["an IPv4 address within IPv6, as IPv4", "::ffff:203.0.113.7", "203.0.113.7"],
  ["of a peer that the system writes as IPv6", "203.0.113.7", "203.0.113.7", "::ffff:10.0.0.1"],
  ["of an untrusted peer that the system writes as IPv6", "1.1.1.1", "198.51.100.1", "::ffff:198.51.100.1"],
  [
    "of a hop within a network of mapped addresses",
    "1.1.1.1,10.2.3.4",
    "1.1.1.1",
    "10.0.0.1",
    ["::ffff:10.0.0.0/104"],
  ],
  ["the peer, where the entry is no address", "1.1.1.1, unknown", "10.0.0.1"],
  ["the hop that sent what is no address", "1.1.1.1, unix:, 10.0.0.2", "10.0.0.2"],
  ["the peer, where the header is empty", "", "10.0.0.1"],
  ["the peer, where the last entry is empty", "1.1.1.1,", "10.0.0.1"],
  ["the peer, where the header is a comma", ",", "10.0.0.1"],
  ["the peer, where the entry is endless", "1".repeat(16_000), "10.0.0.1"],
  ["none, where the peer has none", "203.0.113.7", undefined, null],
];
for (const [what, forwarded, expected, peer = "10.0.0.1", trusted = proxies] of cases)
  it(`the address of a client is ${what}`, () =>
    assert.equal(addressOf(trusted, peer ?? undefined, forwarded), expected));

it("an entry of more than 80 characters is no address", () => {
  const entry = (length: number) => `[2001:db8::7%${"z".repeat(length - "[2001:db8::7%]".length)}]`;
  assert.equal(addressOf(proxies, "10.0.0.1", entry(80)), "2001:db8::7");
  assert.equal(addressOf(proxies, "10.0.0.1", entry(81)), "10.0.0.1");
});

it("a client with a trusted address cannot make the service read thousands of entries", () => {
  const many = Array.from({ length: 3000 }, (_, number) => `10.1.${number >> 8}.${number & 255}`);
  const read = addressOf(proxies, "10.0.0.1", many.join()) ?? "";
  assert.ok(many.indexOf(read) >= 2900, `all entries up to ${read} were read`);
});

it("the header from elsewhere is warned of once, without its content and without addresses", () => {
  const warnings: string[] = [];
  const addresses = new ClientAddresses(networks("10.0.0.0/8"), (message) => warnings.push(message));
  const from = (remoteAddress: string | undefined, headers: Record<string, string>) =>
    addresses.of({ headers, socket: { remoteAddress } });
  from("198.51.100.1", {});
  from("10.0.0.1", { "x-forwarded-for": "203.0.113.7" });
  from("::ffff:10.0.0.1", { "x-forwarded-for": "nonsense" });
  from(undefined, { "x-forwarded-for": "203.0.113.7" });
  assert.deepEqual(warnings, []);
  for (let times = 0; times < 3; times += 1)
    from(`198.51.100.${times}`, { "x-forwarded-for": "203.0.113.7" });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /X-Forwarded-For.*--trusted-proxy/);
  assert.doesNotMatch(warnings[0] ?? "", /203\.0\.113|198\.51\.100/);
});

/** The model: addresses are numbers of 128 bits, an IPv4 address that of `::ffff:0:0/96`. */
const mapped = 0xffffn << 32n;
const bits = (value: bigint, prefix: number) => value >> BigInt(128 - prefix);

interface ModelNetwork {
  readonly value: bigint;
  readonly prefix: number;
}

/** Few addresses, so that many are within the networks and many are not. */
const addressValue = fc.oneof(
  fc.tuple(fc.constantFrom(10, 11, 192), fc.nat(3), fc.nat(3)).map(([a, b, c]) => {
    return mapped | (BigInt(a) << 24n) | (BigInt(b) << 16n) | BigInt(c);
  }),
  fc.tuple(fc.constantFrom(0xfd00n, 0x2001n), fc.bigInt(0n, 3n), fc.bigInt(1n, 3n)).map(([a, b, c]) => {
    return (a << 112n) | (b << 64n) | c;
  }),
);

function isIPv4(value: bigint): boolean {
  return value >> 32n === 0xffffn;
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
}

/** Returns all eight groups. */
function groups(value: bigint): string {
  return Array.from({ length: 8 }, (_, index) => {
    return ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16).padStart(4, "0");
  }).join(":");
}

/** Returns an address in a form in which proxies write it. */
function write(value: bigint, style: number): string {
  const plain = isIPv4(value) ? dotted(value) : groups(value);
  switch (style) {
    case 0:
      return plain;
    case 1:
      return isIPv4(value) ? `${plain}:80` : `[${plain}]:80`;
    case 2:
      return isIPv4(value) ? `::ffff:${plain}` : plain.toUpperCase();
    default:
      return isIPv4(value) ? groups(value) : `[${plain}%eth0]`;
  }
}

/** Returns the number of an address that the service has written. */
function read(text: string): bigint {
  if (!text.includes(":")) {
    return text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) | mapped;
  }
  const [front = "", back] = text.split("::");
  const left = front === "" ? [] : front.split(":");
  const right = back === undefined || back === "" ? [] : back.split(":");
  const middle = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...middle, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** Returns the client by the rule: from the right, the first address that is not trusted. */
function expectedClient(
  trusted: readonly ModelNetwork[],
  peer: bigint,
  entries: readonly (bigint | undefined)[],
): bigint {
  const isTrusted = (value: bigint) =>
    trusted.some((network) => bits(network.value, network.prefix) === bits(value, network.prefix));
  const [last, ...others] = entries.toReversed();
  if (entries.length === 0 || last === undefined || !isTrusted(peer)) return peer;
  return expectedClient(trusted, last, others.reverse());
}

it("the address of a client follows a simple model, for any networks, peers and headers", () => {
  const seen = { peer: 0, entry: 0 };
  const network = fc
    .tuple(addressValue, fc.nat(128))
    .map(([value, length]): ModelNetwork & { text: string } => {
      const prefix = isIPv4(value) ? 96 + (length % 33) : length;
      const text = isIPv4(value) ? `${dotted(value)}/${prefix - 96}` : `${groups(value)}/${prefix}`;
      return { value, prefix, text };
    });
  const entry = fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(addressValue, fc.nat(3))
        .map(([value, style]) => ({ value, text: write(value, style) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("", "unknown", "10.0.0", "::x", "10.0.0.1.")
        .map((text) => ({ value: undefined, text })),
    },
  );
  fc.assert(
    fc.property(
      fc.array(network, { maxLength: 4 }),
      fc.tuple(addressValue, fc.boolean()),
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(",", ", ", " , "),
      (trusted, [peer, isMapped], entries, comma) => {
        const remote = isIPv4(peer) && isMapped ? `::ffff:${dotted(peer)}` : write(peer, 0);
        const client = addressOf(
          trusted.map(({ text }) => text),
          remote,
          entries.map(({ text }) => text).join(comma),
        );
        const expected = expectedClient(
          trusted,
          peer,
          entries.map(({ value }) => value),
        );
        assert.equal(read(client ?? ""), expected, `${remote} ${entries.map(({ text }) => text)}`);
        seen[expected === peer ? "peer" : "entry"] += 1;
      },
    ),
    { numRuns: runs(2000) },
  );
  assert.ok(seen.peer > runs(200) && seen.entry > runs(200), JSON.stringify(seen));
});
