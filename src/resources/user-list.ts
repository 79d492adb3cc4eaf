/**
 * The answer of `/mgmt/users` as bytes. Its length grows with the number of clients, and any request may change one of
 * them: with many clients it is rebuilt at most once a second, in short slices of the event loop.
 */
import { createHash } from "node:crypto";
import { ReadyBody } from "../engine/body.ts";
import type { Clients } from "../identity/clients.ts";

/** Up to this number of clients, every answer is built at once, in about 1 ms. */
export const mostAtOnce = 1000;
/** With more, the milliseconds from the start of one rebuild to the next. */
export const rebuildMilliseconds = 1000;
/** The length of a slice; the last page and a garbage collection come on top. */
const sliceMilliseconds = 2;
/** The clients that are written between two checks of the clock, which takes 0.1 ms. */
const page = 100;

interface Built {
  readonly body: ReadyBody;
  /** The version of the clients when the build started. */
  readonly version: number;
  /** When the build started, in milliseconds since 1970. */
  readonly started: number;
}

/** The list of all clients. */
export class UserList {
  readonly #clients: Clients;
  #built: Built | undefined;
  #building: Promise<ReadyBody> | undefined;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /**
   * Returns the list. With more than {@link mostAtOnce} clients it is up to one second old, or two during a rebuild.
   * Requests that find none of that age wait for the same rebuild.
   */
  at(now: number): ReadyBody | Promise<ReadyBody> {
    const { total } = this.#clients.at(now);
    const { version } = this.#clients;
    const built = this.#built;
    if (built?.version === version) return built.body;
    if (total <= mostAtOnce) {
      const body = new ReadyBody(this.#clients.list(), { cached: true });
      this.#built = { body, version, started: now };
      return body;
    }
    const age = built === undefined || now < built.started ? Number.POSITIVE_INFINITY : now - built.started;
    if (built !== undefined && age < rebuildMilliseconds) return built.body;
    this.#building ??= this.#rebuild(version, now).finally(() => {
      this.#building = undefined;
    });
    if (built === undefined || age >= 2 * rebuildMilliseconds) return this.#building;
    // Nobody waits for this rebuild. After a failure the next request starts another.
    this.#building.catch(() => {});
    return built.body;
  }

  async #rebuild(version: number, started: number): Promise<ReadyBody> {
    const hash = createHash("sha1");
    const pieces: Buffer[] = [];
    const add = (text: string) => {
      const piece = Buffer.from(text);
      hash.update(piece);
      pieces.push(piece);
    };
    let after: string | undefined = "";
    while (after !== undefined) {
      // Before the first slice too: the request that starts the rebuild is still being answered.
      await new Promise(setImmediate);
      const end = performance.now() + sliceMilliseconds;
      while (after !== undefined && performance.now() < end) {
        const clients = this.#clients.list(page, after);
        const last = clients.at(-1)?.uuid;
        if (last !== undefined) add((pieces.length === 0 ? "[" : ",") + JSON.stringify(clients).slice(1, -1));
        after = last;
      }
    }
    add(pieces.length === 0 ? "[]" : "]");
    await new Promise(setImmediate);
    const body = new ReadyBody(Buffer.concat(pieces), { cached: true, digest: hash.digest("base64url") });
    this.#built = { body, version, started };
    return body;
  }
}
