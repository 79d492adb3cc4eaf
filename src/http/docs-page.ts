/**
 * The documentation page at `/docs`: the description of the interface, to read and to try, by Swagger UI; and the start
 * page at `/`, which links to it: as HTML for a browser, as JSON for others. Everything that the pages consist of is
 * served from here, so that they work on a closed network and nobody else learns of it. Nothing is read before it is
 * first asked for.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Failure } from "../domain/errors.ts";
import { ReadyBody } from "../engine/body.ts";
import type { RawRequest } from "../engine/direct.ts";
import type { RequestRecord } from "../engine/engine.ts";
import { type Answer, failureAnswer, preflightAnswer, readAnswer } from "../engine/response.ts";
import { internalFailure } from "../engine/walk.ts";
import { descriptionPath } from "../openapi/serving.ts";
import { packaged } from "../packaged.ts";

export interface DocsPageOptions {
  /** The prefix of the route table in force. */
  readonly prefix: () => string;
  /** Told of every answer. */
  readonly observe?: (record: RequestRecord) => void;
  /** Whether `observe` is told of the client's address. */
  readonly logAddress?: boolean;
}

/** Where the page is; its files are below. */
export const docsPath = "/docs";
/** Where somebody ends up who has only the address of the service. */
const startPath = "/";
const methods = "GET, HEAD, OPTIONS";

/** The paths of the description, which follow the route table's prefix. */
interface DescriptionPaths {
  readonly "openapi.json": string;
  readonly "openapi.yaml": string;
}

/** A file that is served. */
interface PageFile {
  readonly type: string;
  readonly read: (paths: DescriptionPaths) => Promise<Buffer>;
}

const html = "text/html; charset=utf-8";
const css = "text/css; charset=utf-8";
const js = "text/javascript; charset=utf-8";
const json = "application/json; charset=utf-8";
/** Of Markdown, too: browsers download `text/markdown` instead of showing it. */
const text = "text/plain; charset=utf-8";

/** A file that came with the service. */
function own(name: string, type: string): PageFile {
  return { type, read: () => readFile(packaged(name)) };
}

/** A page in which `{{openapi.json}}` and `{{openapi.yaml}}` stand for the paths of the description. */
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

/** The start page for programs: the paths of whatever describes the service. */
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

/** All that is served, by path. What a request names is only looked up here, and never becomes the name of a file. */
const files: ReadonlyMap<string, PageFile> = new Map([
  [startPath, page("start.html")],
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
 * What the page may do: run and look like what comes from here, and ask this service. Swagger UI's arrows are pictures
 * within its style sheet (`data:`). It needs nothing inline: React sets styles through the DOM.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const protection = ["Content-Security-Policy", contentSecurityPolicy, "X-Frame-Options", "DENY"];

/** See the head of this file. */
export class DocsPage {
  readonly #options: DocsPageOptions;
  /** The prefix that the bodies were made with: they are made again when it has changed. */
  #prefix = "";
  /** The files that were asked for. */
  readonly #bodies = new Map<PageFile, Promise<ReadyBody>>();

  constructor(options: DocsPageOptions) {
    this.#options = options;
  }

  /** Answers a request for a page or a file of one, failures included; undefined for anything else. */
  answer(request: RawRequest): Promise<Answer> | undefined {
    const { url = "", headers } = request;
    if (url !== startPath && !url.startsWith(`${startPath}?`) && !url.startsWith(docsPath)) return undefined;
    const [path = ""] = url.split("?", 1);
    if (path === startPath) {
      const file = prefersHTML(headers.accept) ? files.get(path) : startLinks;
      return file && this.#answer(startPath, file, request);
    }
    const file = files.get(path);
    return file && this.#answer(docsPath, file, request);
  }

  /** @param route the name of the page in the log */
  async #answer(route: string, file: PageFile, request: RawRequest): Promise<Answer> {
    const { method = "", headers, socket } = request;
    const address = this.#options.logAddress === true ? socket?.remoteAddress : undefined;
    const started = performance.now();
    const requestId = randomUUID();
    let failure: Failure | undefined;
    let answer: Answer;
    try {
      if (method === "OPTIONS") {
        answer = preflightAnswer(methods, requestId);
      } else if (method === "GET" || method === "HEAD") {
        const conditions = {
          method,
          ifNoneMatch: headers["if-none-match"] ?? null,
          acceptEncoding: headers["accept-encoding"]?.toString() ?? null,
        };
        const content = ["Content-Type", file.type, ...(file.type === json ? [] : protection)];
        answer = readAnswer(await this.#body(file), conditions, requestId, content);
        if (route === startPath) answer = { ...answer, headers: [...answer.headers, "Vary", "Accept"] };
      } else {
        throw new Failure("METHOD_NOT_ALLOWED", `The documentation is not called by ${method}, but by GET.`);
      }
    } catch (error) {
      failure = error instanceof Failure ? error : internalFailure(error);
      const allow = failure.code === "METHOD_NOT_ALLOWED" ? ["Allow", methods] : [];
      answer = failureAnswer(failure, requestId, allow);
    }
    this.#options.observe?.({
      requestId,
      method,
      route,
      status: answer.status,
      milliseconds: performance.now() - started,
      caller: null,
      address,
      code: failure?.code ?? null,
      error: failure?.cause,
    });
    return answer;
  }

  /** A file as it is sent. It is read once; if that fails, the next request tries again. */
  #body(file: PageFile): Promise<ReadyBody> {
    const prefix = this.#options.prefix();
    if (prefix !== this.#prefix) {
      this.#bodies.clear();
      this.#prefix = prefix;
    }
    const cached = this.#bodies.get(file);
    if (cached !== undefined) return cached;
    const body = readBody(file, prefix);
    this.#bodies.set(file, body);
    body.catch(() => this.#bodies.delete(file));
    return body;
  }
}

async function readBody({ read }: PageFile, prefix: string): Promise<ReadyBody> {
  const bytes = await read({
    "openapi.json": descriptionPath(prefix, "openapi.json"),
    "openapi.yaml": descriptionPath(prefix, "openapi.yaml"),
  });
  const body = new ReadyBody(bytes, { kept: true });
  await body.compress();
  return body;
}

/**
 * Whether a request comes from a browser that is to show the answer: its `Accept` names HTML with a higher quality than
 * JSON (RFC 9110, section 12.5.1). Wildcards do not count, since programs send them.
 */
function prefersHTML(accept = ""): boolean {
  return qualityOf("text/html", accept) > qualityOf("application/json", accept);
}

function qualityOf(type: string, accept: string): number {
  for (const range of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return quality === undefined ? 1 : Number(quality.slice(2));
  }
  return 0;
}

/** A text as it is written in HTML. */
function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
