/** The network of an address, by which requests are counted. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { networkOf } from "../../src/domain/address.ts";

for (const [address, network] of [
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:0::/56"],
  ["2001:DB8:1:2::", "2001:db8:1:0::/56"],
  ["2001:0db8:0001:0002:ffff::1", "2001:db8:1:0::/56"],
  ["2001:db8:1:ff02::", "2001:db8:1:ff00::/56"],
  ["2001:db8:1:1ff::", "2001:db8:1:100::/56"],
  ["2001:db8::1", "2001:db8:0:0::/56"],
  ["2001:db8::192.0.2.1", "2001:db8:0:0::/56"],
  ["2001::ff02:3:4:5:6", "2001:0:0:ff00::/56"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/56"],
  ["fe80::1%eth0", "fe80:0:0:0::/56"],
  ["::1", "0:0:0:0::/56"],
  ["::", "0:0:0:0::/56"],
  ["1::8", "1:0:0:0::/56"],
  ["not:an:address", "not:an:address"],
  ["", ""],
] as const) {
  it(`the network of ${address} is ${network === "" ? "the empty one" : network}`, () => {
    assert.equal(networkOf(address), network);
  });
}
