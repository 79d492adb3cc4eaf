/** Loopback addresses. */
import { BlockList, isIP } from "node:net";
import { familyOf } from "../../src/domain/address.ts";

const own = new BlockList();
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addAddress("::1", "ipv6");

/** Returns whether only this machine can reach a host. A name other than `localhost` may resolve to any address. */
export function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? host.toLowerCase() === "localhost" : own.check(host, familyOf(host));
}
