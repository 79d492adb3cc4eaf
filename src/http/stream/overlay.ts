/** The stream of the gang war's score, for the overlay: a page without a token, so it needs none either. */
import { readAnswer } from "../../engine/response.ts";
import type { Table } from "../../table/table.ts";
import type { Page } from "../page.ts";
import type { Streams } from "./streams.ts";

const path = "/overlay/gangwar/stream";
const score = "gangwar";

/** Whether a table serves the overlay. */
export function servesOverlay({ pages }: Table): boolean {
  return pages.some(({ name }) => name === "overlay");
}

/** Returns the stream, by path: `event: score` with the score of `/event`, at the beginning and whenever it changes. */
export function overlayStream(streams: Streams): [string, Page][] {
  const page: Page = {
    name: path,
    answer: (request, requestId) => readAnswer(streams.openScore(score), request, requestId),
  };
  return [path, `${path}/`].map((each) => [each, page]);
}
