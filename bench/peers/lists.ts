/**
 * Peers that only answer a list, without any check, as their guides show it: for orientation.
 *
 *     node lists.js --framework h3|hono|express|json-server --state <file>
 */
import { createServer, type RequestListener } from "node:http";
import { parseArgs } from "node:util";
import { listenAndAnnounce } from "./listen.ts";
import { readState } from "./state.ts";

type List = readonly object[];

const path = "/gameaddon/v1/:token/wantedreason";

/** Each loads only its own framework. */
const frameworks: Readonly<Record<string, (list: List) => Promise<RequestListener>>> = {
  async h3(list) {
    const { H3, toNodeHandler } = await import("h3");
    return toNodeHandler(new H3().get(path, () => list)) as RequestListener;
  },
  async hono(list) {
    const { Hono } = await import("hono");
    const { getRequestListener } = await import("@hono/node-server");
    const app = new Hono();
    app.get(path, (context) => context.json(list));
    return getRequestListener(app.fetch);
  },
  async express(list) {
    const { default: express } = await import("express");
    const app = express();
    app.get(path, (_request, response) => response.json(list));
    return app;
  },
  async "json-server"(list) {
    const { default: jsonServer } = await import("json-server");
    const app = jsonServer.create();
    app.use(jsonServer.defaults({ logger: false }));
    app.use("/gameaddon/v1/:token", jsonServer.router({ wantedreason: list }));
    return app;
  },
};

const { values: options } = parseArgs({
  options: { framework: { type: "string", default: "" }, state: { type: "string", default: "" } },
});
const create = frameworks[options.framework];
if (create === undefined) throw new Error(`there is no framework "${options.framework}"`);
listenAndAnnounce(createServer(await create(readState(options.state).wantedReasons)));
