/**
 * The service: the wiring of the store, the operations, the route table and the engine. It answers requests and runs
 * the operator's operations. `http/server.ts` serves it on a port, `cli/` on the command line.
 */

import { model } from "./domain/model.ts";
import { capitalised } from "./domain/text.ts";
import { Engine } from "./engine/engine.ts";
import { Limiter } from "./engine/limiter.ts";
import type { Answer } from "./engine/response.ts";
import { AnswerResponse } from "./http/answer-response.ts";
import { App, type AppOptions, type NodeRequest } from "./http/app.ts";
import { descriptionPages } from "./http/description-pages.ts";
import { docsPages } from "./http/docs-page.ts";
import { healthPages, type Readiness } from "./http/health-pages.ts";
import { publicPages } from "./http/pages/pages.ts";
import { overlayStreams } from "./http/stream/overlay.ts";
import { Streams } from "./http/stream/streams.ts";
import { Activity } from "./identity/activity.ts";
import { callerOf, operatorCaller, playerCaller } from "./identity/callers.ts";
import { noteUse, type Unnoted } from "./identity/invitations.ts";
import { currentVocabulary } from "./identity/memberships.ts";
import { requirePlayer } from "./identity/players.ts";
import { requireToken, tokenInText } from "./identity/tokens.ts";
import { claimOn, type OperationContext, operationsOn } from "./operations.ts";
import type { Environment } from "./operator/define.ts";
import {
  administer,
  type OperatorInput,
  type OperatorOperationName,
  type OperatorResult,
} from "./operator/index.ts";
import { renameFields } from "./operator/lists/lists.ts";
import { type ClientCount, Clients } from "./resources/clients.ts";
import { ListVersions } from "./resources/common/list-versions.ts";
import { codedResources } from "./resources/index.ts";
import { Ranking } from "./resources/ranking.ts";
import { streamForm } from "./resources/stream.ts";
import type { DataStore } from "./store/data.ts";
import { closingMilliseconds, type StoreOptions } from "./store/options.ts";
import { Store } from "./store/store.ts";
import type { Caller, Vocabulary } from "./table/caller.ts";
import type { Declarations } from "./table/declared/declarations.ts";
import type { Finding } from "./table/declared/entries.ts";
import type { Operation } from "./table/operation.ts";
import type { Table } from "./table/table.ts";
import { type ReloadCause, type Reloaded, RouteTable } from "./table-in-force/route-table.ts";

/** How often activity and the request counter are saved. */
const activityInterval = 60_000;
/** How often memberships, house bans and stored answers are removed that have ended. */
const endInterval = 500;

export interface ServiceOptions extends Omit<StoreOptions<typeof model>, "model">, AppOptions {
  /** The route table's file. */
  readonly routes: string;
  /** False turns off the limits of the table. */
  readonly limits?: boolean;
  /** Aborted when the service has been told to stop. */
  readonly stopping?: AbortSignal;
}

export class Service {
  readonly store: DataStore;
  readonly activity: Activity;
  /** What the operator's operations work on. */
  readonly environment: Environment;
  readonly #options: ServiceOptions;
  readonly #now: () => number;
  /** Undefined if limits are off. */
  readonly #limiter: Limiter | undefined;
  readonly #data: OperationContext;
  readonly streams: Streams;
  /** Holds the route table in force. */
  readonly routes: RouteTable<App>;
  #timers: readonly NodeJS.Timeout[] = [];
  /** The removal under way of what has ended, and whether it is known that the last one failed. */
  #removal: Promise<void> | undefined;
  #hasWarned = false;
  /** The tokens whose first use is not saved yet. */
  readonly #unnoted: Unnoted = new Map();
  #renaming: Promise<void> = Promise.resolve();
  /** The check of the disk under way, which all who ask meanwhile share. */
  #problem: Promise<string | undefined> | undefined;

  /** @param store is closed with the service */
  constructor(store: DataStore, options: ServiceOptions) {
    this.store = store;
    this.vocabulary = currentVocabulary(store.data);
    this.activity = new Activity(store.data);
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { activity } = this;
    this.environment = {
      ...options,
      store,
      activity,
      loadTable: async () => {
        await this.routes.load();
        return () => this.routes.table;
      },
      checkTable: () => this.routes.check(),
    };
    // A monotonic clock, unless a test has one.
    if (options.limits !== false) this.#limiter = new Limiter(options.now ?? (() => performance.now()));
    const sources = {
      ...store.data,
      ranking: new Ranking(store.data),
      clients: new Clients(store.data, activity),
      lists: new ListVersions(store.data),
    };
    const data = { store, activity, sources, vocabulary: this.vocabulary, now: this.#now };
    this.#data = data;
    this.streams = new Streams(data, options.warn);
    const context = {
      operations: (declared: Declarations, language: string) => operationsOn(data, declared, language),
      beside: new Map<string, Operation>([
        ["token.claim", claimOn(data, this.#unnoted)],
        [
          "stream.open",
          { ...streamForm, run: (_, { caller, address }) => this.streams.open(caller, address) },
        ],
      ]),
      resources: codedResources,
      vocabulary: this.vocabulary,
      store,
    };
    this.routes = new RouteTable(options.routes, context, (...put) => this.#mount(...put), this.#now);
  }

  /** Opens the data folder. @throws Failure if another process has it open, or the data is damaged */
  static async open(options: ServiceOptions): Promise<Service> {
    return new Service(await Store.open({ ...options, model }), options);
  }

  /** Returns the names that tables and parameters can refer to. */
  readonly vocabulary: () => Vocabulary;

  /** Returns whether the service answers, and whether it accepts changes. */
  async readiness(): Promise<Readiness> {
    if (this.#options.stopping?.aborted === true)
      return { status: "stopping", changes: false, reason: "The service is stopping." };
    this.#problem ??= this.store.problem().finally(() => {
      this.#problem = undefined;
    });
    const reason = (await this.#problem) ?? null;
    const { shared } = this.store;
    const status = shared?.unfit === undefined ? "ready" : "unfit";
    const remark = shared?.difference;
    return { status, changes: reason === null, reason, ...(remark === undefined ? {} : { remark }) };
  }

  /** Returns the number of clients at this moment. */
  clientCount(): Promise<ClientCount> {
    return this.#data.sources.clients.at(this.#now());
  }

  /** Answers a request by the table in force; see {@link App.fetch}. */
  readonly fetch = (request: Request): Response | Promise<Response> => this.routes.mounted.fetch(request);

  /** See {@link App.answerPlain}. */
  readonly answerPlain = (request: NodeRequest): Answer | Promise<Answer> | undefined =>
    this.routes.mounted.answerPlain(request);

  /**
   * Runs the operation of a path as the operator, or as a player, through the same steps as a request.
   * @param path without the prefix
   * @throws Failure `UNKNOWN_PLAYER` if the player is not registered
   */
  async call(path: string, query: readonly (readonly [string, string])[], as?: string): Promise<Response> {
    await this.routes.load();
    const { data } = this.store;
    const caller: Caller =
      as === undefined ? operatorCaller : playerCaller(data, requirePlayer(data, as), this.#now);
    return new AnswerResponse(await this.routes.mounted.engine.call(path, query, caller));
  }

  /**
   * Reads the route table's file again and puts it in force.
   * @param expected the revision that the operator has seen: a file that has changed since is not put in force
   * @throws Failure for a faulty file, and `CONFLICT` for another revision; then the old table stays in force
   */
  async reloadRoutes(expected?: string, cause: ReloadCause = "reload"): Promise<Reloaded> {
    try {
      const reloaded = await this.routes.reload(cause, expected);
      await this.#renaming;
      return reloaded;
    } catch (error) {
      this.warnOfRefusal(error);
      throw error;
    }
  }

  /** Logs that a route table was not put in force. */
  warnOfRefusal(error: unknown): void {
    const { revision } = this.routes.status();
    this.#options.warn?.(`The route table was refused; revision ${revision} stays in force.`, error);
  }

  /** Runs an operation of the operator. @throws Failure */
  administer<N extends OperatorOperationName>(name: N, input: OperatorInput<N>): Promise<OperatorResult<N>> {
    return administer(this.environment, name, input);
  }

  /** Starts to save activity every minute, and to remove what ends, until {@link close}. */
  start(): void {
    this.#timers = [
      setInterval(() => void this.#saveActivity(), activityInterval),
      setInterval(() => void this.removeEnded(), endInterval),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Removes what has ended. Until that succeeds it stays in lists, but counts for nothing. */
  removeEnded(): Promise<void> {
    const end = (error?: unknown) => {
      if (error !== undefined && !this.#hasWarned)
        this.#options.warn?.(
          "Memberships, house bans and stored answers that have ended cannot be removed.",
          error,
        );
      this.#hasWarned = error !== undefined;
      this.#removal = undefined;
    };
    this.#removal ??= this.store.removeEnded().then(() => end(), end);
    return this.#removal;
  }

  /** Saves activity and closes the store; with a snapshot, so that the next start has nothing to replay. */
  async close(options: { snapshot?: boolean } = {}): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.streams.close();
    // What waits for a change that a shared journal does not confirm would wait for ever.
    const closing = setTimeout(() => void this.store.shared?.close(), closingMilliseconds);
    await this.routes.settled();
    await this.#renaming;
    await this.#saveActivity();
    clearTimeout(closing);
    await this.store.close(options);
  }

  /** Saves activity. A failure is reported only: the next minute saves it as well. */
  async #saveActivity(): Promise<void> {
    await this.activity.save(this.store).catch((error: unknown) => {
      this.#options.warn?.("Activity could not be saved.", error);
    });
  }

  /** Returns the caller of a token. @throws Failure `TOKEN_…` */
  #authenticate(text: string): Caller {
    const { data } = this.store;
    const token = requireToken(data, text, this.#now());
    const caller = callerOf(data, token, this.#now);
    noteUse(this.store, token.id, this.#unnoted);
    return caller;
  }

  #mount(table: Table, findings: readonly Finding[]): App {
    const { vocabulary } = this;
    // The bounds of a list are a matter of `routes check`.
    for (const { message } of findings.filter(({ hides }) => hides))
      this.#options.warn?.(`${capitalised(message)}.`, undefined);
    this.#renaming = renameFields(this.store, table.declared.lists).catch((error: unknown) => {
      this.#options.warn?.(
        "The fields that the route table renames keep their former names until the next start, or a reload of another table.",
        error,
      );
    });
    this.#data.sources.lists.use(table.declared.lists);
    this.#data.sources.ranking.use(table.declared, table.language);
    const { shared } = this.store;
    if (shared !== undefined) shared.table = table.revision;
    this.streams.use(table);
    const engine = new Engine({
      ...this.#options,
      node: shared,
      table,
      vocabulary,
      tokenForm: tokenInText,
      authenticate: (token) => this.#authenticate(token),
      limiter: this.#limiter,
      // A read-only token can be public, in a web page, and must not set the version of its player.
      seen: ({ id, readOnly }, version) =>
        this.activity.note(id, readOnly === true ? undefined : version, this.#now()),
    });
    const sizeOf = (list: string) => this.store.data.entries.find("list", list).length;
    const description = descriptionPages(table, vocabulary, sizeOf);
    const health = healthPages(() => this.readiness());
    const pages = new Map(publicPages(engine, this.#data));
    const home = pages.get("/")?.answer;
    const overlays = overlayStreams(this.streams, table);
    const all = [...pages, ...docsPages(table, home), ...description, ...health, ...overlays];
    return new App(engine, new Map(all), this.#options);
  }
}
