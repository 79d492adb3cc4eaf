/** Networks, by which requests are counted: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */
import { isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";

/** Parsing an address takes longer than finding the route of a request. */
const networks = new LRUCache<string, string>({ max: 10_000, memoMethod: parse });

/** Returns the network of an address. An IPv4 address that is mapped to IPv6 is the IPv4 address. */
export function networkOf(address = ""): string {
  return address.includes(":") ? networks.memo(address) : address;
}

function parse(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xff_ff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const start = groups.slice(0, 4).map((group) => group.toString(16));
  return `${start.join(":")}::/64`;
}

/** Returns the eight groups of an IPv6 address, without its zone. */
function groupsOf(address: string): number[] {
  const [plain = ""] = address.split("%", 1);
  const hex = plain.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = [], tail = []] = hex.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
