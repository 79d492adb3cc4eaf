/** The body of a read: its bytes, its ETag, and, for clients that accept it, its compressed form. */
import { hash } from "node:crypto";
import { gzip, gzipSync } from "node:zlib";
import { DerivedCache } from "../domain/derived-cache.ts";
import { elementForm, qualityIn } from "./quality.ts";

/** Smaller bodies, in bytes, fit into one packet either way. */
const minCompressed = 1024;

/** Larger bodies, in bytes, are compressed in another thread: `gzipSync` takes 2 ms for this size, and 80 ms for 10 MB. */
const maxSynchronous = 256 * 1024;
/**
 * Larger bodies are never compressed: one of 10 MB, such as the list of 100,000 clients, can change every second, and
 * compressing it would occupy the other thread for a good part of each.
 */
const maxCompressed = 4 * 1024 * 1024;

/** The size of the bodies that a cache keeps, in bytes. */
export const maxCached = 64 * 1024 * 1024;

/** The number of composed bodies that are cached: one for each set of lists that some callers may read. */
const maxComposed = 64;

/** A form of a body, ready to send. */
export interface Representation {
  readonly bytes: Buffer;
  /** Differs between the forms of a body, since their bytes differ. */
  readonly etag: string;
  /** The `Content-Encoding`, or undefined for none. */
  readonly encoding: "gzip" | undefined;
}

export class ReadyBody {
  readonly #plain: Representation;
  readonly #isCached: boolean;
  #gzip: Representation | undefined;
  #compressing: Promise<void> | undefined;

  /** Composed bodies, by the ETags of their parts. */
  static readonly #composed = new DerivedCache<ReadyBody>(maxComposed, maxCached, ({ size }) => size);

  /**
   * @param value a value to write as JSON, or the bytes
   * @param options.cached whether it is sent more than once: only then compressing is worth its time
   */
  constructor(value: unknown, { cached = false }: { cached?: boolean } = {}) {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    const etag = `"${hash("sha1", bytes, "base64url")}"`;
    this.#plain = { bytes, etag, encoding: undefined };
    this.#isCached = cached;
  }

  /** Returns one JSON object of several bodies, each under its name. */
  static of(parts: readonly (readonly [string, ReadyBody])[]): ReadyBody {
    const key = JSON.stringify(parts.map(([name, { etag }]) => [name, etag]));
    return ReadyBody.#composed.get(key, [], () => {
      const pieces = parts.flatMap(([name, body], index) => [
        Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`),
        body.#plain.bytes,
      ]);
      return new ReadyBody(Buffer.concat([Buffer.from("{"), ...pieces, Buffer.from("}")]), { cached: true });
    });
  }

  /** The ETag of the uncompressed form. */
  get etag(): string {
    return this.#plain.etag;
  }

  /** The size of the uncompressed form, in bytes. */
  get size(): number {
    return this.#plain.bytes.length;
  }

  /** Returns the form for a client's `Accept-Encoding`. A large body is sent uncompressed until it has been compressed. */
  for(acceptEncoding: string | null): Representation {
    const plain = this.#plain;
    const { length } = plain.bytes;
    if (!this.#isCached || length < minCompressed || length > maxCompressed) return plain;
    if (acceptEncoding === null || !acceptsGzip(acceptEncoding)) return plain;
    if (length > maxSynchronous) void this.compress();
    else this.#gzip ??= this.#compressed(gzipSync(plain.bytes));
    return this.#gzip ?? plain;
  }

  /** Compresses the body in another thread, once. If that fails, the body is sent uncompressed. */
  compress(): Promise<void> {
    this.#compressing ??= new Promise((resolve) => {
      gzip(this.#plain.bytes, { chunkSize: maxSynchronous }, (error, bytes) => {
        if (error === null) this.#gzip = this.#compressed(bytes);
        resolve();
      });
    });
    return this.#compressing;
  }

  #compressed(bytes: Buffer): Representation {
    return { bytes, etag: gzipTag(this.#plain.etag), encoding: "gzip" };
  }

  /** Returns whether an `If-None-Match` names the body, in either form. */
  matches(ifNoneMatch: string): boolean {
    const { etag } = this.#plain;
    // Quotes delimit tags, so that one cannot be part of another.
    const isNamed = ifNoneMatch.includes(etag) || ifNoneMatch.includes(gzipTag(etag));
    return isNamed || ifNoneMatch.trim() === "*";
  }
}

function gzipTag(etag: string): string {
  return `${etag.slice(0, -1)}-gzip"`;
}

const gzipForm = elementForm("(?:x-)?gzip");
const anyForm = elementForm("\\*");

/** Returns whether an `Accept-Encoding` contains gzip or `*` with a weight above 0 (RFC 9110, section 12.5.3). */
function acceptsGzip(acceptEncoding: string): boolean {
  return (qualityIn(acceptEncoding, gzipForm) ?? qualityIn(acceptEncoding, anyForm) ?? 0) > 0;
}
