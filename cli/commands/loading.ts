/** Actions that are loaded when they run, so that a command does not load the code of others. */
import type { Context } from "../context.ts";

/** Returns an action of Commander for a function of `actions/`. */
export function loading<A extends unknown[]>(
  context: Context,
  load: () => Promise<(context: Context, ...args: A) => unknown>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    const action = await load();
    await action(context, ...args);
  };
}
