/** Tests of the TypeScript client in a page of another origin, without a bundler. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { onlyInFull } from "../_depth.ts";
import { type Cleanup, openAs, temporaryFolder } from "../_setup.ts";
import { noBrowser, openPage, startBrowser } from "../http/_browser.ts";
import { installClient } from "./_client.ts";

type Client = typeof import("../../client/typescript/src/index.ts");

/** Serves an empty page and the client's modules. */
async function servePage(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t);
  await installClient(folder);
  const dist = join(folder, "node_modules", "gameaddon-client", "dist");
  const server = createServer(async ({ url = "/" }, response) => {
    const isModule = url.endsWith(".js");
    response.writeHead(200, { "Content-Type": isModule ? "text/javascript" : "text/html" });
    response.end(isModule ? await readFile(join(dist, url)) : "<!doctype html><link rel=icon href=data:,>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}/`;
}

test("a page of another origin uses the client as it is", { skip: noBrowser || onlyInFull }, async (t) => {
  const { world, token } = await openAs(t, "Ada", {}, { transport: "socket" });
  const { page } = await openPage(t, await startBrowser(t));
  await page.goto(await servePage(t));
  const seen = await page.evaluate(
    async ([baseUrl, given]) => {
      const modules = "/index.js";
      const { GameAddonClient, GameAddonError }: Client = await import(modules);
      const client = new GameAddonClient({ baseUrl, token: given, addonVersion: "2.5.1" });
      const lists = await client.get("/bundle");
      const again = (await client.get("/bundle")) && (await client.get("/bundle"));
      const kill = { path: { player: "Ada" }, query: { type: "KILL" } } as const;
      const { info } = await client.get("/statistic/{player}/add", kill);
      const refused = await client
        .get("/targetlist/done", { query: { name: "Nobody" } })
        .catch((error) => error);
      const code = refused instanceof GameAddonError && refused.code;
      return { isSame: JSON.stringify(lists) === JSON.stringify(again), info, code };
    },
    [world.url, token] as const,
  );
  assert.deepEqual(seen, { isSame: true, info: "Added one KILL for Ada.", code: "RESTRICTED" });
  const bundles = world.log.filter(({ route }) => route === "/bundle");
  assert.deepEqual(
    bundles.map(({ method, status }) => `${method} ${status}`),
    ["OPTIONS 204", "GET 200", "GET 304", "GET 304"],
  );
});
