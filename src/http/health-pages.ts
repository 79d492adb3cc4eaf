/**
 * `/health` and `/ready`, for supervisors and load balancers: whether the process answers, and whether it is ready. No
 * route can have their paths: it has at least one segment after the prefix, and the prefix has at least one. They need no
 * token, have no limit, and leave no line in the log unless they fail by a fault. Each is cheap: those who ask for `/ready` at
 * once share its checks.
 */
import { reportAnswer } from "../engine/response.ts";
import { type Page, withSlash } from "./page.ts";

/** What `/ready` answers. */
export interface Readiness {
  /** `stopping` once the service has begun to stop, `unfit` while it must not answer as one of several machines. */
  readonly status: "ready" | "stopping" | "unfit";
  /** Whether changes are accepted. Reads work in any case. */
  readonly changes: boolean;
  /** Why changes are not accepted, in one sentence without a path; null if they are. */
  readonly reason: string | null;
  /** Of one of several machines: how it differs from others, in a sentence. */
  readonly remark?: string;
}

/** Returns whether a request is for one of these pages, which are answered even while the server closes. */
export function isHealthRequest({ url = "" }: { readonly url?: string | undefined }): boolean {
  return /^\/(?:health|ready)\/?(?:\?|$)/.test(url);
}

/** Returns the pages, by path. */
export function healthPages(readiness: () => Promise<Readiness>): [string, Page][] {
  const pageAt = (name: string, answer: Page["answer"]) =>
    withSlash(name, { name, isExact: true, isProbe: true, answer });
  return [
    ...pageAt("/health", (_, requestId) => reportAnswer({ status: "ok" }, true, requestId)),
    ...pageAt("/ready", async (_, requestId) => {
      const report = await readiness();
      return reportAnswer(report, report.status === "ready", requestId);
    }),
  ];
}
