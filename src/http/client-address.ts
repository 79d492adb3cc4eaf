/**
 * The address of a client. Behind a proxy, the peer of a connection is that proxy, and the header `X-Forwarded-For` lists
 * where the request came from: each proxy appends the address of its own peer. Anybody can send that header with any
 * content, so only what trusted proxies appended counts: from the right up to the first address that is not trusted.
 */
import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
import { type Network, parseAddress, withoutMapping } from "../domain/address.ts";

/** The parts of a request that name its client. */
export interface Sender {
  readonly headers: IncomingHttpHeaders;
  readonly socket?: { readonly remoteAddress?: string | undefined };
}

/** An entry of the header. */
interface Hop {
  /** Its canonical form; undefined if the entry is no address. */
  readonly address: string | undefined;
  readonly isTrusted: boolean;
}

/** No address with a zone, brackets and a port is longer. */
const maxEntry = 80;

/** The most entries, and characters, that are read. A client whose own address is trusted could list thousands. */
const maxHops = 32;
const maxForwarded = maxHops * maxEntry;

export class ClientAddresses {
  readonly #trusted = new BlockList();
  readonly #warn: (message: string) => void;
  #hasWarned = false;

  /** Checking an address takes a few microseconds, and those of proxies and clients return. */
  readonly #hops = new LRUCache<string, Hop>({
    // With `max` it would allocate room for all at each start, though most services are behind no proxy.
    maxSize: 10_000,
    sizeCalculation: () => 1,
    memoMethod: (text) => {
      const address = parseAddress(text);
      const isTrusted =
        address !== undefined && this.#trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
      return { address, isTrusted };
    },
  });

  /**
   * @param trusted the networks of the trusted proxies
   * @param warn called at most once, when the header comes from elsewhere
   */
  constructor(trusted: readonly Network[] = [], warn: (message: string) => void = () => {}) {
    for (const { address, prefix, family } of trusted) this.#trusted.addSubnet(address, prefix, family);
    this.#warn = warn;
  }

  /**
   * Returns the canonical address of the client: of the peer, unless that is a trusted proxy. An entry that is no address
   * is not the client's word for one, so the address of the hop that sent it counts. If all are trusted, the left-most
   * counts. Undefined for a peer without an address, such as that of a Unix socket. Warns, once, of the header from a peer
   * that is no trusted proxy.
   */
  of(sender: Sender): string | undefined {
    const address = sender.socket?.remoteAddress;
    const peer = address === undefined ? undefined : withoutMapping(address);
    const forwarded = sender.headers["x-forwarded-for"];
    if (peer === undefined || forwarded === undefined) return peer;
    if (!this.#hopOf(peer).isTrusted) {
      this.#warnOnce();
      return peer;
    }
    let client = peer;
    // Node joins several headers of this name, in their order.
    const entries = String(forwarded).slice(-maxForwarded).split(",").slice(-maxHops);
    for (const entry of entries.reverse()) {
      const { address, isTrusted } = this.#hopOf(entry.trim());
      if (address === undefined) break;
      client = address;
      if (!isTrusted) break;
    }
    return client;
  }

  #warnOnce(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#warn(
      "Ignored an X-Forwarded-For header: it did not come from a trusted proxy. If the service is behind a proxy, start it " +
        "with --trusted-proxy and the proxy's address; otherwise all its clients have that address. Not warning again.",
    );
  }

  #hopOf(entry: string): Hop {
    return entry.length > maxEntry ? { address: undefined, isTrusted: false } : this.#hops.memo(entry);
  }
}
