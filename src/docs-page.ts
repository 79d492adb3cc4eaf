/**
 * The documentation page at `/docs`: the description of the interface, to read and to try, by Swagger UI. Everything
 * that the page consists of is served from here, so that it works on a closed network and nobody else learns of it.
 * Nothing is read before the page is first asked for.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ReadyBody } from "./engine/body.ts";
import type { RawRequest } from "./engine/direct.ts";
import type { RequestRecord } from "./engine/engine.ts";
import { descriptionPath } from "./engine/openapi-serving.ts";
import { type Answer, failureAnswer, readAnswer } from "./engine/response.ts";
import { internalFailure } from "./engine/walk.ts";
import { Failure } from "./errors.ts";
import { packaged, packagedWith } from "./packaged.ts";

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
const methods = "GET, HEAD";

/** A file of the page. */
interface PageFile {
  readonly locate: () => string;
  readonly type: string;
}

const html = "text/html; charset=utf-8";
const css = "text/css; charset=utf-8";
const js = "text/javascript; charset=utf-8";

function own(name: string, type: string): PageFile {
  return { locate: () => packaged(`src/docs-page/${name}`), type };
}

/** A file of Swagger UI, which is not always in this package's own node_modules. */
function renderer(name: string, type: string): PageFile {
  return { locate: () => packagedWith(`swagger-ui-dist/${name}`), type };
}

/** All that is served, by path. What a request names is only looked up here, and never becomes the name of a file. */
const files: ReadonlyMap<string, PageFile> = new Map([
  [docsPath, own("page.html", html)],
  [`${docsPath}/`, own("page.html", html)],
  [`${docsPath}/page.css`, own("page.css", css)],
  [`${docsPath}/page.js`, own("page.js", js)],
  [`${docsPath}/description.js`, own("description.js", js)],
  [`${docsPath}/swagger-ui.css`, renderer("swagger-ui.css", css)],
  [`${docsPath}/swagger-ui.js`, renderer("swagger-ui-bundle.js", js)],
]);

/** Where the page's HTML has the path of the description. */
const descriptionMark = "{{description}}";

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
  /** What the bodies were made with: they are made again when it is another one. */
  #description = "";
  /** The files that were asked for, by path. */
  readonly #bodies = new Map<string, Promise<ReadyBody>>();

  constructor(options: DocsPageOptions) {
    this.#options = options;
  }

  /** Answers a request for the page or a file of it, failures included; undefined for anything else. */
  answer(request: RawRequest): Promise<Answer> | undefined {
    const { url = "" } = request;
    if (!url.startsWith(docsPath)) return undefined;
    const [path = ""] = url.split("?", 1);
    const file = files.get(path);
    return file === undefined ? undefined : this.#answer(path, file, request);
  }

  async #answer(path: string, file: PageFile, request: RawRequest): Promise<Answer> {
    const { method = "", headers, socket } = request;
    const address = this.#options.logAddress === true ? socket?.remoteAddress : undefined;
    const started = performance.now();
    const requestId = randomUUID();
    let failure: Failure | undefined;
    let answer: Answer;
    try {
      if (method !== "GET" && method !== "HEAD") {
        throw new Failure("METHOD_NOT_ALLOWED", `The documentation is not called by ${method}, but by GET.`);
      }
      const conditions = {
        method,
        ifNoneMatch: headers["if-none-match"] ?? null,
        acceptEncoding: headers["accept-encoding"]?.toString() ?? null,
      };
      const content = ["Content-Type", file.type, ...protection];
      answer = readAnswer(await this.#body(path, file), conditions, requestId, content);
    } catch (error) {
      failure = error instanceof Failure ? error : internalFailure(error);
      const allow = failure.code === "METHOD_NOT_ALLOWED" ? ["Allow", methods] : [];
      answer = failureAnswer(failure, requestId, allow);
    }
    this.#options.observe?.({
      requestId,
      method,
      route: docsPath,
      status: answer.status,
      milliseconds: performance.now() - started,
      caller: null,
      address,
      code: failure?.code ?? null,
      error: failure?.cause,
    });
    return answer;
  }

  /** A file as it is sent. It is read once; where it can not be, the next request tries again. */
  #body(path: string, file: PageFile): Promise<ReadyBody> {
    const description = descriptionPath(this.#options.prefix(), "openapi.json");
    if (description !== this.#description) {
      this.#bodies.clear();
      this.#description = description;
    }
    const known = this.#bodies.get(path);
    if (known !== undefined) return known;
    const body = readBody(file, description);
    this.#bodies.set(path, body);
    body.catch(() => this.#bodies.delete(path));
    return body;
  }
}

async function readBody({ locate, type }: PageFile, description: string): Promise<ReadyBody> {
  const bytes = await readFile(locate());
  const text = () => bytes.toString().replaceAll(descriptionMark, () => escaped(description));
  const body = new ReadyBody(type === html ? Buffer.from(text()) : bytes, { kept: true });
  await body.compress();
  return body;
}

/** A text as it is written in HTML. */
function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
