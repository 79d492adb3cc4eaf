/** A service that `addon-cli serve` runs, for the tests of the documentation page, and raw requests to it. */
import { type OutgoingHttpHeaders, request } from "node:http";
import { assertFailure, type Cleanup } from "../../_setup.ts";
import { type Desk, linesOf, type Running, seededDesk } from "../../cli/_setup.ts";

export interface Docs {
  readonly desk: Desk;
  readonly serving: Running;
  /** The address of the service, without a slash at the end. */
  readonly url: string;
}

/** Starts a service with a player Ada of rank 4 in the police, and a wanted reason. */
export async function serveDocs(t: Cleanup, args: readonly string[] = []): Promise<Docs> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "POLICE:4");
  await desk.ok("call", "/wantedreason/add", "reason=Bank-robbery", "points=60");
  const serving = desk.serve(args);
  const [, url = ""] = await serving.shows(/^Documentation: (\S+)\/docs$/m);
  return { desk, serving, url };
}

/** An answer with its body as it was sent. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Requests a path as it is. `fetch` would resolve its dots and decompress the answer. */
export function ask(
  url: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  method = "GET",
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { path, headers, method, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => void chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const all = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
        resolve({
          status: answer.statusCode ?? 0,
          headers: new Headers(Object.fromEntries(all)),
          body: Buffer.concat(chunks),
        });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** Asserts a failure in the documented shape. */
export function assertPageFailure({ status, headers, body }: Answered, expected: number, code: string): void {
  assertFailure({ status, headers, body: JSON.parse(body.toString()) }, expected, code);
}

/** Returns the records of requests that `serve` has logged. */
export function requestsIn({ stderr }: Running): Record<string, unknown>[] {
  return linesOf(stderr.text)
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ status }) => status !== undefined);
}
