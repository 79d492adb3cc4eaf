/**
 * The answer of `/mgmt/users` as ready bytes. It is as long as there are clients, and anybody can change one of them with
 * each request. So with many clients it is rebuilt at most once a second, in short slices of the event loop.
 */
import { createHash } from "node:crypto";
import { ReadyBody } from "../engine/body.ts";
import type { Clients } from "../identity/clients.ts";

/** Up to so many clients the list is always exact: it is built at once, in about 1 ms. */
export const mostAtOnce = 1000;
/** With more, so many milliseconds pass from the beginning of one rebuild to the next. */
export const rebuildMilliseconds = 1000;
/** For how long a slice goes on. What follows the last look at the clock, and a collection of garbage, come on top. */
const sliceMilliseconds = 2;
/** How many clients are written between two looks at the clock: 0.1 ms. */
const page = 100;

interface Built {
  readonly body: ReadyBody;
  /** The version of the clients that it was begun with. */
  readonly version: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly begun: number;
}

/** See the head of this file. */
export class UserList {
  readonly #clients: Clients;
  #built: Built | undefined;
  #building: Promise<ReadyBody> | undefined;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /**
   * Returns the list. Beyond {@link mostAtOnce} clients it is up to a second old, and two while it is rebuilt; those who
   * ask while there is none of that age wait for the same rebuild.
   */
  at(now: number): ReadyBody | Promise<ReadyBody> {
    const { total } = this.#clients.at(now);
    const { version } = this.#clients;
    const built = this.#built;
    if (built?.version === version) return built.body;
    if (total <= mostAtOnce) {
      const body = new ReadyBody(this.#clients.list(), { cached: true });
      this.#built = { body, version, begun: now };
      return body;
    }
    const age = built === undefined || now < built.begun ? Number.POSITIVE_INFINITY : now - built.begun;
    if (built !== undefined && age < rebuildMilliseconds) return built.body;
    this.#building ??= this.#rebuild(version, now).finally(() => {
      this.#building = undefined;
    });
    if (built === undefined || age >= 2 * rebuildMilliseconds) return this.#building;
    // Nobody may be waiting for it: whoever comes after a failure has it rebuilt.
    this.#building.catch(() => {});
    return built.body;
  }

  async #rebuild(version: number, begun: number): Promise<ReadyBody> {
    const hash = createHash("sha1");
    const pieces: Buffer[] = [];
    const add = (text: string) => {
      const piece = Buffer.from(text);
      hash.update(piece);
      pieces.push(piece);
    };
    let after: string | undefined = "";
    while (after !== undefined) {
      // Also before the first slice: the request that begins this has its own turn.
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
    this.#built = { body, version, begun };
    return body;
  }
}
