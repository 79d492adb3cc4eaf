/** The caller in the log and the journal: a public token's id, and the client's address if enabled. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import type { JournalRecord } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { everyRight, openAs, openWorld, prefix, type World } from "../_setup.ts";

async function lastChange({ service }: World): Promise<JournalRecord | undefined> {
  let last: JournalRecord | undefined;
  for await (const record of readHistory(nodeFiles, service.store.folder)) last = record;
  return last;
}

describe("a request with a public token", () => {
  it("a request is logged with the id of a public token, or else with the player's UUID", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada");
    const [id] = Array.from(world.service.store.data.tokens.values(), (token) => token.id);
    await world.ok(world.publicToken, "/wantedreason");
    assert.equal(world.log.at(-1)?.caller, null);
    assert.equal(world.log.at(-1)?.token, id);
    await world.get(world.publicToken, "/wantedreason/add", { reason: "Theft", points: 1 });
    assert.equal(world.log.at(-1)?.token, id);
    await world.ok(token, "/wantedreason");
    assert.equal(world.log.at(-1)?.caller, uuid);
    assert.equal(world.log.at(-1)?.token, undefined);
  });

  it("a change is journalled with the id of a public token, or else with the player's UUID", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", everyRight);
    const [id] = Array.from(world.service.store.data.tokens.values(), (token) => token.id);
    await world.ok(world.publicToken, "/event/gangwar", { attacker: 1, defender: 2 });
    const byPublic = await lastChange(world);
    assert.deepEqual([byPublic?.who, byPublic?.token], ["public", id]);
    await world.ok(token, "/wantedreason/add", { reason: "Theft", points: 1 });
    const byAda = await lastChange(world);
    assert.ok(byAda !== undefined, "the change is in the journal");
    assert.deepEqual([byAda.who, "token" in byAda], [uuid, false]);
  });
});

describe("the client's address", () => {
  it("the client's address is not logged by default", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    await world.ok(world.publicToken, "/wantedreason");
    assert.equal(world.log.at(-1)?.address, undefined);
  });

  it("the client's address is logged if enabled, even for malformed requests", async (t) => {
    const world = await openWorld(t, { transport: "socket", logAddress: true });
    await world.ok(world.publicToken, "/wantedreason");
    await world.get(world.publicToken, "/statistic/%C3%84da");
    await world.request("/elsewhere");
    await world.request(`${prefix}/%ZZ`);
    const { port, hostname } = new URL(world.url);
    for (const bytes of [
      "GET / HTTP/1.1\r\n\r\n",
      "NONSENSE\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
    ]) {
      const socket = connect(Number(port), hostname);
      socket.resume().write(bytes);
      await once(socket, "close");
    }
    assert.deepEqual(
      world.log.map(({ code, address }) => [code, address]),
      [
        null,
        "UNKNOWN_PLAYER",
        "UNKNOWN_PATH",
        "PARAMETER_INVALID",
        "REQUEST_MALFORMED",
        "REQUEST_MALFORMED",
        "METHOD_NOT_ALLOWED",
      ].map((code) => [code, "127.0.0.1"]),
    );
  });
});
