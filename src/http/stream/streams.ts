/**
 * The streams: tell their callers what has changed.
 *
 * - A change is told of 100 ms later, together with those that follow it, and to a few streams in each turn of the event loop:
 *   a thousand delay no request by more than a millisecond.
 * - What a caller may hear of is decided when the stream is opened, and again after a change of the table, of names, players
 *   or memberships.
 * - Whether a stream may go on is decided before each message, and twice a second: a token can expire at any time.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { networkOf } from "../../domain/address.ts";
import { DerivedCache } from "../../domain/derived-cache.ts";
import { Failure } from "../../domain/errors.ts";
import { currentCaller } from "../../identity/callers.ts";
import { rightsVersion } from "../../identity/memberships.ts";
import type { OperationContext } from "../../operations.ts";
import { isExcluded } from "../../table/authorization.ts";
import type { Caller } from "../../table/caller.ts";
import { isAllowed } from "../../table/restriction/restriction.ts";
import type { Table } from "../../table/table.ts";
import { connectionLimit } from "../descriptors.ts";
import { alive, EventStream, eventOf } from "./event-stream.ts";
import { currentEvents, eventRoutes, type Topic, topicsOf } from "./topics.ts";

/** How long changes are collected, in milliseconds, and those of frequent topics. */
const collectMilliseconds = 100;
const frequentMilliseconds = 5_000;
/** How often it is decided whether streams may go on, in milliseconds. */
const reviewMilliseconds = 500;
/** For how long one turn of the event loop serves streams, in milliseconds. */
const turnMilliseconds = 1;
/** The most streams of visitors where the table does not say it. */
const defaultMost = 2000;
/** The most streams of one player. Those beyond end the oldest, which may be that of a connection that was lost. */
const mostOfPlayer = 10;
/** The most streams of visitors, and the most with public tokens, of one network: a stranger must not take all. */
const mostOfNetwork = 100;

/** What a stream tells. */
interface Rights {
  /** All topics, from which they were decided. */
  readonly all: readonly Topic[];
  readonly topics: readonly Topic[];
  /** Whether it has the current events. */
  readonly hasEvents: boolean;
}

/** Whom a stream is for. */
interface Subscription {
  readonly stream: EventStream;
  /** Undefined for a visitor without a token. */
  readonly caller: Caller | undefined;
  /** The score that is told to a visitor instead of all current events. */
  readonly score: string | undefined;
  /** The id of the player, or else the network. */
  readonly owner: string;
  rights: Rights;
}

export class Streams {
  readonly #data: OperationContext;
  readonly #warn: (message: string, error: unknown) => void;
  readonly #subscriptions = new Set<Subscription>();
  #table: Table | undefined;
  /** How many tables were put in force that declared something else, which can change every answer. */
  #declarations = 0;
  readonly #derived = new DerivedCache<readonly Topic[]>(1);
  /** The version of each topic as of the last time. */
  #versions = new Map<string, string>();
  #frequentAt = 0;
  #isFollowing = false;
  #isChanged = false;
  #wake = () => {};

  constructor(data: OperationContext, warn: (message: string, error: unknown) => void = () => {}) {
    this.#data = data;
    this.#warn = warn;
    for (const rows of Object.values(data.store.data)) rows.watch(() => this.#changed());
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  /** Puts a table in force. */
  use(table: Table): void {
    const answersBy = (one: Table | undefined) => [one?.language, one?.excludedGroup, one?.declared];
    if (!isDeepStrictEqual(answersBy(this.#table), answersBy(table))) this.#declarations += 1;
    this.#table = table;
    this.#changed();
  }

  /** Notes that something has changed. */
  #changed(): void {
    this.#isChanged = true;
    this.#wake();
  }

  /**
   * Opens a stream of what a caller may read, or a visitor's of a score.
   * @throws Failure `STORE_UNAVAILABLE` if too many are open
   */
  open(caller: Caller | undefined, address: string | undefined, score?: string): EventStream {
    // Together they leave connections for requests.
    const part = Math.floor(connectionLimit() / (caller === undefined ? 4 : 2));
    const most = Math.min(this.#table?.stream?.most ?? defaultMost, part);
    const owner = caller?.id ?? networkOf(address ?? "");
    const isAlike = (other: Subscription) => (other.caller === undefined) === (caller === undefined);
    const among = () => [...this.#subscriptions].filter(isAlike);
    const own = () => among().filter((other) => other.owner === owner);
    const isPlayer = typeof caller?.id === "string";
    if (!isPlayer && own().length >= mostOfNetwork) throw tooMany(mostOfNetwork, " from one network");
    const replaces = isPlayer && own().length >= mostOfPlayer;
    if (!replaces && among().length >= most) throw tooMany(most);
    // Nobody has heard of the versions before.
    if (this.size === 0) this.#changedTopics(true);
    // Only now: HEAD opens a stream that never begins.
    const endOldest = () => {
      const all = isPlayer ? own() : [];
      if (all.length > mostOfPlayer) all[0]?.stream.end();
    };
    const heartbeat = caller === undefined ? alive : undefined;
    const stream = new EventStream(endOldest, () => this.#subscriptions.delete(subscription), heartbeat);
    const subscription: Subscription = { stream, caller, score, owner, rights: this.#rightsOf(caller) };
    if (subscription.rights.hasEvents) stream.push(this.#table && currentEvents(this.#table, score));
    this.#subscriptions.add(subscription);
    if (!this.#isFollowing) void this.#follow();
    return stream;
  }

  close(): void {
    for (const { stream } of this.#subscriptions) stream.end();
  }

  /** The topics of the table in force, with the present names. When either changes, rights are decided again. */
  get #topics(): readonly Topic[] {
    const { routes = [] } = this.#table ?? {};
    const dependencies = [this.#table, rightsVersion(this.#data.store.data)];
    return this.#derived.get("topics", dependencies, () => topicsOf({ routes }, this.#data.vocabulary()));
  }

  #rightsOf(caller: Caller | undefined): Rights {
    const all = this.#topics;
    if (caller === undefined) return { all, topics: [], hasEvents: true };
    const hasEvents = eventRoutes(this.#table).some(({ restriction }) => isAllowed(restriction, caller, {}));
    return { all, topics: all.filter((topic) => topic.isFor(caller)), hasEvents };
  }

  /** Serves the streams until none is open. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    while (this.size > 0) {
      const change = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (!this.#isChanged) await Promise.race([change, pause(reviewMilliseconds)]);
      if (this.#isChanged) await pause(collectMilliseconds);
      this.#isChanged = false;
      await this.#serve().catch((error) => this.#warn("Streams could not be served.", error));
    }
    this.#isFollowing = false;
  }

  /** Returns the keys of the topics that have changed since the last time. @param isFirst whether there was none */
  #changedTopics(isFirst = false): ReadonlySet<string> {
    const now = performance.now();
    const isFrequentDue = isFirst || now >= this.#frequentAt + frequentMilliseconds;
    if (isFrequentDue) this.#frequentAt = now;
    const versions = new Map<string, string>();
    const changed = new Set<string>();
    for (const { key, isFrequent, version } of this.#topics) {
      const known = this.#versions.get(key);
      // A new topic has a version at once, with which later ones are compared.
      const isEarly = known !== undefined && isFrequent && !isFrequentDue;
      const present = isEarly ? known : `${this.#declarations} ${version()}`;
      versions.set(key, present);
      // Those who may read a new topic hear of it because they may.
      if (known !== undefined && known !== present) changed.add(key);
    }
    this.#versions = versions;
    return changed;
  }

  /** Tells all streams what has changed, and ends those that may not go on. */
  async #serve(): Promise<void> {
    const changed = this.#changedTopics();
    const events = new Map<string | undefined, Buffer | undefined>();
    let end = performance.now() + turnMilliseconds;
    for (const subscription of this.#subscriptions) {
      if (performance.now() > end) {
        await setImmediate();
        end = performance.now() + turnMilliseconds;
      }
      this.#update(subscription, changed, events);
    }
  }

  /** @param events those that another stream has been sent, by score */
  #update(
    subscription: Subscription,
    changed: ReadonlySet<string>,
    events: Map<string | undefined, Buffer | undefined>,
  ): void {
    const { stream, caller, score, rights: before } = subscription;
    const current = this.#currentOf(caller);
    if (current === false) {
      stream.end();
      return;
    }
    if (current !== undefined && before.all !== this.#topics) subscription.rights = this.#rightsOf(current);
    const { topics, hasEvents } = subscription.rights;
    if (hasEvents && !events.has(score)) events.set(score, this.#table && currentEvents(this.#table, score));
    const event = hasEvents ? events.get(score) : undefined;
    // Its score has left the table.
    if (caller === undefined && event === undefined) stream.end();
    stream.push(event);
    const known = topics === before.topics ? undefined : new Set(before.topics.map(({ key }) => key));
    if (changed.size > 0 || known !== undefined) {
      const news = topics.filter(({ key }) => changed.has(key) || known?.has(key) === false);
      const resources = [...new Set(news.map(({ resource }) => resource))];
      if (resources.length > 0) stream.write(eventOf("changed", JSON.stringify({ resources })));
    }
    stream.beat(performance.now());
  }

  /** Returns a caller as the data has it now, undefined for a visitor, or false if the stream has to end. */
  #currentOf(caller: Caller | undefined): Caller | undefined | false {
    if (caller === undefined)
      return this.#table?.pages.some(({ name }) => name === "overlay") ? undefined : false;
    if (this.#table?.stream === undefined || this.#data.store.shared?.unfit !== undefined) return false;
    try {
      const current = currentCaller(this.#data.store.data, caller, this.#data.now());
      return isExcluded(this.#table, current) ? false : current;
    } catch {
      return false;
    }
  }
}

function tooMany(most: number, where = ""): Failure {
  return new Failure("STORE_UNAVAILABLE", `Too many streams are open${where}.`, {
    hint: `At most ${most} can be open at a time. Connect again later, and fetch what you show meanwhile.`,
  });
}

function pause(milliseconds: number): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false });
}
