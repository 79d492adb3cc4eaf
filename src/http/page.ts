/** Pages: answers at fixed paths that are not in the route table and need no token. */
import { Exchange, methodNotAllowed, type Observer, readMethods } from "../engine/exchange.ts";
import type { IncomingRequest } from "../engine/request.ts";
import { type Answer, preflightAnswer } from "../engine/response.ts";

export interface Page {
  /** Its name in the log. */
  readonly name: string;
  /** Whether only its path as it is leads to it. h3 normalises even `http://[` to `/`. */
  readonly isExact?: boolean;
  /**
   * Whether it is for supervisors and load balancers: requests for it are neither limited nor, unless they fail by a fault
   * of the service, logged.
   */
  readonly isProbe?: boolean;
  /** Answers GET and HEAD. @throws if it cannot be read, which is answered with `INTERNAL` */
  answer(request: IncomingRequest, requestId: string): Answer | Promise<Answer>;
}

export type Pages = ReadonlyMap<string, Page>;

/** Returns a page with its path, and with a slash at its end, which is ignored as with the paths of the table. */
export function withSlash(path: string, page: Page): [string, Page][] {
  return [path, `${path}/`].map((variant) => [variant, page]);
}

/**
 * Answers a request for a page. A failure is an answer, too.
 * @param limit counts a request. @throws Failure if it exceeds the limit
 */
export function answerPage(
  page: Page,
  request: IncomingRequest,
  observer: Observer,
  limit: (exchange: Exchange) => void = () => {},
): Answer | Promise<Answer> {
  const { isProbe = false, name } = page;
  const observe: Observer["observe"] = (record) => {
    if (!isProbe || record.error !== undefined) observer.observe?.(record);
  };
  const exchange = new Exchange({ ...observer, observe }, request, name);
  const { requestId } = exchange;
  const { method } = request;
  return exchange.answer(() => {
    if (!isProbe) limit(exchange);
    if (method === "OPTIONS") return preflightAnswer(readMethods, requestId);
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(method);
    return page.answer(request, requestId);
  }, readMethods);
}
