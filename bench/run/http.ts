/** Single requests, and checks of their answers. */
import { Agent, get } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { ensure } from "./failure.ts";
import { userAgent } from "./project.ts";

/** An answer. */
export interface Answer {
  readonly status: number;
  /** Names and values in the order in which they were sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Requests a URL, over a connection of its own unless an agent is given. */
export function ask(url: string, headers: Record<string, string> = {}, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // As a client does, it asks to keep the connection alive.
    const connection = agent ?? new Agent({ keepAlive: true });
    const options = { agent: connection, headers: { "User-Agent": userAgent, ...headers } };
    const request = get(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.once("error", reject);
      response.once("end", () => {
        if (agent === undefined) connection.destroy();
        resolve({ status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body });
      });
    });
    request.once("error", reject);
  });
}

/** Returns the body of a URL. @throws BenchFailure unless the status is 200 */
export async function askFor(url: string): Promise<string> {
  const { status, body } = await ask(url);
  ensure(status === 200, () => `${withoutTokens(url)} answered ${status}: ${body}`);
  return body;
}

/** @throws BenchFailure unless a URL answers with 200 and a JSON document equal to `expected` */
export async function requireAnswer(url: string, expected: unknown): Promise<void> {
  const body = await askFor(url);
  ensure(isDeepStrictEqual(JSON.parse(body), expected), () => {
    const [wanted, got] = [JSON.stringify(expected), body].map((text) => text.slice(0, 1000));
    return `${withoutTokens(url)}: expected\n${wanted}\ngot\n${got}`;
  });
}

/** Returns the value of a header; `name` is in lower case. */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  return headers.find(([header]) => header.toLowerCase() === name)?.[1];
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? "", raw[2 * at + 1] ?? ""]);
}
