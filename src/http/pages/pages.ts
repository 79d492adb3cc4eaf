/**
 * The pages that everybody may see without a token, while the route table declares them. A page calls its operation within
 * the process, as a visitor. Markup that takes long is cached until the answer changes or its time is over.
 */
import { DerivedCache } from "../../domain/derived-cache.ts";
import { ReadyBody } from "../../engine/body.ts";
import type { Engine } from "../../engine/engine.ts";
import { readAnswer } from "../../engine/response.ts";
import { visit } from "../../engine/visit.ts";
import { withoutTokens } from "../../identity/tokens.ts";
import type { OperationContext } from "../../operations.ts";
import { pageFiles, type TablePage } from "../../table/pages.ts";
import { css, filePage, html, js, protection, readPackaged } from "../docs-page.ts";
import { type Page, withSlash } from "../page.ts";
import { listViews } from "./list.ts";
import type { Markup } from "./markup.ts";
import { player, team, top } from "./people.ts";
import { Site } from "./site.ts";
import { home, overlay } from "./start.ts";
import type { PageFile, View } from "./view.ts";

/** The number of queries of a page whose markup is cached, and the longest of them. */
const [mostCached, longestQuery] = [20, 100];

const files = [
  ["page.css", css],
  ["page.js", js],
  ["overlay.css", css],
  ["overlay.js", js],
] as const;

/** Returns the pages of the engine's table, by path. That of the start page is for browsers. */
export function publicPages(engine: Engine, data: OperationContext): [string, Page][] {
  const { pages } = engine.table;
  if (pages.length === 0) return [];
  // Every command puts a table in force, but few show a page.
  let site: Site | undefined;
  const siteOf = () => {
    site ??= new Site(engine.table, data);
    return site;
  };
  return [
    ...pages.flatMap((page) => {
      const parsed = new DerivedCache<object>(1);
      return viewsOf(page).flatMap(([path, view]): [string, Page][] => {
        const answered = toPage(page, view, engine, siteOf, parsed);
        // The start page is the slash itself, and no file ends in one.
        return path === page.path && path !== "/" ? withSlash(path, answered) : [[path, answered]];
      });
    }),
    ...files.map(([name, type]): [string, Page] => [
      `${pageFiles}/${name}`,
      filePage(pageFiles, type, () => readPackaged(`src/http/pages/files/${name}`)),
    ]),
  ];
}

function viewsOf(page: TablePage): [path: string, view: View][] {
  const { name, path } = page;
  if (name === "housebans" || name === "list") return listViews(page);
  return [[path, name === "overlay" ? overlay(page) : { home, top, player, team }[name]]];
}

/** @param parsed the latest answer */
function toPage(
  page: TablePage,
  view: View,
  engine: Engine,
  siteOf: () => Site,
  parsed: DerivedCache<object>,
): Page {
  const cached = new DerivedCache<ReturnType<typeof toShown>>(mostCached);
  return {
    name: page.path,
    isExact: true,
    async answer(request, requestId) {
      const site = siteOf();
      // Normalised first, so that no percent-encoding hides a token.
      const sent = new URLSearchParams(withoutTokens(String(new URLSearchParams(request.search))));
      // A further or repeated parameter must not make the markup anew.
      const read = view.reads === "all" ? [...sent.keys()] : (view.reads ?? []);
      const query = new URLSearchParams();
      for (const name of read) if (sent.has(name)) query.set(name, sent.get(name) ?? "");
      const search = String(query);
      const { status, headers, body } = await visit(engine, page, view.input?.(query) ?? page.input);
      const etag = headers[headers.indexOf("ETag") + 1] ?? "";
      const { cachedFor = 0 } = view;
      const isCached = cachedFor > 0 && status === 200 && search.length <= longestQuery;
      const show = () => {
        const parse = () => JSON.parse(String(body));
        const content = status === 200 ? parsed.get(page.path, [etag], parse) : undefined;
        return toShown(view.show(content, site, query), isCached);
      };
      const period = Math.floor(site.data.now() / cachedFor);
      const shown = isCached ? cached.get(search, [etag, period], show) : show();
      return readAnswer(shown.body, request, requestId, shown.headers);
    },
  };
}

function toShown(content: Markup | PageFile, cached: boolean) {
  const isFile = "text" in content;
  const body = new ReadyBody(Buffer.from(isFile ? content.text : content.value), { cached });
  if (!isFile) return { body, headers: ["Content-Type", html, ...protection("'self'")] };
  const disposition = `attachment; filename="${content.name}"`;
  return {
    body,
    headers: ["Content-Type", `${content.type}; charset=utf-8`, "Content-Disposition", disposition],
  };
}
