/**
 * The connections of a server, so that it can close each as soon as nothing is under way on it. Node itself closes idle
 * ones only at one moment, and not those on which nothing was asked yet. What is under way is only looked at when the
 * server closes: being told of the end of every response takes a tenth of the time of a request.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** See the head of this file. */
export class Connections {
  /** As they were accepted: with TLS, below those that requests come on. */
  readonly #accepted = new Set<Socket>();
  /** Those that requests come on, each with the response that was last begun. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>();

  /**
   * Takes up the connections that a server accepts from now on.
   * @param secure whether it speaks TLS
   */
  follow(server: Server, secure: boolean): void {
    server.on("connection", (socket: Socket) => {
      this.#accepted.add(socket);
      socket.once("close", () => this.#accepted.delete(socket));
    });
    server.on(secure ? "secureConnection" : "connection", (socket: Socket) => this.#add(socket));
  }

  #add(socket: Socket): void {
    this.#latest.set(socket, undefined);
    socket.once("close", () => this.#latest.delete(socket));
  }

  /** Notes a response that is begun on a connection, if that was taken up. */
  note(socket: Socket, response: ServerResponse): void {
    if (this.#latest.has(socket)) this.#latest.set(socket, response);
  }

  /** Closes every connection: now, or when the response that is under way on it is written. */
  close(): void {
    for (const [socket, response] of this.#latest) {
      if (response === undefined || response.writableFinished) socket.destroySoon();
      else response.once("close", () => socket.destroySoon());
    }
  }

  /** Cuts off every connection, whatever is under way on it. */
  destroy(): void {
    for (const socket of this.#accepted) socket.destroy();
  }
}
