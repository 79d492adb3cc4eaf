/** The peer "bare": Node's own HTTP server, sending the bytes of one answer of the service. Nobody can be faster. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { listenAndAnnounce } from "./listen.ts";

/** The answer that the bench hands over, as it was received. */
interface Recorded {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const [file = ""] = process.argv.slice(2);
const recorded: Recorded = JSON.parse(readFileSync(file, "utf8"));
const headers = recorded.headers.flat();
const body = Buffer.from(recorded.body);

listenAndAnnounce(
  createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  }),
);
