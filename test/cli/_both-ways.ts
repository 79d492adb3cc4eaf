/** Declares tests of commands twice: offline, and beside a running service. */
import { describe, type TestContext } from "node:test";
import { type Desk, seededDesk } from "./_setup.ts";

/** Declares the tests for an offline folder, and for one with a running service. */
export function describeBothWays(
  name: string,
  declare: (open: (t: TestContext) => Promise<Desk>) => void,
): void {
  describe(`${name}, offline`, () => declare(seededDesk));
  describe(`${name}, beside a running service`, () =>
    declare(async (t) => {
      const desk = await seededDesk(t);
      await desk.serve().shows(/Listening on/);
      return desk;
    }));
}
