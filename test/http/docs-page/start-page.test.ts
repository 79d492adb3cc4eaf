/** The start page at `/`: HTML for browsers, JSON for programs, with links to the documentation. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { prefix, shared } from "../../_setup.ts";
import { ask, assertPageFailure, requestsIn, serveDocs } from "./_docs.ts";

/** The `Accept` of browsers when an address is opened. */
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const links = {
  documentation: "/docs",
  openapiJson: `${prefix}/openapi.json`,
  openapiYaml: `${prefix}/openapi.yaml`,
  clientGuide: "/docs/clients.md",
  typescriptClient: "/docs/typescript-client.md",
};

/** For the tests that only read: together they request more pages than the limit allows. */
const docs = shared((t) => serveDocs(t, ["--limits", "off"]));

it("the start page has the links of its JSON as HTML as well, and each works", async () => {
  const { url } = docs();
  const json = await ask(url, "/");
  assert.equal(json.status, 200);
  assert.equal(json.headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(JSON.parse(json.body.toString()), links);
  const html = await ask(url, "/", { Accept: browser });
  assert.equal(html.status, 200);
  assert.equal(html.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(html.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const hrefs = [...html.body.toString().matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
  for (const path of Object.values(links)) assert.ok(hrefs.includes(path), path);
  for (const path of new Set([...hrefs, ...Object.values(links)]))
    if (path?.startsWith("/")) assert.equal((await ask(url, path)).status, 200, path);
});

it("the start page is HTML only if the client prefers HTML to JSON", async () => {
  const { url } = docs();
  const isHTML = {
    [browser]: true,
    "text/html": true,
    "TEXT/HTML; q=0.5, application/json; q=0.4": true,
    "text/html; q=0.4, application/json": false,
    "application/json, text/html": false,
    "text/html;q=0": false,
    "application/json": false,
    "*/*": false,
    "text/*": false,
    ",;,": false,
    // A header of more than 1,000 characters counts as absent.
    [`text/html,${"x".repeat(990)}`]: true,
    [`text/html,${"x".repeat(991)}`]: false,
  };
  for (const [accept, expected] of Object.entries(isHTML)) {
    const { headers, status } = await ask(url, "/?x", { Accept: accept });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type")?.startsWith("text/html"), expected, accept);
    // A cache must not answer with the other form.
    assert.match(headers.get("vary") ?? "", /\bAccept\b(?!-)/);
    const again = await ask(url, "/", { Accept: accept, "If-None-Match": headers.get("etag") ?? "" });
    assert.equal(again.status, 304, accept);
    assert.match(again.headers.get("vary") ?? "", /\bAccept\b(?!-)/);
  }
});

it("the start page answers HEAD without a body, and is logged by its path", async (t) => {
  const { url, serving } = await serveDocs(t);
  const get = await ask(url, "/?gat_secret");
  const head = await ask(url, "/", {}, "HEAD");
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), String(get.body.length));
  assert.equal(head.body.length, 0);
  assert.equal(await serving.stop(), 0);
  assert.deepEqual(
    requestsIn(serving).map(({ method, route, status }) => [method, route, status]),
    [
      ["GET", "/", 200],
      ["HEAD", "/", 200],
    ],
  );
  assert.doesNotMatch(serving.stderr.text, /secret/);
});

it("paths similar to that of the start page are unknown", async () => {
  const { url } = docs();
  for (const path of ["//", "/.", "/index.html", "/start.html", "/%2f"]) {
    assertPageFailure(await ask(url, path), 404, "UNKNOWN_PATH");
  }
});
