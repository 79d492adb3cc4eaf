/** One request and its whole answer, header by header: what the checks before and after measuring look at. */

import { Agent, get } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { ensure } from "./failure.ts";

/** The addon that every request of the bench says it comes from. */
export const addonVersion = "2.5.1";
export const userAgent = `gameaddon/${addonVersion}`;

/** An answer. */
export interface Answer {
  readonly status: number;
  /** Names as they were sent, in their order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Asks for a path, over a connection of its own that is kept alive as a client's is. */
export function ask(url: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: true });
    const request = get(
      `${url}${path}`,
      { agent, headers: { "User-Agent": userAgent, ...headers } },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          body += text;
        });
        response.once("error", reject);
        response.once("end", () => {
          agent.destroy();
          resolve({ status: response.statusCode ?? 0, headers: pairs(response.rawHeaders), body });
        });
      },
    );
    request.once("error", reject);
  });
}

/** Asks for a path that has to answer with 200. @throws BenchFailure */
export async function askFor(url: string, path: string): Promise<unknown> {
  const answer = await ask(url, path);
  ensure(answer.status === 200, () => `${withoutTokens(path)} answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

/** @throws BenchFailure where a path does not answer with 200 and a JSON document equal to `expected` */
export async function requireAnswer(url: string, path: string, expected: unknown): Promise<void> {
  const body = await askFor(url, path);
  ensure(isDeepStrictEqual(body, expected), () => {
    const texts = [expected, body].map((each) => JSON.stringify(each).slice(0, 1000));
    return `${withoutTokens(path)}: expected was\n${texts[0]}\nand there came\n${texts[1]}`;
  });
}

/** The value of a header, whatever its case. */
export function headerOf(answer: Answer, name: string): string | undefined {
  return answer.headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

function pairs(raw: readonly string[]): [string, string][] {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return headers;
}
