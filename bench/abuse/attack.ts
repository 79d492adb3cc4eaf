/**
 * One attacker, in a process of its own: it does to a server what a hostile client would, until it is ended. It is told
 * what by one line of JSON on standard input, since paths have tokens in them. It prints a line when it is connected, and
 * at its end what it achieved, as JSON.
 */
import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";

/** What an attacker does. */
export interface Attack {
  readonly port: number;
  readonly connections: number;
  /** Asked for in turn, over all connections. `{n}` in a path or header is another number each time. */
  readonly paths: readonly string[];
  /** A header that each request has besides its host. */
  readonly header?: string;
  /** How many requests a connection sends before it waits for their answers; endless where it never waits. */
  readonly ahead: number | "endless";
  /** Whether it reads what it is answered. */
  readonly reads: boolean;
}

/** What an attacker achieved. */
export interface Achieved {
  /** Bytes that the server took from it. */
  readonly sent: number;
  /** Answers that it read. */
  readonly answers: number;
  /** Connections that it opened, those that the server had closed before among them. */
  readonly opened: number;
}

const achieved = { sent: 0, answers: 0, opened: 0 };
let number = 0;

function request({ paths, header }: Attack): string {
  number += 1;
  const path = paths[number % paths.length] ?? "/";
  const lines = [`GET ${path} HTTP/1.1`, "Host: here", ...(header === undefined ? [] : [header]), "", ""];
  return lines.join("\r\n").replaceAll("{n}", String(number));
}

/** Keeps one connection up, and busy. */
function run(attack: Attack): void {
  const { ahead, reads, port } = attack;
  const socket = connect(port, "127.0.0.1");
  const some = ahead === "endless" ? Math.max(1, Math.floor(65536 / request(attack).length)) : ahead;
  const send = () => {
    const text = Array.from({ length: some }, () => request(attack)).join("");
    achieved.sent += text.length;
    return socket.write(text);
  };
  socket.once("connect", () => {
    if (achieved.opened === 0) process.stdout.write("connected\n");
    achieved.opened += 1;
    if (ahead === "endless") sendEndlessly(socket, send);
    else send();
  });
  if (!reads) socket.pause();
  else countAnswers(socket, ahead === "endless" ? () => {} : send, some);
  socket.on("error", () => {});
  // A server that closes gets the next one, but not in a loop without a pause.
  socket.once("close", () => setTimeout(() => run(attack), 50));
}

function sendEndlessly(socket: Socket, send: () => boolean): void {
  const more = () => {
    // In pieces, so that this process goes on reading.
    if (send()) setImmediate(more);
    else socket.once("drain", more);
  };
  more();
}

function countAnswers(socket: Socket, allRead: () => void, some: number): void {
  const start = Buffer.from("HTTP/1.1 ");
  let rest = 0;
  let pending = 0;
  socket.on("data", (piece: Buffer) => {
    for (let at = piece.indexOf(start); at !== -1; at = piece.indexOf(start, at + 1)) rest += 1;
    achieved.answers += rest;
    pending += rest;
    rest = 0;
    if (pending < some) return;
    pending = 0;
    allRead();
  });
}

// What is measured is the service, not how the system shares two processors among those who attack and those who wait.
setPriority(10);
createInterface(process.stdin).once("line", (line) => {
  const attack: Attack = JSON.parse(line);
  for (let each = 0; each < attack.connections; each += 1) run(attack);
});
process.once("SIGTERM", () => process.stdout.write(JSON.stringify(achieved), () => process.exit(0)));
