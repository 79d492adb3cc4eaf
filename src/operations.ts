/** The operations that the engine runs for the routes of a table, made from the handlers. */
import { comparisonIn } from "./domain/text.ts";
import type { Activity } from "./identity/activity.ts";
import { currentCaller, playerCaller } from "./identity/callers.ts";
import { runOnce } from "./identity/idempotency.ts";
import { claim, noteUse, requireInvitation, type Unnoted } from "./identity/invitations.ts";
import { claimForm } from "./resources/claim.ts";
import type { ChangeHandler, Context, Handler, ReadHandler, Sources } from "./resources/common/define.ts";
import { type CachedRead, ResponseCache } from "./resources/common/response-cache.ts";
import { codedResources, handlersFor } from "./resources/index.ts";
import { streamForm } from "./resources/stream.ts";
import type { DataStore } from "./store/data.ts";
import { nobody, publicTokenOf, type Vocabulary } from "./table/caller.ts";
import type { Declarations } from "./table/declared/declarations.ts";
import type { Operation, Operations, Request } from "./table/operation.ts";
import type { Input } from "./table/restriction/restriction.ts";
import { type CheckedTable, checkTable } from "./table/table.ts";

/** The data that operations read and change, and that pages and streams show. */
export interface OperationContext {
  readonly store: DataStore;
  readonly activity: Activity;
  readonly sources: Sources;
  /** Returns the names that tables and parameters can refer to. */
  readonly vocabulary: () => Vocabulary;
  readonly now: () => number;
}

/** Returns all operations that declarations result in, by the name under which a table refers to them. */
export function operationsOn(
  context: OperationContext,
  declared: Declarations,
  language: string,
): Operations {
  const { sources, now } = context;
  const answers = new ResponseCache();
  const cache = new Map<string, CachedRead>();
  const compare = comparisonIn(language);
  const contextOf = ({ caller, table, allowedInput }: Request, at: number): Context => {
    const own: Context = {
      caller,
      now: at,
      activity: context.activity,
      clients: sources.clients,
      excludedGroup: table.excludedGroup,
      compare,
      cached(operation, input) {
        const allowed = allowedInput(operation, input);
        return allowed && cache.get(operation)?.(allowed, own);
      },
    };
    return own;
  };
  const toRead = (name: string, handler: ReadHandler): Operation => {
    const { cacheable, versionFor } = handler;
    const cached = cacheable && answers.cachedRead(name, handler, cacheable, sources);
    if (cached !== undefined) cache.set(name, cached);
    const read = cached ?? ((input: Input, own: Context) => handler.read(sources, input, own));
    return {
      ...handler,
      ...(versionFor && { version: (input) => versionFor(sources, input, now()) }),
      run: (input, request) => read(input, contextOf(request, now())),
    };
  };
  const toChange = (handler: ChangeHandler): Operation => ({
    ...handler,
    async run(input, request) {
      let tasks: (() => void)[] = [];
      const afterwards = (task: () => void) => tasks.push(task);
      const answer = await context.store.change(originOf(request), (draft, { now: at, sequence }) => {
        // It may have been decided before, on data that another machine has changed since.
        tasks = [];
        // A change that the pipeline could not see yet may have revoked, excluded or demoted the caller. This comes
        // first: a repeated request must be authorized as well before it is answered.
        const current = currentCaller(draft, request.caller, at);
        request.authorize(current);
        const changing = { ...contextOf(request, at), caller: current, sequence, afterwards };
        const change = () => {
          if (handler.list !== undefined) sources.lists.requireInForce(handler.list);
          return handler.change(draft, input, changing);
        };
        const { caller, idempotencyKey: key, operation } = request;
        if (handler.counts !== true || key === undefined) return change();
        // A public token has its own keys, although its holder is nobody.
        const scope = caller.id ?? `token:${caller.token}`;
        return runOnce(draft, { scope, key, operation, input }, at, change);
      });
      for (const task of tasks) task();
      return answer;
    },
  });
  const toOperation = (name: string, handler: Handler) =>
    handler.effect === "read" ? toRead(name, handler) : toChange(handler);
  return new Map(Array.from(handlersFor(declared), ([name, handler]) => [name, toOperation(name, handler)]));
}

/** Returns who asks for a change, and by what. */
function originOf({ caller, operation, requestId, table }: Request) {
  return {
    who: caller.id ?? "public",
    token: publicTokenOf(caller),
    operation,
    request: requestId,
    table: table.revision,
  };
}

/** Returns the operation that exchanges the code of an invitation for a token. @param unnoted as for {@link noteUse} */
export function claimOn(
  { store, now }: Pick<OperationContext, "store" | "now">,
  unnoted: Unnoted,
): Operation {
  return {
    ...claimForm,
    invited: (code) => playerCaller(store.data, requireInvitation(store.data, code, now()).player, now),
    run({ addonVersion }, request) {
      const { code = "", version } = request.invitation ?? {};
      const { token } = requireInvitation(store.data, code, now()).invitation;
      if (token !== null && unnoted.has(token)) noteUse(store, token, unnoted, true);
      return store.change(originOf(request), (draft, { now: at }) => {
        // Since the pipeline looked it up, the code may have ended, and the player may have been excluded.
        const found = requireInvitation(draft, code, at);
        request.authorize(playerCaller(draft, found.player, () => at));
        return claim(draft, found, addonVersion === "" ? version : String(addonVersion), at);
      });
    },
  };
}

/** Checks a table's text against the operations and a vocabulary, without serving it: the operations do nothing. */
export function checkRoutes(text: string, vocabulary: Vocabulary): CheckedTable {
  const run = () => undefined;
  return checkTable(text, {
    operations: (declared) =>
      new Map(Array.from(handlersFor(declared), ([name, handler]) => [name, { ...handler, run }])),
    beside: new Map<string, Operation>([
      ["token.claim", { ...claimForm, invited: () => nobody, run }],
      ["stream.open", { ...streamForm, run }],
    ]),
    resources: codedResources,
    vocabulary: () => vocabulary,
  });
}
