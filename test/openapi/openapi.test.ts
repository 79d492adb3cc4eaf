/** The served description: without a token, always that of the table in force, and like any other read. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { describeTable, type OpenApiDocument } from "../../src/openapi/openapi.ts";
import { assertFailure, describeOverTransports, openWorld, prefix, type World } from "../_setup.ts";

const files = ["openapi.json", "openapi.yaml"] as const;
const types = { "openapi.json": "application/json; charset=utf-8", "openapi.yaml": "application/yaml" };

/** Requests a file as text, since YAML is no JSON. */
async function ask(world: World, file: string, init: RequestInit = {}): Promise<Response> {
  const url = `${world.url}${prefix}/${file}`;
  return world.url.startsWith("http://in-process")
    ? world.service.fetch(new Request(url, init))
    : fetch(url, init);
}

/** Returns the description of the table in force. */
function expected({ service }: World): OpenApiDocument {
  const document = describeTable(service.routes.table, service.vocabulary());
  return JSON.parse(JSON.stringify(document));
}

describeOverTransports("the description", (transport) => {
  it("needs no token, is in JSON and YAML, and is that of the table in force", async (t) => {
    const world = await openWorld(t, { transport });
    for (const file of files) {
      const answer = await ask(world, file, { headers: { "Accept-Encoding": "identity" } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), types[file]);
      const text = await answer.text();
      assert.equal(Number(answer.headers.get("content-length")), Buffer.byteLength(text));
      assert.deepEqual(file === "openapi.yaml" ? parse(text) : JSON.parse(text), expected(world));
    }
  });

  it("is answered like every read: headers, HEAD, preflight, a slash at the end", async (t) => {
    const world = await openWorld(t, { transport });
    for (const file of files) {
      const get = await ask(world, file, { headers: { "Accept-Encoding": "identity" } });
      const head = await ask(world, file, { method: "HEAD", headers: { "Accept-Encoding": "identity" } });
      const slash = await ask(world, `${file}/`);
      const options = await ask(world, file, { method: "OPTIONS" });
      assert.deepEqual([get.status, head.status, slash.status, options.status], [200, 200, 200, 204]);
      assert.equal(await head.text(), "");
      for (const name of ["content-type", "content-length", "etag", "cache-control", "vary"]) {
        assert.ok(get.headers.get(name) !== null, name);
        assert.equal(head.headers.get(name), get.headers.get(name), name);
      }
      assert.equal(get.headers.get("cache-control"), "private, no-cache");
      assert.equal(options.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
      for (const { headers } of [get, head, slash, options]) {
        assert.equal(headers.get("x-content-type-options"), "nosniff");
        assert.equal(headers.get("referrer-policy"), "no-referrer");
        assert.equal(headers.get("access-control-allow-origin"), "*");
        assert.match(headers.get("x-request-id") ?? "", /^[\w-]{36}$/);
      }
    }
  });

  it("is not sent again to clients that have it, and is compressed for clients that accept that", async (t) => {
    const world = await openWorld(t, { transport });
    for (const file of files) {
      const plain = await ask(world, file, { headers: { "Accept-Encoding": "identity" } });
      const gzip = await ask(world, file, { headers: { "Accept-Encoding": "gzip" } });
      assert.equal(gzip.headers.get("content-encoding"), "gzip");
      const bytes = Buffer.from(await gzip.arrayBuffer());
      // A client over a socket has decompressed it already.
      const text = transport === "socket" ? bytes : gunzipSync(bytes);
      assert.equal(text.toString(), await plain.text());
      for (const { headers } of [plain, gzip]) {
        const again = await ask(world, file, { headers: { "If-None-Match": headers.get("etag") ?? "" } });
        assert.equal(again.status, 304);
        assert.equal(await again.text(), "");
      }
    }
  });

  it("has no other methods: 405, in the form of every failure", async (t) => {
    const world = await openWorld(t, { transport });
    for (const file of files) {
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const answer = await world.request(`${prefix}/${file}`, { method });
        assertFailure(answer, 405, "METHOD_NOT_ALLOWED");
        assert.equal(answer.headers.get("allow"), "GET, HEAD, OPTIONS");
      }
    }
  });

  it("is logged like every request, by its name", async (t) => {
    const world = await openWorld(t, { transport });
    await ask(world, "openapi.json");
    await ask(world, "openapi.yaml", { method: "POST" });
    const lines = world.log.map(({ route, method, status, caller, code }) => [
      route,
      method,
      status,
      caller,
      code,
    ]);
    assert.deepEqual(lines, [
      ["openapi.json", "GET", 200, null, null],
      ["openapi.yaml", "POST", 405, null, "METHOD_NOT_ALLOWED"],
    ]);
  });
});

const table = (restriction: string) => `
prefix: /addon/{key}/v2
routes:
  /wantedreason: { summary: W., restriction: ${restriction}, handler: wantedreason.list }
`;

describe("the description is always that of the table in force", () => {
  it("changes after a reload with another restriction, but not after one that was refused", async (t) => {
    const world = await openWorld(t, { routes: table("open") });
    const told = async () => {
      const { body } = await world.request("/addon/openapi.json");
      const { get } = body.paths["/addon/{key}/v2/wantedreason"];
      return [get["x-restriction"], get.description, get.responses["403"] !== undefined];
    };
    const open = ["open", "Who may call it: everyone with a valid token.", false];
    assert.deepEqual(await told(), open);
    const etag = (await world.request("/addon/openapi.json")).headers.get("etag") ?? "";
    const file = join(world.folder, "routes.yaml");
    await writeFile(file, table("{ service: POLCE }"));
    await assert.rejects(world.service.reloadRoutes(), /POLCE/);
    assert.deepEqual(await told(), open);
    await writeFile(file, table("{ service: POLICE, rank: 3 }"));
    await world.service.reloadRoutes();
    assert.deepEqual(await told(), [
      { service: "POLICE", rank: 3 },
      "Who may call it: members of the service POLICE with rank 3 or higher.",
      true,
    ]);
    const changed = await world.request("/addon/openapi.json", { headers: { "If-None-Match": etag } });
    assert.equal(changed.status, 200);
  });

  it("has new names at once", async (t) => {
    const world = await openWorld(t);
    const groups = async () => {
      const { body } = await world.request(`${prefix}/openapi.json`);
      const { parameters, responses } = body.paths[`${prefix}/{tokenString}/player`].get;
      assert.equal(parameters.length, 2);
      return responses["200"].content["application/json"].schema.propertyNames.enum;
    };
    const before = await groups();
    assert.ok(!before.includes("NEW"), before.join());
    await world.service.administer("seed.groups", { groups: ["NEW"], factions: [], services: [] });
    assert.deepEqual(await groups(), [...before, "NEW"]);
    await world.ok(world.publicToken, "/player");
  });

  it("is nowhere else: neither after a token nor at the root", async (t) => {
    const world = await openWorld(t, { routes: table("open") });
    for (const path of [
      "/openapi.json",
      `/addon/${world.publicToken}/openapi.json`,
      "/addon/x/v2/openapi.yaml",
    ]) {
      assertFailure(await world.request(path), 404, "UNKNOWN_PATH");
    }
    const hint = await world.request(`/addon/${world.publicToken}/v2/wantedreasn`);
    assert.equal(hint.body.hint, "Did you mean /addon/{key}/v2/wantedreason?");
  });
});

it("the description never contains a token that was used", async (t) => {
  const world = await openWorld(t);
  const { token } = await world.player("Ada");
  await world.ok(token, "/player");
  for (const file of files) {
    const text = await (await ask(world, file)).text();
    assert.ok(!text.includes(token) && !text.includes(world.publicToken), `${file} has a token in it`);
    assert.doesNotMatch(text, /gat_[A-Za-z0-9_-]{43}/);
  }
});
