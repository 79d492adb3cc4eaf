/** The body of a read: its bytes, its ETag, and a compressed form for clients that accept one, each made once. */
import { hash } from "node:crypto";
import { gzip, gzipSync } from "node:zlib";

/** Below this many bytes a compressed body saves nothing: it goes in one packet either way. */
const worthCompressing = 1024;

/** Above this many bytes a body is compressed off the event loop: `gzipSync` takes 2 ms for so many, 80 for 10 MB. */
const mostAtOnce = 256 * 1024;
/**
 * Above this many a body is never compressed: one of 10 MB, such as the list of 100,000 clients, can be rebuilt every
 * second, and the other thread would take a good part of each from those who answer.
 */
const mostCompressed = 4 * 1024 * 1024;

/** How many composed bodies are kept: one for each set of lists that some callers may read. */
const mostComposed = 64;

/** A form of a body, as it is sent. */
export interface Representation {
  readonly bytes: Buffer;
  /** Its own one: forms of a body that differ in their bytes differ in their ETag. */
  readonly etag: string;
  /** The `Content-Encoding`, or undefined for none. */
  readonly encoding: "gzip" | undefined;
}

/** See the head of this file. */
export class ReadyBody {
  readonly #plain: Representation;
  readonly #kept: boolean;
  #gzip: Representation | undefined;
  #compressing: Promise<void> | undefined;

  /** The bodies that were put together of others, by the ETags of those. */
  static readonly #composed = new Map<string, ReadyBody>();

  /**
   * @param value what JSON is made of, or its bytes
   * @param options.kept whether it is sent more than once: only then a compressed form is worth its time
   * @param options.digest the SHA-1 of the bytes in base64url, where it is known already
   */
  constructor(value: unknown, { kept = false, digest }: { kept?: boolean; digest?: string } = {}) {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    const etag = `"${digest ?? hash("sha1", bytes, "base64url")}"`;
    this.#plain = { bytes, etag, encoding: undefined };
    this.#kept = kept;
  }

  /** One object of several bodies, each under its name. Their bytes are taken as they are. */
  static of(parts: readonly (readonly [string, ReadyBody])[]): ReadyBody {
    const key = JSON.stringify(parts.map(([name, { etag }]) => [name, etag]));
    const known = ReadyBody.#composed.get(key);
    if (known !== undefined) return known;
    const pieces: Buffer[] = [];
    for (const [name, body] of parts) {
      pieces.push(
        Buffer.from(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`),
        body.#plain.bytes,
      );
    }
    pieces.push(Buffer.from(pieces.length === 0 ? "{}" : "}"));
    const composed = new ReadyBody(Buffer.concat(pieces), { kept: true });
    if (ReadyBody.#composed.size >= mostComposed) ReadyBody.#composed.clear();
    ReadyBody.#composed.set(key, composed);
    return composed;
  }

  /** The ETag of its plain form. */
  get etag(): string {
    return this.#plain.etag;
  }

  /** The form to send to a client, by its `Accept-Encoding`. A large body is sent plain until it is compressed. */
  for(acceptEncoding: string | null): Representation {
    const plain = this.#plain;
    const { length } = plain.bytes;
    if (!this.#kept || length < worthCompressing || length > mostCompressed) return plain;
    if (acceptEncoding === null || !acceptsGzip(acceptEncoding)) return plain;
    if (length > mostAtOnce) void this.compress();
    else this.#gzip ??= this.#compressed(gzipSync(plain.bytes));
    return this.#gzip ?? plain;
  }

  /** Compresses the body in another thread, once; resolves when that has ended. Where it fails the body stays plain. */
  compress(): Promise<void> {
    this.#compressing ??= new Promise((resolve) => {
      gzip(this.#plain.bytes, { chunkSize: mostAtOnce }, (error, bytes) => {
        if (error === null) this.#gzip = this.#compressed(bytes);
        resolve();
      });
    });
    return this.#compressing;
  }

  #compressed(bytes: Buffer): Representation {
    return { bytes, etag: this.#plain.etag.replace(/"$/, '-gzip"'), encoding: "gzip" };
  }

  /** Whether a client that sends this `If-None-Match` has the body already, in whichever form. */
  matches(ifNoneMatch: string): boolean {
    const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    const { etag } = this.#plain;
    return tags.some((tag) => tag === "*" || tag.replace(/-gzip"$/, '"') === etag);
  }
}

/** Whether an `Accept-Encoding` takes gzip: it is named, or `*` is, and not with a weight of 0 (RFC 9110, 12.5.3). */
function acceptsGzip(acceptEncoding: string): boolean {
  const codings = acceptEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim());
  const named = codings.find((coding) => /^(?:x-)?gzip(?:;|$|\s)/.test(coding));
  const chosen = named ?? codings.find((coding) => coding.startsWith("*"));
  return chosen !== undefined && !/;\s*q=0(?:\.0*)?$/.test(chosen);
}
