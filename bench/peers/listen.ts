/** What every peer has in common: it listens on a free port, and says so in one line of JSON on standard output. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Tells where a server listens. */
export function announce({ port }: AddressInfo): void {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
}

/** Listens on a free port, and tells where. */
export function listenAndAnnounce(server: Server): void {
  server.listen(0, "127.0.0.1", () => announce(server.address() as AddressInfo));
}
