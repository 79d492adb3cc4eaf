/** A service in its own temporary folder, in-process or over a real socket, and assertions for all tests. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { controlOf } from "../src/control/operations.ts";
import { model } from "../src/domain/model.ts";
import type { RequestRecord } from "../src/engine/exchange.ts";
import type { Pair } from "../src/explain/question.ts";
import { type Server, startServer } from "../src/http/server.ts";
import { readSeed } from "../src/operator/seed-file.ts";
import { Service } from "../src/service.ts";
import type { Files } from "../src/store/folder/files.ts";
import type { Table } from "../src/table/table.ts";
import type { TableText } from "../src/table-in-force/route-table.ts";
import { sharedJournalOf } from "./_journal.ts";

/** The root folder of the project. */
export const projectFolder = fileURLToPath(new URL("..", import.meta.url));
export const shippedRoutes = join(projectFolder, "routes.yaml");
export const shippedSeed = join(projectFolder, "data", "seed.yaml");

/** The prefix of every path. */
export const prefix = "/gameaddon/v1";

/** A test, or for the end of all tests of a file, `{ after }` of `node:test`. */
export interface Cleanup {
  after(end: () => unknown): unknown;
}

/** Loaded when a test needs it, and once: each `import()` asks the thread of tsx. */
let conformance: Promise<typeof import("./openapi/_conformance.ts")> | undefined;

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(t: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-"));
  // Hooks run in the order of their registration: a store may still be writing there.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** A clock that a test advances. */
export class Clock {
  /** Milliseconds since 1970. */
  time = Date.parse("2026-11-21T12:00:00Z");
  readonly now = (): number => this.time;
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

export const day = 24 * 60 * 60 * 1000;

/** An answer with its parsed body, which is undefined if it is empty. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and assert what they find
  readonly body: any;
}

/** The options of {@link World.player}. */
export interface PlayerDetails {
  readonly uuid?: string;
  readonly administrator?: boolean;
  /** Such as `{ GROVE: 4 }`. */
  readonly members?: Readonly<Record<string, number>>;
  readonly groups?: readonly string[];
  readonly addonVersion?: string;
}

/** A player with these may call every operation except another player's `statistic/add`. */
export const everyRight: PlayerDetails = {
  administrator: true,
  members: { GROVE: 9, RESCUE: 9, POLICE: 9 },
  groups: ["TARGETLIST"],
};

export type Transport = "in-process" | "socket";

/** Asks questions about access, as commands do. */
export function questionsOf(service: Service) {
  const control = controlOf({ ...service.environment, service: async () => service, holder: null });
  const own = (pairs: readonly Pair[]) => pairs.map(([name, text]): [string, string] => [name, text]);
  return {
    canI: (who: string, path: string, pairs: readonly Pair[], table?: TableText) =>
      control.run("can-i", { who, path, parameters: own(pairs), table }),
    whoCan: (path: string, pairs: readonly Pair[], table?: TableText) =>
      control.run("who-can", { path, parameters: own(pairs), table }),
    diff: (after?: TableText, before?: TableText) => control.run("routes.diff", { after, before }),
  };
}

/** A service, and functions to call it. */
export class World {
  readonly folder: string;
  readonly clock: Clock;
  readonly service: Service;
  /** The records of all requests. */
  readonly log: RequestRecord[];
  /** A public token. */
  publicToken = "";
  readonly #server: Server | undefined;

  constructor(
    folder: string,
    clock: Clock,
    service: Service,
    log: RequestRecord[],
    server: Server | undefined,
  ) {
    this.folder = folder;
    this.clock = clock;
    this.service = service;
    this.log = log;
    this.#server = server;
  }

  /** The address of the service, without a slash at the end. In-process it is only a placeholder. */
  get url(): string {
    return this.#server?.url ?? "http://in-process";
  }

  /** Sends a request to a raw path. */
  async request(path: string, init: RequestInit = {}): Promise<Answered> {
    const url = `${this.url}${path}`;
    const { table } = this.service.routes;
    const response =
      this.#server === undefined ? await this.service.fetch(new Request(url, init)) : await fetch(url, init);
    const text = await response.text();
    const { status, headers } = response;
    const answer: Answered = { status, headers, body: text === "" ? undefined : JSON.parse(text) };
    await this.#assertDescribed(init.method ?? "GET", answer, table);
    return answer;
  }

  /** Asserts that an answer conforms to the description of the interface; see `_conformance.ts`. */
  async #assertDescribed(method: string, answer: Answered, before: Table): Promise<void> {
    conformance ??= import("./openapi/_conformance.ts");
    const { conformanceOf } = await conformance;
    const { service } = this;
    const { table } = service.routes;
    const requestId = answer.headers.get("x-request-id");
    const record = this.log.findLast((line) => line.requestId === requestId);
    assert.ok(record !== undefined, "the answer is logged");
    const exchange = { ...answer, method, route: record.route };
    try {
      conformanceOf(before, service.vocabulary()).check(exchange);
    } catch (error) {
      if (table === before) throw error;
      // A table was reloaded meanwhile: either may have decided.
      conformanceOf(table, service.vocabulary()).check(exchange);
    }
  }

  /** Calls an operation: `get(token, "/targetlist/add", { name: "Ada" })`. */
  get(
    token: string,
    path: string,
    query: Readonly<Record<string, string | number>> = {},
    init?: RequestInit,
  ) {
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return this.request(`${prefix}/${token}${path}${search.length > 0 ? `?${search.join("&")}` : ""}`, init);
  }

  /** As {@link get}, but asserts a 200 and returns the body. */
  async ok(token: string, path: string, query: Readonly<Record<string, string | number>> = {}) {
    const answer = await this.get(token, path, query);
    assert.equal(answer.status, 200, `${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Registers a player and issues a token. */
  async player(
    name: string,
    details: PlayerDetails = {},
  ): Promise<{ name: string; uuid: string; token: string }> {
    const members = Object.entries(details.members ?? {}).map(([organisation, rank]) => ({
      organisation,
      rank,
    }));
    const { uuid } = await this.service.administer("player.add", {
      name,
      uuid: details.uuid,
      members,
      administrator: details.administrator,
    });
    for (const group of details.groups ?? [])
      await this.service.administer("group.add", { player: name, group });
    const { token } = await this.service.administer("token.issue", {
      player: name,
      addonVersion: details.addonVersion,
    });
    return { name, uuid, token };
  }

  /** Returns all data except activity, which a refused request must not change. */
  snapshot(): unknown {
    const { activity: _activity, counters: _counters, ...rest } = this.service.store.data;
    return Object.fromEntries(Object.entries(rest).map(([name, rows]) => [name, [...rows.values()]]));
  }
}

export interface WorldOptions {
  readonly transport?: Transport;
  /** The text of another route table. */
  readonly routes?: string;
  readonly folder?: string;
  readonly clock?: Clock;
  /** The file system of the store, for tests in which the disk fails. */
  readonly files?: Files;
  /** Whether the client's address is logged. */
  readonly logAddress?: boolean;
  /** Whether the limits of the table apply: not by default, since tests send many requests while the clock stands. */
  readonly limits?: boolean;
}

/** Opens a service with the shipped route table and seed, and issues a public token. */
export async function openWorld(t: Cleanup, options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? (await temporaryFolder(t));
  const clock = options.clock ?? new Clock();
  const log: RequestRecord[] = [];
  let routes = shippedRoutes;
  if (options.routes !== undefined) {
    routes = join(folder, "routes.yaml");
    await writeFile(routes, options.routes);
  }
  const observe = (record: RequestRecord) => void log.push(record);
  const { logAddress = false, limits = false } = options;
  const files = options.files === undefined ? {} : { files: options.files };
  const data = join(folder, "data");
  const shared = await sharedJournalOf(data, model, clock.now);
  const service = await Service.open({
    folder: data,
    routes,
    shared,
    now: clock.now,
    observe,
    logAddress,
    limits,
    ...files,
  });
  await service.administer("seed.groups", await readSeed(shippedSeed));
  await service.routes.load();
  const server =
    options.transport === "socket"
      ? await startServer({
          fetch: service.fetch,
          answerPlain: service.answerPlain,
          host: "127.0.0.1",
          port: 0,
          observe,
          logAddress,
        })
      : undefined;
  t.after(async () => {
    await server?.close();
    await service.close();
  });
  const world = new World(folder, clock, service, log, server);
  ({ token: world.publicToken } = await service.administer("token.issue", { label: "public" }));
  return world;
}

/** Opens something once for all tests of a suite or a file, which must not disturb each other. Returns it to its tests. */
export function shared<T>(open: (t: Cleanup) => Promise<T>): () => T {
  const cleanups: (() => unknown)[] = [];
  let opened: { readonly value: T } | undefined;
  before(async () => {
    opened = { value: await open({ after: (work: () => unknown) => void cleanups.push(work) }) };
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return () => {
    assert.ok(opened !== undefined, "it is open while the tests run");
    return opened.value;
  };
}

/** As {@link openWorld}, for all tests of a suite or a file; see {@link shared}. */
export function openSharedWorld(options?: WorldOptions): () => World {
  return shared((t) => openWorld(t, options));
}

/** Opens a service with a player, whose name, UUID and token it returns as well. */
export async function openAs(t: Cleanup, name: string, details?: PlayerDetails, options?: WorldOptions) {
  const world = await openWorld(t, options);
  return { world, ...(await world.player(name, details)) };
}

/** Declares the same tests in-process and over a real socket. */
export function describeOverTransports(name: string, declare: (transport: Transport) => void): void {
  for (const transport of ["in-process", "socket"] as const) {
    describe(`${name} (${transport})`, () => declare(transport));
  }
}

/** Asserts a failure in the documented shape. */
export function assertFailure(answer: Answered, status: number, code: string, parameter?: string): void {
  const { body, headers } = answer;
  assert.equal(body?.code, code, `expected ${code}, got ${JSON.stringify(body)}`);
  assert.equal(answer.status, status);
  assert.equal(body.httpStatusCode, status);
  assert.equal(typeof body.httpStatus, "string");
  assert.match(body.info, /\S/);
  assert.equal(body.requestId, headers.get("x-request-id"));
  assert.equal(headers.get("cache-control"), "no-store");
  if (parameter !== undefined) assert.equal(body.parameter, parameter);
}

/** Asserts that a text contains a part. `assert.ok` without a message would parse the source to create one. */
export function assertIncludes(text: string, part: string): void {
  assert.ok(text.includes(part), `${JSON.stringify(text)} does not contain ${JSON.stringify(part)}`);
}

/** Asserts that a text does not contain a part. */
export function assertLacks(text: string, part: string): void {
  assert.ok(!text.includes(part), `${JSON.stringify(text)} contains ${JSON.stringify(part)}`);
}
