/** IP addresses and networks as texts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { parseAddress, parseNetwork, withoutMapping } from "../../src/domain/address.ts";

it("an address is read without port, brackets and zone, in its canonical form", () => {
  for (const [text, expected] of [
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:4711", "203.0.113.7"],
    ["2001:db8::7", "2001:db8::7"],
    ["2001:DB8:0:0:0::7", "2001:db8::7"],
    ["2001:0db8:0000:0000:0000:0000:0000:0007", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    ["[2001:db8::7]:4711", "2001:db8::7"],
    ["fe80::1%eth0", "fe80::1"],
    ["[fe80::1%25-eth0.1]:80", "fe80::1"],
    ["::", "::"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:80", "203.0.113.7"],
    ["64:ff9b::203.0.113.7", "64:ff9b::cb00:7107"],
    ["::ffff:0:cb00:7107", "::ffff:0:cb00:7107"],
  ] as const) {
    assert.equal(parseAddress(text), expected, text);
  }
});

it("anything else is no address", () => {
  for (const text of [
    "",
    "unknown",
    "unix:",
    "_hidden",
    "localhost",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.07",
    "0xcb007107",
    "3405803783",
    "203.0.113.7:",
    "203.0.113.7:123456",
    "203.0.113.7/32",
    " 203.0.113.7",
    "[203.0.113.7]",
    "[2001:db8::7",
    "2001:db8::7]",
    "2001:db8::7::",
    "2001:db8::g",
    "[2001:db8::7]x",
    '"203.0.113.7"',
    "for=203.0.113.7",
    "203.0.113.7%eth0",
    "fe80::1%",
    `${"1".repeat(10_000)}.1`,
  ]) {
    assert.equal(parseAddress(text), undefined, text.slice(0, 40));
  }
});

it("a network is an address with or without a prefix", () => {
  for (const [text, address, prefix, family] of [
    ["127.0.0.1", "127.0.0.1", 32, "ipv4"],
    ["10.0.0.0/8", "10.0.0.0", 8, "ipv4"],
    ["0.0.0.0/0", "0.0.0.0", 0, "ipv4"],
    ["::1", "::1", 128, "ipv6"],
    ["FD00::/8", "FD00::", 8, "ipv6"],
    ["::ffff:10.0.0.0/104", "::ffff:10.0.0.0", 104, "ipv6"],
  ] as const) {
    assert.deepEqual(parseNetwork(text), { address, prefix, family }, text);
  }
  for (const text of [
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "::/129",
    "fe80::%eth0/64",
    "[::1]",
    "10.0.0.0/255.0.0.0",
    "localhost",
    "loopback",
    "*",
    "10.0.0.1:80",
    " 10.0.0.0/8",
  ]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});

it("an address that the system has written loses only a mapping to IPv6", () => {
  for (const [address, expected] of [
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8::7", "2001:db8::7"],
    ["::ffff:0:cb00:7107", "::ffff:0:cb00:7107"],
    ["64:ff9b::203.0.113.7", "64:ff9b::203.0.113.7"],
  ] as const) {
    assert.equal(withoutMapping(address), expected);
  }
});
