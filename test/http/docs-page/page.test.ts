/** The documentation page as it is served. `docs-page-browser.test.ts` tests it in a browser. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { gunzipSync } from "node:zlib";
import { assertIncludes, prefix, shared } from "../../_setup.ts";
import { ask, assertPageFailure, requestsIn, serveDocs } from "./_docs.ts";

const types = {
  "/docs": "text/html",
  "/docs/": "text/html",
  "/docs/page.css": "text/css",
  "/docs/page.js": "text/javascript",
  "/docs/description.js": "text/javascript",
  "/docs/plugin.js": "text/javascript",
  "/docs/clients.md": "text/plain",
  "/docs/typescript-client.md": "text/plain",
  "/docs/swagger-ui.css": "text/css",
  "/docs/swagger-ui.js": "text/javascript",
};

/** For the tests that only read: together they request more pages than the limit allows. */
const docs = shared((t) => serveDocs(t, ["--limits", "off"]));

it("the documentation page and its files have security headers", async () => {
  const { url } = docs();
  for (const [path, type] of Object.entries(types)) {
    const { status, headers, body } = await ask(url, path);
    assert.equal(status, 200, path);
    assert.ok(body.length > 0, path);
    assert.equal(headers.get("content-type"), `${type}; charset=utf-8`);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/);
    const policy = headers.get("content-security-policy") ?? "";
    assert.deepEqual(policy.split("; ").sort(), [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
    ]);
  }
});

it("the documentation page and its files are compressed, have ETags, and answer HEAD", async () => {
  const { url } = docs();
  for (const path of Object.keys(types)) {
    const plain = await ask(url, path);
    const gzip = await ask(url, path, { "Accept-Encoding": "gzip, deflate, br" });
    assert.equal(gzip.headers.get("content-encoding"), "gzip", path);
    assert.ok(gunzipSync(gzip.body).equals(plain.body), path);
    for (const { headers } of [plain, gzip]) {
      assert.match(headers.get("cache-control") ?? "", /no-cache/);
      const etag = headers.get("etag") ?? "";
      const again = await ask(url, path, { "If-None-Match": etag, "Accept-Encoding": "gzip" });
      assert.equal(again.status, 304, path);
      assert.equal(again.body.length, 0);
    }
    const head = await ask(url, path, {}, "HEAD");
    assert.equal(head.status, 200, path);
    assert.equal(head.headers.get("content-length"), String(plain.body.length));
    assert.equal(head.body.length, 0);
  }
});

it("the documentation page links to the description of the table in force, also after a reload", async (t) => {
  const { desk, serving, url } = await serveDocs(t);
  const named = async () =>
    /rel="service-desc".* href="([^"]*)"/.exec((await ask(url, "/docs?x")).body.toString())?.[1];
  const before = await named();
  assert.equal(before, `${prefix}/openapi.json`);
  assert.equal((await ask(url, before)).status, 200);
  await desk.write(
    "routes.yaml",
    `prefix: /other/{tokenString}
routes:
  /player/groups: { summary: Returns all groups., restriction: open, handler: player.groups }
`,
  );
  await desk.ok("routes", "reload", "--yes");
  const after = await named();
  assert.equal(after, "/other/openapi.json");
  assert.equal((await ask(url, after)).status, 200);
  assert.equal(await serving.stop(), 0);
});

it("the documentation page allows only GET and HEAD, and answers a preflight", async () => {
  const { url } = docs();
  for (const path of ["/", "/docs", "/docs/page.js"]) {
    for (const method of ["POST", "PUT", "DELETE", "PROPFIND"]) {
      const answer = await ask(url, path, {}, method);
      assertPageFailure(answer, 405, "METHOD_NOT_ALLOWED");
      assert.equal(answer.headers.get("allow"), "GET, HEAD, OPTIONS");
    }
    const preflight = await ask(url, path, {}, "OPTIONS");
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
  }
});

it("paths below /docs reach only the files of the documentation page", async () => {
  const { url } = docs();
  for (const path of [
    "/docs/page.html",
    "/docs/swagger-ui-bundle.js",
    "/docs/swagger-ui-bundle.js.map",
    "/docs/package.json",
    "/docs/page.js/",
    "/docs//page.js",
    "/docs/../package.json",
    "/docs/../docs-page.ts",
    "/docs/..%2fpackage.json",
    "/docs/%2e%2e/package.json",
    "/docs/%2e%2e%2f%2e%2e%2fpackage.json",
    "/docs/constructor",
    "/docs/__proto__",
    "/docspage.js",
    "/docs.js",
  ]) {
    assertPageFailure(await ask(url, path), 404, "UNKNOWN_PATH");
  }
});

it("each request for the documentation page is logged as /docs, without its path and query", async (t) => {
  const { serving, url } = await serveDocs(t);
  await ask(url, "/docs?gat_secret");
  await ask(url, "/docs/swagger-ui.css");
  await ask(url, "/docs", {}, "POST");
  await ask(url, "/docs/secret");
  assert.equal(await serving.stop(), 0);
  assert.deepEqual(
    requestsIn(serving).map(({ method, route, status, caller }) => [method, route, status, caller]),
    [
      ["GET", "/docs", 200, null],
      ["GET", "/docs", 200, null],
      ["POST", "/docs", 405, null],
      ["GET", null, 404, null],
    ],
  );
  assert.doesNotMatch(serving.stderr.text, /secret/);
});

it("serve prints the addresses of the service and of the documentation page", async (t) => {
  const { serving, url } = await serveDocs(t);
  assertIncludes(
    serving.stdout.text,
    `Documentation: ${url}/docs\nListening on ${url}${prefix}/{tokenString}\n`,
  );
});
