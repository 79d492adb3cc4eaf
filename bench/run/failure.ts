/** How the bench itself can fail; a goal that is missed is no failure. */

/** A wrong answer, or a process that did not start: what was measured can not be trusted. */
export class BenchFailure extends Error {
  override readonly name = "BenchFailure";
}

/** Something that a row needs is not there: the row says so, and the others go on. */
export class NotMeasured extends Error {
  override readonly name = "NotMeasured";
}

/** @throws BenchFailure with the message, where a condition does not hold */
export function ensure(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new BenchFailure(message());
}
