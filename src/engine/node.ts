/**
 * One of several machines that share a journal: its answers say how many changes it knows, a request can ask for at least
 * as many, and a machine that must not answer refuses every request to the table. See `docs/several-machines.md`.
 */
import { Failure } from "../domain/errors.ts";
import type { IncomingRequest } from "./request.ts";
import type { Answer } from "./response.ts";

/** What the engine needs of its machine. */
export interface Node {
  /** The number of the last change that this machine knows. */
  readonly sequence: number;
  /** Why it must not answer, in a sentence; undefined if it may. */
  readonly unfit: string | undefined;
  /** Waits until it knows a change. Resolves to whether it does: not if that takes long, or too many wait. */
  reach(sequence: number): Promise<boolean>;
}

/**
 * Takes the steps of a request once its machine knows the changes that it asks for.
 * @param count counts a request that is refused or has to wait, since only so many can wait
 * @throws Failure `STORE_UNAVAILABLE` where it must not answer, or does not know them in time; `PARAMETER_INVALID`
 */
export function onceFit<T>(
  node: Node,
  request: IncomingRequest,
  count: () => void,
  steps: () => T | Promise<T>,
): T | Promise<T> {
  if (node.unfit !== undefined) {
    count();
    throw new Failure("STORE_UNAVAILABLE", "This machine cannot answer at the moment. Nothing was changed.", {
      hint: "Try again in a moment; another machine may answer.",
      operatorHint: node.unfit,
    });
  }
  const expected = request.header("addon-at-least");
  if (expected === null) return steps();
  const isValid = /^\d{1,15}$/.test(expected);
  if (isValid && node.sequence >= Number(expected)) return steps();
  count();
  if (!isValid) {
    throw new Failure("PARAMETER_INVALID", "Expected the number of a change, as in Addon-Sequence.", {
      parameter: "Addon-At-Least",
    });
  }
  return node.reach(Number(expected)).then((isKnown) => {
    if (isKnown) return steps();
    throw new Failure("STORE_UNAVAILABLE", "This machine does not know that change yet.", {
      hint: "Try again in a moment.",
    });
  });
}

/** Adds the number of the last change that a machine knows to its answer. */
export function withSequence(node: Node, answer: Answer | Promise<Answer>): Answer | Promise<Answer> {
  if (answer instanceof Promise) return answer.then((settled) => withSequence(node, settled));
  const exposed = ["Access-Control-Expose-Headers", "Addon-Sequence"];
  answer.headers.push("Addon-Sequence", String(node.sequence), ...exposed);
  return answer;
}
