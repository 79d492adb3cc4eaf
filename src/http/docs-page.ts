/**
 * The documentation page at `/docs`, on which Swagger UI shows the description of the interface, and the start page at
 * `/`, which links to it: HTML for browsers, JSON for programs. The service serves all their files itself, so that they
 * work on a closed network and no other server learns of their use. Each file is read when it is first requested.
 */
import { readFile } from "node:fs/promises";
import { ReadyBody } from "../engine/body.ts";
import { elementForm, qualityIn } from "../engine/quality.ts";
import type { IncomingRequest } from "../engine/request.ts";
import { type Answer, readAnswer } from "../engine/response.ts";
import { packaged } from "../packaged.ts";
import { descriptionPath } from "./description-pages.ts";
import type { Page } from "./page.ts";

/** The path of the page. Its files are below. */
export const docsPath = "/docs";
const startPath = "/";

/** The paths of the description, which follow the route table's prefix. */
interface DescriptionPaths {
  readonly "openapi.json": string;
  readonly "openapi.yaml": string;
}

/** A file of the pages. */
interface PageFile {
  readonly type: string;
  readonly read: (paths: DescriptionPaths) => Promise<Buffer>;
}

export const html = "text/html; charset=utf-8";
export const css = "text/css; charset=utf-8";
export const js = "text/javascript; charset=utf-8";
const json = "application/json; charset=utf-8";
/** Also for Markdown: browsers download `text/markdown` instead of showing it. */
const text = "text/plain; charset=utf-8";

/** Returns a packaged file. */
export function own(name: string, type: string): PageFile {
  return { type, read: () => readFile(packaged(name)) };
}

/** Returns a page in which `{{openapi.json}}` and `{{openapi.yaml}}` are replaced by the paths of the description. */
function page(name: string): PageFile {
  return {
    type: html,
    async read(paths) {
      let content = (await readFile(packaged(`src/http/docs-page/${name}`))).toString();
      for (const [file, path] of Object.entries(paths)) {
        content = content.replaceAll(`{{${file}}}`, () => escaped(path));
      }
      return Buffer.from(content);
    },
  };
}

const clientGuide = `${docsPath}/clients.md`;
const typescriptClient = `${docsPath}/typescript-client.md`;

/** The start page for programs: the paths of the documentation. */
const startLinks: PageFile = {
  type: json,
  async read(paths) {
    const links = {
      documentation: docsPath,
      openapiJson: paths["openapi.json"],
      openapiYaml: paths["openapi.yaml"],
      clientGuide,
      typescriptClient,
    };
    return Buffer.from(JSON.stringify(links));
  },
};

const startPage = page("start.html");

/** All files, by path. A request's path is only looked up here, and never becomes the name of a file. */
const files: ReadonlyMap<string, PageFile> = new Map([
  [docsPath, page("page.html")],
  [`${docsPath}/`, page("page.html")],
  [`${docsPath}/page.css`, own("src/http/docs-page/page.css", css)],
  [`${docsPath}/page.js`, own("src/http/docs-page/page.js", js)],
  [`${docsPath}/description.js`, own("src/http/docs-page/description.js", js)],
  [`${docsPath}/plugin.js`, own("src/http/docs-page/plugin.js", js)],
  [`${docsPath}/swagger-ui.css`, own("dist/swagger-ui/swagger-ui.css", css)],
  [`${docsPath}/swagger-ui.js`, own("dist/swagger-ui/swagger-ui-bundle.js", js)],
  [clientGuide, own("docs/clients.md", text)],
  [typescriptClient, own("client/typescript/README.md", text)],
]);

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

type FileAnswer = (file: PageFile, request: IncomingRequest, requestId: string) => Promise<Answer>;

/** Returns what answers with a file. If it cannot be read, the next request tries again. */
function reading(paths: DescriptionPaths): FileAnswer {
  const bodies = new Map<PageFile, Promise<ReadyBody>>();
  const bodyOf = (file: PageFile) => {
    const cached = bodies.get(file);
    if (cached !== undefined) return cached;
    const body = readBody(file, paths);
    bodies.set(file, body);
    body.catch(() => bodies.delete(file));
    return body;
  };
  return async (file, request, requestId) => {
    const security = file.type === json ? [] : protection("'none'");
    return readAnswer(await bodyOf(file), request, requestId, ["Content-Type", file.type, ...security]);
  };
}

/** Returns the pages that answer with files, by path. @param name of all of them in the log */
export function filePages(
  name: string,
  files: Iterable<readonly [path: string, file: PageFile]>,
  answer = reading({ "openapi.json": "", "openapi.yaml": "" }),
): [string, Page][] {
  return Array.from(files, ([path, file]) => [
    path,
    { name, isExact: true, answer: (...asked) => answer(file, ...asked) },
  ]);
}

/** Returns the pages, by path. @param home answers a browser at the start page */
export function docsPages(prefix: string, home?: Page["answer"]): [string, Page][] {
  const answerWith = reading({
    "openapi.json": descriptionPath(prefix, "openapi.json"),
    "openapi.yaml": descriptionPath(prefix, "openapi.yaml"),
  });
  const start: Page = {
    name: startPath,
    isExact: true,
    async answer(request, requestId) {
      const isHTML = prefersHTML(request.header("accept") ?? "");
      const answer =
        isHTML && home !== undefined
          ? await home(request, requestId)
          : await answerWith(isHTML ? startPage : startLinks, request, requestId);
      return { ...answer, headers: [...answer.headers, "Vary", "Accept"] };
    },
  };
  return [[startPath, start], ...filePages(docsPath, files, answerWith)];
}

async function readBody({ read }: PageFile, paths: DescriptionPaths): Promise<ReadyBody> {
  const body = new ReadyBody(await read(paths), { cached: true });
  await body.compress();
  return body;
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

/** Escapes a text for HTML. */
function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
