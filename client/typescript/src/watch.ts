/**
 * Watching: follows the service's stream of events, and connects again when it breaks off. What a watcher has not taken yet is
 * held as a state, not as a queue: the latest events, and which resources have changed.
 */
import { GameAddonError } from "./errors.ts";
import type { Path, Result } from "./operations.ts";
import { waitBefore } from "./retrying.ts";
import type { Timing } from "./timing.ts";

/** What a watcher is told. */
export type Watched =
  /** The current events: at the beginning, and whenever they change. */
  | { readonly type: "event"; readonly event: Result<Extract<Path, "/event">> }
  /** The first segments of the paths whose answers have changed, or their resources: fetch them again, if you show them. */
  | { readonly type: "changed"; readonly resources: readonly string[] }
  /** The stream was interrupted, or began late. Anything may have changed: fetch again whatever you show. */
  | { readonly type: "missed" };

/** The result of connecting: what the service sends, or the failure, and whether another attempt may succeed. */
export type Connected =
  | { readonly body: ReadableStream<Uint8Array> }
  | { readonly error: Error; readonly isTemporary: boolean; readonly retryAfter: string | null };

/** After `changed`, a client waits a random time up to this: thousands that fetch at once would be an attack. */
const longestDelayMilliseconds = 3000;
/** The service sends something every 15 seconds. Without a byte in this time, the connection is dead. */
const silenceMilliseconds = 45_000;
/** Once a stream has lasted so long, the pauses begin again with the shortest. */
const settledMilliseconds = 60_000;
/** The first pause is as long as that before the third attempt of a call: 1 to 2 seconds. */
const firstPause = 2;

/**
 * Yields what changes, without end.
 * @throws the refusal of the service; before the first connection, any failure that is not temporary; the signal's reason
 */
export async function* watch(
  connect: (signal: AbortSignal) => Promise<Connected>,
  timing: Timing,
  signal: AbortSignal | undefined,
): AsyncGenerator<Watched, never, undefined> {
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", end, { once: true });
  const news = new News(timing, ending.signal);
  follow(connect, timing, news, ending.signal).catch((error: unknown) => news.fail(error));
  try {
    for (;;) yield await news.next();
  } finally {
    signal?.removeEventListener("abort", end);
    ending.abort();
  }
}

/** What has changed and was not taken yet. */
class News {
  readonly #timing: Timing;
  readonly #signal: AbortSignal;
  #event: Watched | undefined;
  readonly #resources = new Set<string>();
  #hasMissed = false;
  /** Whether the delay has begun, and whether it is over. */
  #isDelayed = false;
  #isDue = false;
  #failure: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(timing: Timing, signal: AbortSignal) {
    this.#timing = timing;
    this.#signal = signal;
  }

  async next(): Promise<Watched> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const news = this.#take();
      if (news !== undefined) return news;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): Watched | undefined {
    const event = this.#event;
    this.#event = undefined;
    if (event !== undefined || !this.#isDue) return event;
    const news: Watched = this.#hasMissed
      ? { type: "missed" }
      : { type: "changed", resources: [...this.#resources] };
    this.#isDelayed = this.#isDue = this.#hasMissed = false;
    this.#resources.clear();
    return news;
  }

  /** Adds an event of the stream. Those of later versions of the service are ignored. */
  add(name: string, data: string): void {
    const content: unknown = JSON.parse(data);
    if (name === "event") this.#event = { type: "event", event: content as never };
    if (name === "changed") {
      for (const resource of (content as { resources: string[] }).resources) this.#resources.add(resource);
      this.#delay();
    }
    this.#wake();
  }

  miss(): void {
    this.#hasMissed = true;
    this.#delay();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  #delay(): void {
    if (this.#isDelayed) return;
    this.#isDelayed = true;
    const over = () => {
      this.#isDue = true;
      this.#wake();
    };
    this.#timing.sleep(this.#timing.random() * longestDelayMilliseconds, this.#signal).then(over, () => {});
  }
}

/** Connects again and again. */
async function follow(
  connect: (signal: AbortSignal) => Promise<Connected>,
  timing: Timing,
  news: News,
  signal: AbortSignal,
): Promise<never> {
  let wasConnected = false;
  for (let attempt = 1; ; attempt += 1) {
    const connected = await connect(signal);
    let retryAfter: string | null = null;
    if ("body" in connected) {
      if (attempt > 1) news.miss();
      wasConnected = true;
      const began = timing.now();
      await read(connected.body, timing, news, signal).catch(() => {});
      if (timing.now() - began >= settledMilliseconds) attempt = 1;
    } else {
      // Once a stream was open, only a refusal of the service ends it: no fault, and not the error page of a CDN in between.
      const isRefused = connected.error instanceof GameAddonError && connected.error.status < 500;
      const isFinal = !wasConnected || isRefused;
      if (!connected.isTemporary && isFinal) throw connected.error;
      ({ retryAfter } = connected);
    }
    const pause = waitBefore(attempt + firstPause, retryAfter, timing) ?? silenceMilliseconds;
    await timing.sleep(pause, signal);
  }
}

/** Reads a stream to its end, or until it is silent. */
async function read(
  body: ReadableStream<Uint8Array>,
  timing: Timing,
  news: News,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const stop = () => reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  if (signal.aborted) await stop();
  try {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const silence = new AbortController();
      const isSilent = timing.sleep(silenceMilliseconds, silence.signal).then(
        () => undefined,
        () => undefined,
      );
      const next = await Promise.race([reader.read(), isSilent]).finally(() => silence.abort());
      if (next === undefined || next.done) return;
      const blocks = (rest + decoder.decode(next.value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (name !== undefined && data !== undefined) news.add(name, data);
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await stop();
  }
}
