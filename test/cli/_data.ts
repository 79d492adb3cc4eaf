/** Helpers of the tests of `data`: desks with a history, a service beside them, damage. */
import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { controlOf } from "../../src/control/control.ts";
import { startControl } from "../../src/control/server.ts";
import { Service } from "../../src/service.ts";
import { shippedRoutes } from "../_setup.ts";
import { type Desk, emptyDesk } from "./_setup.ts";

export interface StatusDocument {
  readonly folder: string;
  readonly bytes: Readonly<Record<string, number>>;
  readonly records: Readonly<Record<string, number>>;
  readonly lastChange: { readonly sequence: number; readonly instant: number } | null;
  readonly lastSnapshot: { readonly sequence: number; readonly instant: number } | null;
  readonly journalFrom: { readonly sequence: number };
  readonly reachesBackTo: number | null;
  readonly holder: { readonly pid: number; readonly url: string; readonly since: number } | null;
  readonly problem: string | null;
}

export interface VerifyDocument {
  readonly ok: boolean;
  readonly problems: readonly { readonly file: string; readonly offset: number; readonly what: string }[];
}

/** Runs a service on the desk's folder in this process, with its control socket, until the end of the test. */
export async function running(desk: Desk): Promise<Service> {
  const service = await Service.open({ folder: desk.data, routes: shippedRoutes });
  await service.loadTable();
  const holder = { pid: 4711, url: "http://127.0.0.1:8888", since: Date.parse("2026-03-01T12:00:00Z") };
  const control = await startControl(desk.data, controlOf(service, async () => service, holder));
  desk.beforeClear(async () => {
    await control.close();
    await service.close();
  });
  return service;
}

/** Returns the names of the registered players. */
export async function players(desk: Desk): Promise<string[]> {
  return (await desk.json<{ name: string }[]>("player", "list")).map(({ name }) => name).sort();
}

/** Returns a desk with Ada registered at 12:00, Bob at 13:00 and Cleo at 14:00 on March 1st, and a snapshot after Ada. */
export async function deskWithPast(t: TestContext): Promise<Desk> {
  const desk = await emptyDesk(t);
  await copyFile(shippedRoutes, join(desk.folder, "routes.yaml"));
  const names = { groups: ["CEO", "BLACKLIST", "TARGETLIST"], services: ["RESCUE", "POLICE"] };
  const past = { Ada: "2026-03-01T12:00:00Z", Bob: "2026-03-01T13:00:00Z", Cleo: "2026-03-01T14:00:00Z" };
  for (const [name, time] of Object.entries(past)) {
    const now = () => Date.parse(time);
    const service = await Service.open({ folder: desk.data, routes: shippedRoutes, now });
    if (name === "Ada") await service.administer("seed.groups", names);
    await service.administer("player.add", { name });
    if (name === "Ada") await service.store.snapshot();
    await service.close();
  }
  return desk;
}

/** Damages the line of a journal that contains a text. */
export async function damage(desk: Desk, name: string, text: string): Promise<void> {
  const path = join(desk.data, name);
  const bytes = await readFile(path);
  const at = bytes.indexOf(text);
  assert.ok(at > 0);
  bytes.write("?", at);
  await writeFile(path, bytes);
}
