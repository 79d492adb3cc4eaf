/** Writes answers to the network. */
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { sendNodeResponse } from "srvx/node";
import type { Answer, LiveBody } from "../engine/response.ts";
import { AnswerResponse } from "./answer-response.ts";

/** The engine's answer, or a `Response` of h3. */
export type Answered = Answer | Response;

/**
 * The size of the pieces in which a body is written, in bytes: how many are written shows how fast a client reads. TLS
 * encrypts all it gets at once, for a client that may never read it.
 */
const pieceSize = { plain: 262_144, encrypted: 65_536 };
/** The time in which a client has to close its side after {@link sendRaw}, in milliseconds. */
const farewellMilliseconds = 2_000;

/**
 * Writes an answer to a response. An error closes the connection.
 * @returns the body, which stays in memory until the client has read it, or one that has yet to begin
 */
export function sendAnswer(response: ServerResponse, answered: Answered): Buffer | LiveBody | null {
  const answer = answered instanceof AnswerResponse ? answered.answer : answered;
  if (answer instanceof Response) {
    sendNodeResponse(response, answer).catch(() => response.destroy());
    return null;
  }
  const { status, headers, body, live } = answer;
  const size = response.socket instanceof TLSSocket ? pieceSize.encrypted : pieceSize.plain;
  try {
    if (live !== undefined) response.shouldKeepAlive = false;
    response.writeHead(status, STATUS_CODES[status], headers);
    if (body !== null && body.length > size)
      pipeline(Readable.from(piecesOf(body, size)), response, () => {});
    else if (live === undefined) response.end(body);
    else return live;
  } catch {
    response.destroy();
    live?.end();
  }
  return body;
}

function* piecesOf(body: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < body.length; start += size) yield body.subarray(start, start + size);
}

/** Writes an answer where Node has no response object, and closes the connection. */
export function sendRaw(socket: Socket, { status, headers, body }: Answer): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  socket.end(`${head}\r\n${body}`);
  // Discard the rest: closing at once would reset the connection, and the client could lose the answer.
  socket.resume();
  const deadline = setTimeout(() => socket.destroy(), farewellMilliseconds);
  socket.once("close", () => clearTimeout(deadline));
}
