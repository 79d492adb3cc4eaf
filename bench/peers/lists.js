/**
 * Peers that only answer a list, without any check, as their guides show it: for orientation.
 *
 *     node lists.js --framework h3|hono|express|json-server --state <file>
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { announce } from "./announce.js";

const path = "/gameaddon/v1/:token/wantedreason";

/** Each loads only its own framework, and returns a request listener. */
const frameworks = {
  async h3(list) {
    const { H3, toNodeHandler } = await import("h3");
    return toNodeHandler(new H3().get(path, () => list));
  },
  async hono(list) {
    const { Hono } = await import("hono");
    const { getRequestListener } = await import("@hono/node-server");
    return getRequestListener(new Hono().get(path, (context) => context.json(list)).fetch);
  },
  async express(list) {
    const { default: express } = await import("express");
    return express().get(path, (_request, response) => response.json(list));
  },
  async "json-server"(list) {
    const { default: jsonServer } = await import("json-server");
    const app = jsonServer.create();
    app.use(jsonServer.defaults({ logger: false }));
    return app.use("/gameaddon/v1/:token", jsonServer.router({ wantedreason: list }));
  },
};

const { values: options } = parseArgs({
  options: { framework: { type: "string" }, state: { type: "string" } },
});
const { wantedReasons } = JSON.parse(readFileSync(options.state, "utf8"));
const server = createServer(await frameworks[options.framework](wantedReasons));
server.listen(0, "127.0.0.1", () => announce(server));
