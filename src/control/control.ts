/** The operations that commands run on the data, and their implementation. */
import type { RestorePreview, RestoreRequest, RestoreResult } from "../backup/restore.ts";
import type { FailureBody } from "../engine/response.ts";
import type { CallOptions, Decision } from "../explain/can-i.ts";
import type { Comparison } from "../explain/comparison.ts";
import type { Pair } from "../explain/question.ts";
import type { WhoCan } from "../explain/who-can.ts";
import type { Readiness } from "../http/health-pages.ts";
import type { OperatorInput, OperatorOperationName, OperatorResult } from "../operator/index.ts";
import type { Operator, Undone, UndoOptions } from "../operator/operator.ts";
import type { Service } from "../service.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { TableText } from "../table-in-force/questions.ts";
import type { ReloadCause, Reloaded, TableStatus } from "../table-in-force/route-table.ts";

/** A process that serves a data folder. */
export interface Holder {
  readonly pid: number;
  /** The URL on which it answers HTTP requests. */
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The answer of an operation. */
export type CallResult =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly body: FailureBody };

/** The operations that commands run on the data, in any process. All arguments but signals, and all results, are JSON. */
export interface Control {
  administer<N extends OperatorOperationName>(name: N, input: OperatorInput<N>): Promise<OperatorResult<N>>;
  /** Runs an operation of the route table; see {@link Service.call}. */
  call(path: string, query: readonly (readonly [string, string])[], as?: string): Promise<CallResult>;
  vocabulary(): Promise<Vocabulary>;
  /** Writes a snapshot. Returns the number of the last change that it contains. */
  snapshot(): Promise<{ sequence: number }>;
  /** Returns what a restore or an import would change; see {@link previewRestore}. */
  previewRestore(request: RestoreRequest): Promise<RestorePreview>;
  /** Restores or imports; see {@link restoreRecords}. @param signal is aborted when the command has ended */
  restoreRecords(request: RestoreRequest, revision: string, signal?: AbortSignal): Promise<RestoreResult>;
  /** Undoes a change; see {@link Operator.undo}. @param signal is aborted when the command has ended */
  undo(sequence: number, options?: UndoOptions, signal?: AbortSignal): Promise<Undone>;
  /** Reloads the route table. @throws TableFaults; then the old one stays in force */
  reloadRoutes(expected?: string, cause?: ReloadCause): Promise<Reloaded>;
  /** Returns which table is in force, and the result of the last attempt to change it. */
  routesStatus(): Promise<TableStatus>;
  /** Returns what another table would change; see {@link Questions.diff}. */
  diffRoutes(after?: TableText, before?: TableText): Promise<Comparison>;
  /** Returns whether a caller may call an operation, and why; see {@link Questions.canI}. */
  canI(
    who: string,
    path: string,
    pairs: readonly Pair[],
    by?: TableText,
    options?: CallOptions,
  ): Promise<Decision>;
  /** Returns everyone who may call an operation; see {@link Questions.whoCan}. */
  whoCan(path: string, pairs: readonly Pair[], by?: TableText): Promise<WhoCan>;
  /** Returns whether the service accepts requests and changes; see {@link Service.readiness}. */
  readiness(): Promise<Readiness>;
  /** Returns the running service, or null if the command itself has the folder open. */
  holder(): Promise<Holder | null>;
}

/** The name of a method, as on the socket. */
export type ControlMethod = keyof Control;

/**
 * Returns the control of a data folder that this process has open.
 * @param operator works on its store
 * @param served returns the service on that store; starting one takes longer, so that only what requires it does
 * @param holder null for a command
 */
export function controlOf(
  operator: Pick<Operator, "store" | "administer" | "undo">,
  served: () => Promise<Service>,
  holder: Holder | null,
): Control {
  const restoring = () => import("../backup/restore.ts");
  return {
    administer: (name, input) => operator.administer(name, input),
    async call(path, query, as) {
      const response = await (await served()).call(path, query, as);
      const body = JSON.parse(await response.text());
      return response.ok ? { ok: true, body } : { ok: false, body };
    },
    vocabulary: async () => (await served()).vocabulary(),
    async snapshot() {
      return { sequence: await operator.store.snapshot() };
    },
    previewRestore: async (request) => (await restoring()).previewRestore(operator.store, request),
    restoreRecords: async (...all) => (await restoring()).restoreRecords(operator.store, ...all),
    undo: (...all) => operator.undo(...all),
    reloadRoutes: async (...all) => (await served()).reloadRoutes(...all),
    async routesStatus() {
      const service = await served();
      await service.loadTable();
      return service.routes.status();
    },
    diffRoutes: async (...all) => (await served()).questions.diff(...all),
    canI: async (...all) => (await served()).questions.canI(...all),
    whoCan: async (...all) => (await served()).questions.whoCan(...all),
    readiness: async () => (await served()).readiness(),
    holder: async () => holder,
  };
}
