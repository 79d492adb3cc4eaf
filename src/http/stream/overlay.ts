/** The streams of scores, for the overlays: pages without a token, so they need none either. */
import { readAnswer } from "../../engine/response.ts";
import type { Table } from "../../table/table.ts";
import { type Page, withSlash } from "../page.ts";
import type { Streams } from "./streams.ts";

/** Returns the stream of each overlay, by path: `event: score` with the score of `/event`, at the beginning and whenever it changes. */
export function overlayStreams(streams: Streams, { pages }: Table): [string, Page][] {
  return pages
    .filter(({ name }) => name === "overlay")
    .flatMap(({ path: overlay }) => {
      const path = `${overlay}/stream`;
      const score = overlay.slice(overlay.lastIndexOf("/") + 1);
      return withSlash(path, {
        name: path,
        answer: (request, requestId) =>
          readAnswer(streams.open(undefined, request.address, score), request, requestId),
      });
    });
}
