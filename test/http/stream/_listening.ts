/** A client of a stream. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type Cleanup, prefix } from "../../_setup.ts";

/** An event, with its data. */
export interface StreamEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape, and assert what they find
  readonly data: any;
}

/** An open stream. */
export class Listening {
  readonly response: IncomingMessage;
  /** Resolves when it has ended, cleanly or not. */
  readonly ended: Promise<unknown>;
  /** Everything that has arrived. */
  text = "";
  readonly #events: StreamEvent[] = [];
  #arrived = () => {};

  constructor(response: IncomingMessage) {
    this.response = response;
    let rest = "";
    response.setEncoding("utf8").on("data", (piece: string) => {
      this.text += piece;
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined) this.#events.push({ event, data: JSON.parse(data ?? "") });
      }
      this.#arrived();
    });
    response.on("error", () => {});
    this.ended = once(response, "close");
  }

  /** Returns the next event. */
  async next(): Promise<StreamEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.response.destroyed) throw new Error("the stream has ended");
      await Promise.race([new Promise<void>((resolve) => (this.#arrived = resolve)), this.ended]);
    }
  }

  /** The events that have arrived and were not returned yet. */
  get waiting(): readonly StreamEvent[] {
    return this.#events;
  }

  close(): void {
    this.response.destroy();
  }
}

/** Opens a stream at a URL; returns it whatever the status is. */
export async function listenAt(t: Cleanup, url: string, headers = {}): Promise<Listening> {
  const asked = request(url, { headers, agent: false }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  t.after(() => response.destroy());
  return new Listening(response);
}

/** Opens a caller's stream. */
export function listen(t: Cleanup, { url }: { readonly url: string }, token: string): Promise<Listening> {
  return listenAt(t, `${url}${prefix}/${token}/stream`);
}
