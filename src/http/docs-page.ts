/**
 * The documentation page at `/docs`, on which Swagger UI shows the description of the interface, and the start page at
 * `/`, which links to it: HTML for browsers, JSON for programs. The service serves all their files itself, so that they
 * work on a closed network and no other server learns of their use. Each file is read when it is first requested.
 */
import { readFile } from "node:fs/promises";
import { ReadyBody } from "../engine/body.ts";
import { elementForm, qualityIn } from "../engine/quality.ts";
import { readAnswer } from "../engine/response.ts";
import { title as usualTitle } from "../openapi/service-description.ts";
import { packaged } from "../packaged.ts";
import type { Table } from "../table/table.ts";
import { type DescriptionForm, descriptionPath } from "./description-pages.ts";
import { type Page, withSlash } from "./page.ts";
import { markup } from "./pages/markup.ts";

type Titled = Pick<Table, "prefix" | "title">;

/** The path of the page. Its files are below. */
export const docsPath = "/docs";
const startPath = "/";

export const html = "text/html; charset=utf-8";
export const css = "text/css; charset=utf-8";
export const js = "text/javascript; charset=utf-8";
const json = "application/json; charset=utf-8";
/** Also for Markdown: browsers download `text/markdown` instead of showing it. */
const text = "text/plain; charset=utf-8";

export function readPackaged(name: string): Promise<Buffer> {
  return readFile(packaged(name));
}

/** Reads a page. Replaces `{{title}}`, and `{{openapi.json}}` and `{{openapi.yaml}}` with the paths of the description. */
async function readPage(name: string, { prefix, title = usualTitle }: Titled): Promise<Buffer> {
  const content = (await readPackaged(`src/http/docs-page/${name}`)).toString();
  const toValue = (_: string, key: DescriptionForm | "title") =>
    markup`${key === "title" ? title : descriptionPath(prefix, key)}`.value;
  return Buffer.from(content.replace(/\{\{(title|openapi\.(?:json|yaml))\}\}/g, toValue));
}

const clientGuide = `${docsPath}/clients.md`;
const typescriptClient = `${docsPath}/typescript-client.md`;

/** Returns the start page for programs: the paths of the documentation. */
function startLinks(prefix: string): Buffer {
  const links = {
    documentation: docsPath,
    openapiJson: descriptionPath(prefix, "openapi.json"),
    openapiYaml: descriptionPath(prefix, "openapi.yaml"),
    clientGuide,
    typescriptClient,
  };
  return Buffer.from(JSON.stringify(links));
}

/** The files below the page. A request's path is only looked up, and never becomes the name of a file. */
const files: readonly (readonly [path: string, name: string, type: string])[] = [
  [`${docsPath}/page.css`, "src/http/docs-page/page.css", css],
  [`${docsPath}/page.js`, "src/http/docs-page/page.js", js],
  [`${docsPath}/description.js`, "src/http/docs-page/description.js", js],
  [`${docsPath}/plugin.js`, "src/http/docs-page/plugin.js", js],
  [`${docsPath}/swagger-ui.css`, "dist/swagger-ui/swagger-ui.css", css],
  [`${docsPath}/swagger-ui.js`, "dist/swagger-ui/swagger-ui-bundle.js", js],
  [clientGuide, "docs/clients.md", text],
  [typescriptClient, "client/typescript/README.md", text],
];

/**
 * The pages may use scripts and styles of this service, and send requests to it. Swagger UI's arrows are images in its
 * style sheet (`data:`). It needs nothing inline: React sets styles through the DOM.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Returns the headers that restrict a page. @param forms where its forms may lead */
export function protection(forms: "'none'" | "'self'"): readonly string[] {
  const all = [...policy, `form-action ${forms}`].join("; ");
  return ["Content-Security-Policy", all, "X-Frame-Options", "DENY"];
}

/**
 * Returns a page that answers with a file. If that cannot be read, the next request tries again.
 * @param name in the log
 */
export function filePage(name: string, type: string, read: () => Promise<Buffer>): Page {
  const headers = ["Content-Type", type, ...(type === json ? [] : protection("'none'"))];
  let cached: Promise<ReadyBody> | undefined;
  const readBody = async () => {
    const body = new ReadyBody(await read(), { cached: true });
    await body.compress();
    return body;
  };
  return {
    name,
    isExact: true,
    async answer(request, requestId) {
      cached ??= readBody().catch((error) => {
        cached = undefined;
        throw error;
      });
      return readAnswer(await cached, request, requestId, headers);
    },
  };
}

/** Returns the pages of a table, by path. @param home answers a browser at the start page */
export function docsPages(table: Titled, home?: Page["answer"]): [string, Page][] {
  const links = filePage(startPath, json, async () => startLinks(table.prefix));
  const answerBrowser = home ?? filePage(startPath, html, () => readPage("start.html", table)).answer;
  const start: Page = {
    ...links,
    async answer(request, requestId) {
      const isHTML = prefersHTML(request.header("accept") ?? "");
      const answer = await (isHTML ? answerBrowser : links.answer)(request, requestId);
      return { ...answer, headers: [...answer.headers, "Vary", "Accept"] };
    },
  };
  const docs = filePage(docsPath, html, () => readPage("page.html", table));
  const below = files.map(([path, name, type]): [string, Page] => [
    path,
    filePage(docsPath, type, () => readPackaged(name)),
  ]);
  return [[startPath, start], ...withSlash(docsPath, docs), ...below];
}

const htmlForm = elementForm("text/html");
const jsonForm = elementForm("application/json");

/**
 * Returns whether an `Accept` names HTML with a higher quality than JSON, as browsers do (RFC 9110, section 12.5.1).
 * Wildcards do not count, since programs send them.
 */
function prefersHTML(accept: string): boolean {
  return (qualityIn(accept, htmlForm) ?? 0) > (qualityIn(accept, jsonForm) ?? 0);
}
