/** Pages: answers at fixed paths that are not in the route table and need no token. */
import type { ReadyBody } from "../engine/body.ts";
import { Exchange, methodNotAllowed, type Observer } from "../engine/exchange.ts";
import type { IncomingRequest } from "../engine/request.ts";
import { type Answer, preflightAnswer, readAnswer } from "../engine/response.ts";

export interface Page {
  /** Its name in the log. */
  readonly name: string;
  /** Whether only its path as it is leads to it. h3 normalises even `http://[` to `/`. */
  readonly isExact?: boolean;
  /** Returns what to send. @throws if it cannot be read, which is answered with `INTERNAL` */
  content(request: IncomingRequest): Content | Promise<Content>;
}

/** What a page sends. Headers are names and values in turn. */
export interface Content {
  readonly body: ReadyBody;
  /** The headers that describe the body. */
  readonly headers: readonly string[];
  /** The headers of every successful answer, even without a body. */
  readonly always?: readonly string[];
}

/** Pages by their path. */
export type Pages = ReadonlyMap<string, Page>;

const methods = "GET, HEAD, OPTIONS";

/** Answers a request for a page. A failure is an answer, too. */
export async function answerPage(page: Page, request: IncomingRequest, observer: Observer): Promise<Answer> {
  const exchange = new Exchange(observer, request, page.name);
  const { requestId } = exchange;
  const { method } = request;
  try {
    if (method === "OPTIONS") return exchange.end(preflightAnswer(methods, requestId));
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(method);
    const { body, headers, always = [] } = await page.content(request);
    const answer = readAnswer(body, request, requestId, headers);
    return exchange.end({ ...answer, headers: [...answer.headers, ...always] });
  } catch (error) {
    return exchange.refuse(error, methods);
  }
}
