/**
 * A hostile client, in a process of its own until it is ended. It reads its attack as one line of JSON from standard
 * input, since paths contain tokens. It prints a line when it is connected, and what it achieved as JSON at its end.
 */
import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";

/** What an attacker does. */
export interface Attack {
  readonly port: number;
  readonly connections: number;
  /** Requested in turn, over all connections. `{n}` in a path or header becomes the number of the request. */
  readonly paths: readonly string[];
  /** A header of each request besides its host. */
  readonly header?: string;
  /** How many requests a connection sends before it waits for their answers; or one without end, a byte at a time. */
  readonly ahead: number | "endless" | "bytes";
  /** Whether it reads the answers; "slowly": 100 bytes at a time. */
  readonly reads: boolean | "slowly";
}

/** What an attacker achieved. */
export interface Achieved {
  /** Bytes sent. */
  readonly sent: number;
  /** Answers read. */
  readonly answers: number;
  /** Connections opened, including those that replaced closed ones. */
  readonly opened: number;
}

const achieved = { sent: 0, answers: 0, opened: 0 };
const answerStart = Buffer.from("HTTP/1.1 ");
let number = 0;

/** Keeps one connection open and busy. */
function run(attack: Attack): void {
  const { ahead, reads, port } = attack;
  const socket = connect(port, "127.0.0.1");
  const batch = typeof ahead === "number" ? ahead : Math.max(1, Math.floor(65536 / request(attack).length));
  const send = () => {
    const text = Array.from({ length: batch }, () => request(attack)).join("");
    achieved.sent += text.length;
    return socket.write(text);
  };
  socket.once("connect", () => {
    achieved.opened += 1;
    if (achieved.opened === attack.connections) process.stdout.write("connected\n");
    if (ahead === "endless") sendEndlessly(socket, send);
    else if (ahead === "bytes")
      slowly(socket, () => socket.write("GET / HTTP/1.1\r\nA: a"[socket.bytesWritten] ?? "a"));
    else send();
  });
  if (reads === true) countAnswers(socket, batch, ahead === "endless" ? () => {} : send);
  else socket.pause();
  if (reads === "slowly") slowly(socket, () => socket.read(Math.min(100, socket.readableLength)));
  socket.on("error", () => {});
  // The pause avoids a busy loop if the server closes each connection at once.
  socket.once("close", () => setTimeout(() => run(attack), 50));
}

/** Does something ten times a second, until the socket is closed. */
function slowly(socket: Socket, act: () => unknown): void {
  const timer = setInterval(act, 100);
  socket.once("close", () => clearInterval(timer));
}

function request({ paths, header }: Attack): string {
  number += 1;
  const path = paths[number % paths.length] ?? "/";
  const lines = [`GET ${path} HTTP/1.1`, "Host: here", ...(header === undefined ? [] : [header]), "", ""];
  return lines.join("\r\n").replaceAll("{n}", String(number));
}

function sendEndlessly(socket: Socket, send: () => boolean): void {
  const sendMore = () => {
    // The event loop has to turn, so that this process reads answers.
    if (send()) setImmediate(sendMore);
    else socket.once("drain", sendMore);
  };
  sendMore();
}

function countAnswers(socket: Socket, batch: number, onBatch: () => void): void {
  let pending = 0;
  socket.on("data", (piece: Buffer) => {
    for (let at = piece.indexOf(answerStart); at !== -1; at = piece.indexOf(answerStart, at + 1)) {
      achieved.answers += 1;
      pending += 1;
    }
    if (pending < batch) return;
    pending = 0;
    onBatch();
  });
}

// A low priority: the bench measures the service, not how the system shares two processors.
setPriority(10);
createInterface(process.stdin).once("line", (line) => {
  const attack: Attack = JSON.parse(line);
  for (let index = 0; index < attack.connections; index += 1) run(attack);
});
process.once("SIGTERM", () => process.stdout.write(JSON.stringify(achieved), () => process.exit(0)));
