/** Navi points. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { assertFailure, openAs, shippedRoutes } from "../_setup.ts";

const pier = { name: "Pier", x: 1, y: -2, z: 3, article: "der" };

describe("/navipoint", () => {
  it("/navipoint answers an empty list at first, then the points by name", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    assert.deepEqual(await world.ok(token, "/navipoint"), []);
    const hall = { name: "city-Hall", x: 0, y: 0, z: 0, article: "das" };
    const bank = { name: "Bank", x: 100, y: 64, z: -100, article: "die" };
    for (const point of [pier, hall, bank]) await world.ok(token, "/navipoint/add", point);
    assert.deepEqual(await world.ok(world.publicToken, "/navipoint"), [bank, hall, pier]);
  });

  it("/navipoint accepts coordinates of 32 bits, negative ones too", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const far = { ...pier, x: -2147483648, y: 2147483647, z: -1 };
    await world.ok(token, "/navipoint/add", far);
    assert.deepEqual(await world.ok(token, "/navipoint"), [far]);
    for (const axis of ["x", "y", "z"]) {
      for (const value of ["2147483648", "-2147483649", "", "north", "--1", "NaN"]) {
        const query = { ...pier, name: "Other", [axis]: value };
        assertFailure(await world.get(token, "/navipoint/add", query), 400, "PARAMETER_INVALID", axis);
      }
    }
    assert.deepEqual(await world.ok(token, "/navipoint"), [far]);
  });

  it("/navipoint stores the block of a coordinate with decimals", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const [sent, stored] of [
      ["-0", 0],
      ["-120.5", -121],
      ["120.5", 120],
      ["-0.0", 0],
      ["-0.30000001", -1],
      ["64.99999", 64],
      ["2147483647.5", 2147483647],
      ["-2147483647.5", -2147483648],
      // As Java's Float.toString and Double.toString write them, and JavaScript.
      ["1.0E7", 10_000_000],
      ["1.2345678E7", 12_345_678],
      ["-1.0E-5", -1],
      ["1.0E-5", 0],
      ["-1.5e-7", -1],
      ["6.123233995736766E-17", 0],
    ] as const) {
      await world.ok(token, "/navipoint/add", { ...pier, x: sent });
      assert.deepEqual(await world.ok(token, "/navipoint"), [{ ...pier, x: stored }], sent);
      // The block identifies the position: the same one again changes nothing.
      await world.ok(token, "/navipoint/add", { ...pier, x: stored });
      await world.ok(token, "/navipoint/remove", { name: "Pier" });
    }
  });

  it("/navipoint refuses decimals that are out of range after rounding, or malformed", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const value of [
      "2147483648.0",
      "-2147483648.5",
      "1.0E10",
      "1e999",
      "1.",
      ".5",
      "1,5",
      "1.5f",
      "0x10",
      "1.0E",
      "1.2.3",
      "Infinity",
      "-Infinity",
      `1.${"0".repeat(60)}`,
    ]) {
      const answer = await world.get(token, "/navipoint/add", { ...pier, z: value });
      assertFailure(answer, 400, "PARAMETER_INVALID", "z");
      assert.match(
        answer.body.info,
        /a number from -2147483648 to 2147483647 \(decimals are rounded down\), not "/,
      );
    }
    assert.deepEqual(await world.ok(token, "/navipoint"), []);
  });

  it("/navipoint checks the range of a narrower table after rounding", async (t) => {
    const shipped = await readFile(shippedRoutes, "utf8");
    const narrow = "coordinate: { type: integer, minimum: -64, maximum: 319 }";
    const routes = shipped.replace("coordinate: { type: integer }", narrow);
    assert.notEqual(routes, shipped);
    const { world, token } = await openAs(t, "Root", { administrator: true }, { routes });
    await world.ok(token, "/navipoint/add", { ...pier, y: "319.9" });
    for (const y of ["-64.1", "320"]) {
      const answer = await world.get(token, "/navipoint/add", { ...pier, name: "Other", y });
      assertFailure(answer, 400, "PARAMETER_INVALID", "y");
    }
  });

  it("/navipoint refuses decimals for other whole numbers", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { POLICE: 4 } });
    for (const points of ["1.5", "1.0", "1e2"]) {
      const answer = await world.get(token, "/wantedreason/add", { reason: "Theft", points });
      assertFailure(answer, 400, "PARAMETER_INVALID", "points");
    }
  });

  it("/navipoint removes a point by its name in any case, whatever its article", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.ok(token, "/navipoint/add", pier);
    const wordy = await world.get(token, "/navipoint/remove", { name: "Pier", article: "der" });
    assertFailure(wordy, 400, "PARAMETER_UNKNOWN", "article");
    await world.ok(token, "/navipoint/remove", { name: "PIER" });
    assert.deepEqual(await world.ok(token, "/navipoint"), []);
    assertFailure(await world.get(token, "/navipoint/remove", { name: "Pier" }), 404, "UNKNOWN_ENTRY");
  });
});
