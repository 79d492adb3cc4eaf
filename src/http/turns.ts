/** Paused connections of different networks, which take turns: nobody waits for all connections of another network. */
import type { Connection } from "./connections.ts";

export class NetworkTurns {
  /** Those of each network, oldest first. The network whose turn is next comes first. */
  readonly #networks = new Map<string, Set<Connection>>();

  /** The number of networks. */
  get size(): number {
    return this.#networks.size;
  }

  add(connection: Connection): void {
    const { network } = connection;
    const own = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, own);
    own.add(connection);
  }

  delete(connection: Connection): void {
    const own = this.#networks.get(connection.network);
    own?.delete(connection);
    if (own?.size === 0) this.#networks.delete(connection.network);
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
