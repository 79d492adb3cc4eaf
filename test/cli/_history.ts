/** A desk with a short history, for the tests of `audit`. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Desk, linesOf, seededDesk } from "./_setup.ts";

export const ada = "00000000-0000-0000-0000-00000000ada0";
export const adaKey = "0000000000000000000000000000ada0";

/** Returns a desk with a short history, whose change 1 is the seed. */
export async function deskWithHistory(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--uuid", ada, "--member", "POLICE:3"); // 2
  await desk.ok("member", "set", "Ada", "POLICE", "4"); // 3
  await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10", "--as", "Ada"); // 4
  await desk.ok("call", "/wantedreason/remove", "reason=Theft"); // 5
  return desk;
}

/** Returns the cells of each line of a pipe, without the time. */
export async function cells(desk: Desk, ...args: readonly string[]): Promise<string[][]> {
  return linesOf(await desk.ok("audit", "--values", ...args)).map((line) => {
    const [number = "", time = "", ...rest] = line.split("\t");
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    return [number, ...rest];
  });
}
