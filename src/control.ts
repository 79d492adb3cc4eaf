/**
 * The control socket: how the command line works beside a running service. The service listens on a Unix socket in
 * its data folder, which only the folder's owner can open; a command is carried out by the service itself, in its
 * one writer. HTTP with h3: `POST /<method>` with the arguments as a JSON array.
 *
 * Most commands find no service, and only the service listens: what either takes is loaded when it is needed.
 */
import { access, chmod, unlink } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Decision } from "./access/can-i.ts";
import type { TableDiff } from "./access/diff.ts";
import type { Pair } from "./access/question.ts";
import type { WhoCan } from "./access/who-can.ts";
import type {
  AdministrationInput,
  AdministrationName,
  AdministrationResult,
} from "./administration/index.ts";
import type { Operator } from "./administration/operator.ts";
import type { Vocabulary } from "./engine/caller.ts";
import type { Fault } from "./engine/document.ts";
import type { FailureBody } from "./engine/response.ts";
import { Failure, type FailureCode } from "./errors.ts";
import { type Reloaded, TableFaults, type TableStatus } from "./route-table.ts";
import type { Service, TableText } from "./service.ts";

/** A process that serves a data folder. */
export interface Holder {
  readonly pid: number;
  /** Where it answers HTTP requests. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** What a command asks of the data, wherever it is carried out. Everything that goes in and out is JSON. */
export interface Control {
  administer<N extends AdministrationName>(
    name: N,
    input: AdministrationInput<N>,
  ): Promise<AdministrationResult<N>>;
  /** Runs an operation of the route table; see {@link Service.call}. */
  call(
    path: string,
    query: readonly (readonly [string, string])[],
    as?: string,
  ): Promise<{ ok: boolean; body: FailureBody | object }>;
  vocabulary(): Promise<Vocabulary>;
  /** Writes a snapshot. Gives the number of the last change that it contains. */
  snapshot(): Promise<{ sequence: number }>;
  /** Takes a change back. */
  undo(sequence: number): Promise<{ info: string }>;
  /** Reads the route table's file again, and puts it in force. @throws TableFaults; then the old one stays in force */
  reloadRoutes(expected?: string): Promise<Reloaded>;
  /** Which table is in force, and what became of the last attempt to put another one in force. */
  routesStatus(): Promise<TableStatus>;
  /** What another table would change; see {@link Service.diffRoutes}. */
  diffRoutes(after?: TableText, before?: TableText): Promise<TableDiff>;
  /** Whether somebody may call an operation, and why; see {@link Service.canI}. */
  canI(who: string, path: string, pairs: readonly Pair[], by?: TableText): Promise<Decision>;
  /** Everyone who may call an operation; see {@link Service.whoCan}. */
  whoCan(path: string, pairs: readonly Pair[], by?: TableText): Promise<WhoCan>;
  /** The running service, or null where the command itself has the folder. */
  holder(): Promise<Holder | null>;
}

const methods = [
  "administer",
  "call",
  "vocabulary",
  "snapshot",
  "undo",
  "reloadRoutes",
  "routesStatus",
  "diffRoutes",
  "canI",
  "whoCan",
  "holder",
] as const;
type Method = (typeof methods)[number];

/** The control of a service in this process. */
export function controlOf(service: Service, holder: Holder | null): Control {
  return {
    administer: (name, input) => service.administer(name, input),
    async call(path, query, as) {
      const response = await service.call(path, query, as);
      return { ok: response.ok, body: (await response.json()) as object };
    },
    vocabulary: async () => service.vocabulary(),
    async snapshot() {
      return { sequence: await service.store.snapshot() };
    },
    undo: (sequence) => service.undo(sequence),
    reloadRoutes: (expected) => service.reloadRoutes(expected),
    async routesStatus() {
      await service.loadTable();
      return service.routes.status();
    },
    diffRoutes: (after, before) => service.diffRoutes(after, before),
    canI: (who, path, pairs, by) => service.canI(who, path, pairs, by),
    whoCan: (path, pairs, by) => service.whoCan(path, pairs, by),
    holder: async () => holder,
  };
}

/**
 * The control of a store that this process itself has open.
 * @param service the service on that store: asked for only by what an operator can not do alone, since it takes longer
 */
export function controlOfStore(operator: Operator, service: () => Promise<Service>): Control {
  const served = async () => controlOf(await service(), null);
  return {
    administer: (name, input) => operator.administer(name, input),
    call: async (...all) => (await served()).call(...all),
    vocabulary: async () => (await served()).vocabulary(),
    async snapshot() {
      return { sequence: await operator.store.snapshot() };
    },
    undo: (sequence) => operator.undo(sequence),
    reloadRoutes: async (...all) => (await served()).reloadRoutes(...all),
    routesStatus: async () => (await served()).routesStatus(),
    diffRoutes: async (...all) => (await served()).diffRoutes(...all),
    canI: async (...all) => (await served()).canI(...all),
    whoCan: async (...all) => (await served()).whoCan(...all),
    holder: async () => null,
  };
}

/** Listens on a folder's socket. The caller has the folder's lock, so a socket that is there is a dead holder's. */
export async function startControl(folder: string, control: Control): Promise<{ close(): Promise<void> }> {
  const { createServer } = await import("node:http");
  const { H3, readBody } = await import("h3");
  const { toNodeHandler } = await import("srvx/node");
  const path = join(folder, "socket");
  const app = new H3({ silent: true });
  for (const method of methods) {
    app.post(`/${method}`, async (event) => {
      try {
        // JSON has no undefined: an argument that was left out arrives as null.
        const given = ((await readBody<unknown[]>(event)) ?? []).map((each) => each ?? undefined);
        const run = control[method] as (...all: unknown[]) => Promise<unknown>;
        return { result: (await run(...given)) ?? null };
      } catch (error) {
        return { error: toWire(error) };
      }
    });
  }
  await unlink(path).catch(() => {});
  const server = createServer(toNodeHandler(app.fetch) as Parameters<typeof createServer>[1]);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Nobody else may be able to open it, not even between its birth and a chmod.
    const mask = process.umask(0o177);
    server.listen(reachable(path), resolve);
    process.umask(mask);
  });
  await chmod(path, 0o600);
  return {
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      await unlink(path).catch(() => {});
    },
  };
}

/** Reaches the service that runs on a folder; undefined where none does. A dead holder's socket is none. */
export async function connectControl(folder: string): Promise<Control | undefined> {
  const path = reachable(join(folder, "socket"));
  if (await isMissing(path)) return undefined;
  try {
    await askSocket(path, "holder", []);
  } catch (error) {
    if (error instanceof NobodyThere) return undefined;
    throw error;
  }
  let answered = false;
  const ask = async <T>(method: Method, given: readonly unknown[]): Promise<T> => {
    try {
      const result = await askSocket<T>(path, method, given);
      answered = true;
      return result;
    } catch (error) {
      throw error instanceof NobodyThere ? new ServiceGone(!answered) : error;
    }
  };
  return {
    administer: (...all) => ask("administer", all),
    call: (...all) => ask("call", all),
    vocabulary: () => ask("vocabulary", []),
    snapshot: () => ask("snapshot", []),
    undo: (...all) => ask("undo", all),
    reloadRoutes: (...all) => ask("reloadRoutes", all),
    routesStatus: () => ask("routesStatus", []),
    diffRoutes: (...all) => ask("diffRoutes", all),
    canI: (...all) => ask("canI", all),
    whoCan: (...all) => ask("whoCan", all),
    holder: () => ask("holder", []),
  };
}

/** The service has stopped between two questions. `untouched` says that it had not answered any but the first look. */
export class ServiceGone extends Failure {
  readonly untouched: boolean;

  constructor(untouched: boolean) {
    super("SHUTTING_DOWN", "The service on the data folder has just stopped.", {
      hint: "What it answered before that is done; give the command again for the rest.",
    });
    this.untouched = untouched;
  }
}

/** What the system says of a file that is not there. */
const missing: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => missing.has(error.code),
  );
}

/** Nobody listens on the socket. */
class NobodyThere extends Error {
  override readonly name = "NobodyThere";
}

async function askSocket<T>(path: string, method: Method, given: readonly unknown[]): Promise<T> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    let connected = false;
    const asking = request(
      { socketPath: path, path: `/${method}`, method: "POST", agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const answer = JSON.parse(Buffer.concat(pieces).toString()) as { result: T } | { error: WireError };
          if ("error" in answer) reject(fromWire(answer.error));
          else resolve(answer.result);
        });
      },
    );
    asking.on("socket", (socket) => socket.once("connect", () => (connected = true)));
    asking.on("error", (cause: NodeJS.ErrnoException) => {
      const nobody = !connected && (missing.has(cause.code) || cause.code === "ECONNREFUSED");
      // The service finishes what it has begun before it stops, so what it never answered it may have done or not.
      const broken = new Failure(
        "SHUTTING_DOWN",
        "The service on the data folder stopped before it answered.",
        {
          hint: "Look whether the change is there before you repeat it.",
          cause,
        },
      );
      reject(nobody ? new NobodyThere() : broken);
    });
    asking.setHeader("Content-Type", "application/json");
    asking.end(JSON.stringify(given));
  });
}

interface WireError {
  readonly code?: FailureCode;
  readonly message: string;
  readonly parameter?: string | undefined;
  readonly hint?: string | undefined;
  readonly file?: string;
  readonly faults?: readonly Fault[];
  readonly text?: string;
}

function toWire(error: unknown): WireError {
  if (error instanceof TableFaults) {
    const { message, file, faults, text } = error;
    return { message, file, faults, text };
  }
  if (error instanceof Failure) {
    const { code, message, parameter, hint } = error;
    return { code, message, parameter, hint };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

function fromWire({ code, message, parameter, hint, file, faults, text }: WireError): Error {
  if (file !== undefined && faults !== undefined) return new TableFaults(file, faults, text);
  if (code === undefined) return new Error(message);
  return new Failure(code, message, {
    ...(parameter === undefined ? {} : { parameter }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The shorter way to a socket: its address has room for about 100 bytes. */
function reachable(path: string): string {
  const short = relative(process.cwd(), path);
  return short.length < path.length ? short : path;
}
