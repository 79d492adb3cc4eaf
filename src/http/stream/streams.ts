/**
 * The streams: tell their callers what has changed.
 *
 * - A change is told of 100 ms later, together with those that follow it, and to a few streams in each turn of the event loop:
 *   a thousand delay no request by more than a millisecond.
 * - What a caller may hear of is decided when the stream is opened, and again after a change of the table, of names, players
 *   or memberships. Callers with the same rights form an audience, and share their messages.
 * - Whether a stream may go on is decided before each message, and twice a second: a token can expire at any time.
 */
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import { Failure } from "../../domain/errors.ts";
import { isExcluded } from "../../table/authorization.ts";
import type { Caller, Vocabulary } from "../../table/caller.ts";
import { isAllowed } from "../../table/restriction/restriction.ts";
import type { Table } from "../../table/table.ts";
import { connectionLimit } from "../descriptors.ts";
import { EventStream } from "./event-stream.ts";
import { type Audience, Messages } from "./messages.ts";
import { currentEvents, currentScore, eventRoute, Push, type Topic, topicsOf } from "./topics.ts";

/** How long changes are collected, in milliseconds, and those of frequent topics. */
const collectMilliseconds = 100;
const frequentMilliseconds = 5_000;
/** How often it is decided whether streams may go on, in milliseconds. */
const reviewMilliseconds = 500;
/** For how long one turn of the event loop serves streams, in milliseconds. */
const turnMilliseconds = 1;
/** The most streams of visitors where the table does not say it. */
const defaultMost = 2000;
/** The most audiences to remember: others have messages of their own. */
const maxAudiences = 1000;

export interface StreamsOptions {
  readonly now: () => number;
  readonly vocabulary: () => Vocabulary;
  /** Returns a caller as the data has it now. @throws Failure `TOKEN_…` */
  readonly current: (caller: Caller, now: number) => Caller;
  /** Returns what grows with every change of names, players and memberships. */
  readonly rights: () => number;
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** Whom a stream is for. */
interface Subscription {
  readonly stream: EventStream;
  /** Undefined for a visitor without a token. */
  readonly caller: Caller | undefined;
  audience: Audience;
  /** The last event of the audience's push. */
  pushed: Buffer | undefined;
}

/** See the head of this file. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #callers = new Set<Subscription>();
  readonly #visitors = new Set<Subscription>();
  #table: Table | undefined;
  #hasOverlay = false;
  /** Grows with what tables declare, which can change every answer. */
  #declared = 0;
  /** What topics and audiences are made from, as text: they are made anew when it changes. */
  #basis = "";
  #topics: readonly Topic[] = [];
  /** The version of each topic as of the last time. */
  #versions = new Map<string, string>();
  readonly #audiences = new LRUCache<string, Audience>({ max: maxAudiences });
  readonly #events = new Push("event", () => this.#table && currentEvents(this.#table));
  readonly #scores = new Map<string, Push>();
  #frequentAt = 0;
  #collecting: NodeJS.Timeout | undefined;
  #reviewing: NodeJS.Timeout | undefined;
  #isServing = false;
  #isBehind = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#callers.size + this.#visitors.size;
  }

  /** Puts a table in force. @param hasOverlay whether visitors can open streams of scores */
  use(table: Table, hasOverlay: boolean): void {
    if (!isDeepStrictEqual(this.#table?.declared, table.declared)) this.#declared += 1;
    this.#table = table;
    this.#hasOverlay = hasOverlay;
    this.#basis = "";
    this.changed();
  }

  /** Notes that data has changed. */
  changed(): void {
    if (this.size === 0 || this.#collecting !== undefined) return;
    this.#collecting = setTimeout(() => {
      this.#collecting = undefined;
      void this.#serve();
    }, collectMilliseconds).unref();
  }

  /** Opens a stream of what a caller may read. @throws Failure `STORE_UNAVAILABLE` if too many are open */
  open(caller: Caller): EventStream {
    return this.#open(this.#callers, caller, () => this.#audienceOf(caller));
  }

  /** Opens a visitor's stream of a score. @throws Failure as {@link open} */
  openScore(name: string): EventStream {
    const push =
      this.#scores.get(name) ?? new Push("score", () => this.#table && currentScore(this.#table, name));
    this.#scores.set(name, push);
    return this.#open(this.#visitors, undefined, () => ({ basis: "", topics: [], push }));
  }

  /** Ends all streams. */
  close(): void {
    for (const { stream } of this.#subscriptions()) stream.end();
    clearTimeout(this.#collecting);
  }

  *#subscriptions(): Generator<Subscription> {
    yield* this.#callers;
    yield* this.#visitors;
  }

  #open(among: Set<Subscription>, caller: Caller | undefined, audience: () => Audience): EventStream {
    const most = Math.min(this.#table?.stream?.most ?? defaultMost, Math.floor(connectionLimit() / 2));
    if (among.size >= most) {
      throw new Failure("STORE_UNAVAILABLE", "Too many streams are open.", {
        hint: `At most ${most} can be open at a time. Connect again later, and fetch what you show meanwhile.`,
      });
    }
    this.#refresh();
    if (this.size === 0) this.#start();
    const stream = new EventStream(
      () => {
        const { push } = subscription.audience;
        push?.update();
        subscription.pushed = push?.event;
        return push?.event === undefined ? [] : [push.event];
      },
      () => {
        among.delete(subscription);
        if (this.size === 0) clearInterval(this.#reviewing);
      },
    );
    const subscription: Subscription = { stream, caller, audience: audience(), pushed: undefined };
    among.add(subscription);
    return stream;
  }

  /** Follows changes from now on. */
  #start(): void {
    this.#versions.clear();
    this.#frequentAt = Number.NEGATIVE_INFINITY;
    this.#changedTopics();
    this.#reviewing = setInterval(() => void this.#serve(), reviewMilliseconds).unref();
  }

  /** Makes the topics and audiences anew if what they are made from has changed. */
  #refresh(): void {
    const basis = `${this.#declared} ${this.#options.rights()}`;
    if (this.#table === undefined || basis === this.#basis) return;
    this.#basis = basis;
    this.#topics = topicsOf(this.#table, this.#options.vocabulary());
    this.#audiences.clear();
  }

  #audienceOf(caller: Caller): Audience {
    const route = this.#table && eventRoute(this.#table);
    const push = route !== undefined && isAllowed(route.restriction, caller, {}) ? this.#events : undefined;
    const topics = this.#topics.filter((topic) => topic.isFor(caller));
    const key = [push !== undefined, ...topics.map((topic) => topic.key)].join("\n");
    const audience = this.#audiences.get(key) ?? { basis: this.#basis, topics, push };
    this.#audiences.set(key, audience);
    return audience;
  }

  /** Returns the keys of the topics that have changed since the last time. */
  #changedTopics(): ReadonlySet<string> {
    const now = performance.now();
    const isFrequentDue = now >= this.#frequentAt + frequentMilliseconds;
    if (isFrequentDue) this.#frequentAt = now;
    const versions = new Map<string, string>();
    const changed = new Set<string>();
    for (const { key, isFrequent, version } of this.#topics) {
      const known = this.#versions.get(key);
      const present = isFrequent && !isFrequentDue ? known : `${this.#declared} ${version()}`;
      if (present !== undefined) versions.set(key, present);
      // A new topic is told of to those who may read it; see `#update`.
      if (known !== undefined && known !== present) changed.add(key);
    }
    this.#versions = versions;
    return changed;
  }

  /** Tells all streams what has changed, and ends those that may not go on. */
  async #serve(): Promise<void> {
    if (this.#isServing) {
      this.#isBehind = true;
      return;
    }
    this.#isServing = true;
    try {
      await this.#serveInTurns();
    } catch (error) {
      this.#options.warn?.("The streams could not be served.", error);
    }
    this.#isServing = false;
    if (this.#isBehind) this.changed();
    this.#isBehind = false;
  }

  async #serveInTurns(): Promise<void> {
    this.#refresh();
    const changed = this.#changedTopics();
    for (const push of [this.#events, ...this.#scores.values()]) push.update();
    const messages = new Messages(changed);
    let end = performance.now() + turnMilliseconds;
    for (const subscription of this.#subscriptions()) {
      if (performance.now() > end) {
        await setImmediate();
        end = performance.now() + turnMilliseconds;
      }
      this.#update(subscription, messages);
    }
  }

  #update(subscription: Subscription, messages: Messages): void {
    const { stream, caller, audience: before } = subscription;
    // The table and the data may have changed since the last turn.
    this.#refresh();
    const current = this.#currentOf(caller);
    if (current === false) {
      stream.end();
      return;
    }
    if (current !== undefined && before.basis !== this.#basis)
      subscription.audience = this.#audienceOf(current);
    const { audience, pushed } = subscription;
    const { push } = audience;
    if (push?.event !== undefined && push.event !== pushed) {
      subscription.pushed = push.event;
      stream.write(push.event);
    }
    const message = messages.of(audience, before);
    if (message !== undefined) stream.write(message);
    stream.comment(performance.now());
  }

  /** Returns a caller as the data has it now, undefined for a visitor, or false if the stream has to end. */
  #currentOf(caller: Caller | undefined): Caller | undefined | false {
    if (caller === undefined) return this.#hasOverlay ? undefined : false;
    if (this.#table?.stream === undefined) return false;
    try {
      const current = this.#options.current(caller, this.#options.now());
      return isExcluded(this.#table, current) ? false : current;
    } catch {
      return false;
    }
  }
}
