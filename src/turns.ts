/**
 * The requests that come in one turn of the event loop, handled together at its end: first each is answered, and then
 * the answers are written one after the other. Node's code that takes requests apart, the service's and the one that
 * writes to sockets then run one after the other and not in a mix. The processor's caches reward that when there is
 * much to do; a request that comes alone waits for nothing.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { sendNodeResponse } from "srvx/node";
import { type Answer, AnswerResponse } from "./engine/response.ts";

/** An answer as the engine gives it, or anything else that h3 does, which is a `Response` like any other. */
export type Answered = Answer | Response;

interface Taken {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Ready {
  readonly answered: Answered;
  readonly response: ServerResponse;
}

/** See the head of this file. */
export class Turns {
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => Answered | Promise<Answered>;
  #taken: Taken[] = [];
  #ready: Ready[] = [];
  #isScheduled = false;

  constructor(answer: (request: IncomingMessage, response: ServerResponse) => Answered | Promise<Answered>) {
    this.#answer = answer;
  }

  /** Takes a request, to be answered at the end of the turn. */
  take(request: IncomingMessage, response: ServerResponse): void {
    this.#taken.push({ request, response });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#end);
  }

  readonly #end = () => {
    this.#isScheduled = false;
    const taken = this.#taken;
    this.#taken = [];
    for (const each of taken) this.#handle(each);
    const ready = this.#ready;
    this.#ready = [];
    for (const { response, answered } of ready) send(response, answered);
  };

  #handle({ request, response }: Taken): void {
    const answered = this.#answer(request, response);
    if (!(answered instanceof Promise)) {
      this.#ready.push({ response, answered });
      return;
    }
    answered.then(
      (each) => {
        this.#ready.push({ response, answered: each });
        this.#schedule();
      },
      () => response.destroy(),
    );
  }
}

/** Writes an answer out as it is. What goes wrong in that ends the connection, and nothing else. */
function send(response: ServerResponse, answered: Answered): void {
  const answer = answered instanceof AnswerResponse ? answered.answer : answered;
  if (answer instanceof Response) {
    sendNodeResponse(response, answer).catch(() => response.destroy());
    return;
  }
  try {
    const { status, headers, body } = answer;
    response.writeHead(status, STATUS_CODES[status], headers as string[]);
    response.end(body);
  } catch {
    response.destroy();
  }
}
