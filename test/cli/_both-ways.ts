/** Tests of commands that have to do the same offline and beside a running service. */
import { describe, type TestContext } from "node:test";
import { type Desk, seededDesk } from "./_setup.ts";

/** Declares tests offline, and beside a service that runs on the folder. */
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
