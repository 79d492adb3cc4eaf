/** The bare peer: Node's own HTTP server, which sends the bytes of one answer of the service. Nothing can be faster. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { announce } from "./announce.js";

const [file] = process.argv.slice(2);
const recorded = JSON.parse(readFileSync(file, "utf8"));
const headers = recorded.headers.flat();
const body = Buffer.from(recorded.body);

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => announce(server));
