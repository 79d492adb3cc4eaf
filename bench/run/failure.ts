/** The failures of the bench itself. A missed goal is not one of them. */

/** A wrong answer, or a process that did not start: the measurement cannot be trusted. */
export class BenchFailure extends Error {
  override readonly name = "BenchFailure";
}

/** Something that a row needs is missing. The row says so, and the others are measured. */
export class NotMeasured extends Error {
  override readonly name = "NotMeasured";
}

/** @throws BenchFailure with the message, unless the condition holds */
export function ensure(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new BenchFailure(message());
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
