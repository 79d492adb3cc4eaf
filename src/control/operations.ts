/**
 * All operations that commands run on the data, by their names on the control socket, and how they are run. Inputs and
 * results are JSON.
 */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { FailureBody } from "../engine/response.ts";
import {
  defineCommand,
  type Environment,
  type InputOf,
  type OperatorOperation,
  type ResultOf,
  runOperation,
} from "../operator/define.ts";
import { operatorOperations } from "../operator/index.ts";
import { checkInForce } from "../operator/lists/lists.ts";
import type { Service } from "../service.ts";
import { mostBytes } from "../table-in-force/read-table.ts";
import type { TableText } from "../table-in-force/route-table.ts";

/** A process that serves a data folder. */
export interface Holder {
  readonly pid: number;
  /** The URL on which it answers HTTP requests. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Whether the files lack changes that its memory has, since somebody has cut, deleted or replaced the journal. */
  readonly isCut: boolean;
}

export interface ControlEnvironment extends Environment {
  /** Returns the service on the data. Starting one takes longer, so that only what requires it does. */
  readonly service: () => Promise<Service>;
  /** Null if the command itself has the folder open. */
  readonly holder: Omit<Holder, "isCut"> | null;
}

/** The answer of an operation of the route table. */
export type CallResult =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly body: FailureBody };

const nothing = v.strictObject({});
const text = v.string();
const parameters = v.array(v.strictTuple([text, text]));
/** A table other than the one in force. */
const table = v.optional(
  v.strictObject({
    file: text,
    text: v.pipe(text, v.maxLength(mostBytes, `expected a table of at most ${mostBytes} bytes`)),
  }),
);
const restore = {
  source: v.variant("kind", [
    v.strictObject({ kind: v.picklist(["backup", "export"]), file: text }),
    v.strictObject({ kind: v.literal("moment"), sequence: v.pipe(v.number(), v.safeInteger()) }),
  ]),
  tokens: v.boolean(),
};

/** Returns what a question about access is decided by: the data, a table, the names, and the time. */
async function questioned({ store, service, now = Date.now }: ControlEnvironment, other?: TableText) {
  const { routes, vocabulary } = await service();
  const { table } = await routes.tableFile(other);
  return [store.data, table, vocabulary(), now()] as const;
}

export const operations = {
  ...operatorOperations,
  /** Runs an operation of the route table; see {@link Service.call}. */
  call: defineCommand({
    input: v.strictObject({ path: text, parameters, as: v.optional(text) }),
    async run({ service }: ControlEnvironment, { path, parameters, as }): Promise<CallResult> {
      const response = await (await service()).call(path, parameters, as);
      const body = JSON.parse(await response.text());
      return response.ok ? { ok: true, body } : { ok: false, body };
    },
  }),
  /** Returns the names of groups, factions and services. */
  vocabulary: defineCommand({
    input: nothing,
    run: async ({ service }: ControlEnvironment) => (await service()).vocabulary(),
  }),
  /** Writes a snapshot. Returns the number of the last change that it contains. */
  "data.snapshot": defineCommand({
    input: nothing,
    run: async ({ store }: ControlEnvironment) => ({ sequence: await store.snapshot() }),
  }),
  /** Returns what a restore or an import would change. */
  "data.preview-restore": defineCommand({
    input: v.strictObject(restore),
    async run(environment: ControlEnvironment, request) {
      const { restoreRecords } = await import("../backup/restore.ts");
      const check = await checkInForce(environment);
      return restoreRecords(environment.store, { ...request, preview: true, check });
    },
  }),
  /** Restores or imports what was previewed. */
  "data.restore": defineCommand({
    input: v.strictObject({ ...restore, revision: text }),
    async run(environment: ControlEnvironment, { revision, ...request }, signal) {
      const { restoreRecords } = await import("../backup/restore.ts");
      const check = await checkInForce(environment);
      return restoreRecords(environment.store, { ...request, check }, revision, signal);
    },
  }),
  /** Returns what the lists of a table mean for the entries in the data. */
  "list.check": defineCommand({
    input: v.strictObject({ text }),
    run: async ({ service }: ControlEnvironment, { text }) =>
      (await (await service()).routes.check(text)).findings,
  }),
  /** Puts the route table's file in force. @throws Failure; then the old one stays in force */
  "routes.reload": defineCommand({
    input: v.strictObject({
      /** The revision that the operator has seen. */
      revision: v.optional(text),
      cause: v.optional(v.picklist(["reload", "rollback"])),
    }),
    run: async ({ service }: ControlEnvironment, { revision, cause }) =>
      (await service()).reloadRoutes(revision, cause),
  }),
  /** Lets a revision take effect only by `routes.reload`, since its operator is asked. Returns the one in force. */
  "routes.ask": defineCommand({
    input: v.strictObject({ revision: text }),
    run: async ({ service }: ControlEnvironment, { revision }) => (await service()).routes.ask(revision),
  }),
  /** Returns which table is in force, and the result of the last attempt to change it. */
  "routes.status": defineCommand({
    input: nothing,
    async run({ service: started }: ControlEnvironment) {
      const service = await started();
      await service.routes.load();
      return service.routes.status();
    },
  }),
  /** Returns what another table, by default the one in the file, would change in the one in force, or in a third one. */
  "routes.diff": defineCommand({
    /** `isNext`: whether the other table is to be put in force, so that the entries in the data must fit it. */
    input: v.strictObject({ before: table, after: table, isNext: v.optional(v.boolean(), false) }),
    async run({ store, service, now = Date.now }: ControlEnvironment, { before, after, isNext }) {
      const { compareTables } = await import("../explain/comparison.ts");
      const { routes, vocabulary } = await service();
      const old = await routes.tableFile(before);
      const fresh = await routes.tableFile(after ?? (await routes.present()), isNext);
      return compareTables(old, fresh, store.data, vocabulary(), now());
    },
  }),
  /** Returns whether a caller may call an operation, and why. */
  "can-i": defineCommand({
    input: v.strictObject({ who: text, path: text, parameters, table, readOnly: v.optional(v.boolean()) }),
    async run(environment: ControlEnvironment, { who, path, parameters, table: other, readOnly }) {
      const { canI } = await import("../explain/can-i.ts");
      return canI(...(await questioned(environment, other)), [who, path, parameters], readOnly);
    },
  }),
  /** Returns everyone who may call an operation. */
  "who-can": defineCommand({
    input: v.strictObject({ path: text, parameters, table }),
    async run(environment: ControlEnvironment, { path, parameters, table: other }) {
      const { whoCan } = await import("../explain/who-can.ts");
      return whoCan(...(await questioned(environment, other)), [path, parameters]);
    },
  }),
  /** Returns whether the service accepts requests and changes; see {@link Service.readiness}. */
  readiness: defineCommand({
    input: nothing,
    run: async ({ service }: ControlEnvironment) => (await service()).readiness(),
  }),
  /** Returns the running service, or null if the command itself has the folder open. */
  holder: defineCommand({
    input: nothing,
    run: ({ holder, store }: ControlEnvironment) => holder && { ...holder, isCut: store.lookForCut() },
  }),
} satisfies Record<string, OperatorOperation<ControlEnvironment>>;

export type OperationName = keyof typeof operations;
export type OperationInput<N extends OperationName> = InputOf<(typeof operations)[N]>;
export type OperationResult<N extends OperationName> = ResultOf<(typeof operations)[N]>;

/** Runs operations for commands, in any process. */
export interface Control {
  /**
   * Runs an operation.
   * @param signal is aborted when the command has ended
   * @throws Failure where it refuses, or the service does not have it
   */
  run<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    signal?: AbortSignal,
  ): Promise<OperationResult<N>>;
}

const typed: { readonly [N in OperationName]: OperatorOperation<ControlEnvironment, OperationResult<N>> } =
  operations;

/** Returns the control of a data folder that this process has open. */
export function controlOf(environment: ControlEnvironment): Control {
  return {
    run<N extends OperationName>(name: N, input: OperationInput<N>, signal?: AbortSignal) {
      type Result = OperationResult<N>;
      return runOperation<ControlEnvironment, Result>(typed[name], environment, name, input, signal);
    },
  };
}

/** Returns the operation that a command names. @throws Failure `UNKNOWN_ENTRY` if only another version has it */
export function requireOperation(name: string): OperationName {
  if (isOperation(name)) return name;
  throw new Failure("UNKNOWN_ENTRY", `The running service has no operation "${name}".`, {
    hint: "The command and the service have different versions: restart the service with this version.",
  });
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
