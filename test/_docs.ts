/** What the tests of the documentation page share: a service as `addon-cli serve` runs it. */
import type { Cleanup } from "./_setup.ts";
import { type Desk, type Running, seededDesk } from "./cli/_setup.ts";

export interface Docs {
  readonly desk: Desk;
  readonly serving: Running;
  /** The address of the service, without a slash at the end. */
  readonly url: string;
}

/** Serves, with Ada, who is in the police, and a wanted reason. */
export async function serveDocs(t: Cleanup): Promise<Docs> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "POLICE:4");
  await desk.ok("call", "/wantedreason/add", "reason=Bank-robbery", "points=60");
  const serving = desk.serve();
  const [, url = ""] = await serving.shows(/^Documentation: (\S+)\/docs$/m);
  return { desk, serving, url };
}
