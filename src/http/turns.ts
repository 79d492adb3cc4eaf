/** Paused connections of different networks, which take turns: nobody waits for all connections of another network. */
import type { Connection } from "./connections.ts";

export class NetworkTurns {
  /** Those of each network, oldest first. The network whose turn is next comes first. */
  readonly #networks = new Map<string, Set<Connection>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(connection: Connection): void {
    const { network } = connection;
    const own = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, own);
    this.#size += own.has(connection) ? 0 : 1;
    own.add(connection);
  }

  delete(connection: Connection): void {
    const { network } = connection;
    const own = this.#networks.get(network);
    if (own?.delete(connection) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#networks.delete(network);
  }

  /** Removes and returns the oldest or the newest connection of the network whose turn it is; undefined if there is none. */
  take(which: "oldest" | "newest"): Connection | undefined {
    const [first] = this.#networks;
    if (first === undefined) return undefined;
    const [network, own] = first;
    // Behind the other networks.
    this.#networks.delete(network);
    this.#networks.set(network, own);
    const connection = which === "newest" ? Array.from(own).at(-1) : own.values().next().value;
    if (connection !== undefined) this.delete(connection);
    return connection;
  }
}
