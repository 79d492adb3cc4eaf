/**
 * The Fastify peer: the same checks and answers as the service's, written by hand as an expert in Fastify would; data in
 * Maps, or statistics in SQLite. Each request has one log line, by Fastify's own pino in its fast mode.
 *
 *     node fastify.js --state <file> [--sqlite <file> --synchronous FULL|NORMAL]
 */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { parseArgs } from "node:util";
import Fastify from "fastify";
import pino from "pino";
import { announce } from "./announce.js";
import { People } from "./people.js";
import { mapStatistics, sqliteStatistics } from "./statistics.js";

/** A refusal, with its status and code. */
class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const counterOf = {
  DEATH: "deaths",
  KILL: "kills",
  PLAYTIME: "playTime",
  REVIVE: "revives",
  SERVICE: "services",
};

const { values: options } = parseArgs({
  options: { state: { type: "string" }, sqlite: { type: "string" }, synchronous: { type: "string" } },
});
const state = JSON.parse(readFileSync(options.state, "utf8"));
const people = new People(state);
const statistics =
  options.sqlite === undefined
    ? mapStatistics(state.statistics)
    : await sqliteStatistics(options.sqlite, options.synchronous, state.statistics);
const reasons = new Map(state.wantedReasons.map((each) => [each.reason, each]));

const app = Fastify({
  // Lines are written 4 KiB at a time, which is faster than one write per line.
  logger: { level: "info", stream: pino.destination({ fd: 2, sync: false, minLength: 4096 }) },
  disableRequestLogging: true,
  genReqId: () => randomUUID(),
  // One line per request needs no logger of its own.
  childLoggerFactory: (logger) => logger,
});

app.decorateRequest("caller", null);

app.addHook("onRequest", (request, _reply, done) => {
  done(refusalOf(request));
});

app.addHook("onResponse", (request, reply, done) => {
  const { method, id: requestId, caller } = request;
  const route = request.routeOptions.url ?? null;
  const { statusCode: status, elapsedTime } = reply;
  const milliseconds = Math.round(elapsedTime * 1000) / 1000;
  app.log.info(
    { requestId, method, route, status, milliseconds, caller: caller?.uuid ?? null },
    `${method} ${route ?? "-"} ${status} ${milliseconds.toFixed(1)} ms`,
  );
  done();
});

app.setErrorHandler((error, request, reply) => {
  const refusal = error instanceof Refusal ? error : new Refusal(500, "INTERNAL", "Something went wrong.");
  const { status, code, message: info } = refusal;
  const requestId = request.id;
  const body = { httpStatusCode: status, httpStatus: STATUS_CODES[status], info, code, requestId };
  return reply.code(status).headers(state.changeHeaders).header("X-Request-Id", requestId).send(body);
});

const prefix = "/gameaddon/v1/:token";

app.get(`${prefix}/wantedreason`, (request, reply) => {
  const list = Array.from(reasons.values()).sort((a, b) => (a.reason < b.reason ? -1 : 1));
  return sendRead(request, reply, list);
});

app.get(`${prefix}/statistic/:player`, (request, reply) => {
  const { uuid, name } = requirePlayer(request.params.player);
  const { deaths = 0, kills = 0, playTime = 0, revives = 0, services = 0 } = statistics.of(uuid) ?? {};
  const kd = Math.round((kills * 100) / Math.max(deaths, 1)) / 100;
  return sendRead(request, reply, {
    name,
    uuid,
    gameaddon: people.clientOf(uuid),
    gameplay: { deaths, kd, kills, playTime, revives, services },
    faction: people.factionOf(uuid),
  });
});

const additionConfig = { restriction: "self", query: ["type"] };
app.get(`${prefix}/statistic/:player/add`, { config: additionConfig }, (request, reply) => {
  const { uuid, name } = requirePlayer(request.params.player);
  const { type } = request.query;
  if (type === undefined) throw new Refusal(400, "PARAMETER_MISSING", 'The parameter "type" is missing.');
  const counter = counterOf[type.toUpperCase()];
  if (counter === undefined) throw new Refusal(400, "PARAMETER_INVALID", '"type" is not valid.');
  statistics.add(uuid, counter);
  return reply
    .headers(state.changeHeaders)
    .header("X-Request-Id", request.id)
    .header("Content-Type", "application/json; charset=utf-8")
    .send(JSON.stringify({ info: `Added one ${type.toUpperCase()} for ${name}.` }));
});

await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);

/** Returns why a request is refused before its route runs, or undefined. */
function refusalOf(request) {
  const { token, player } = request.params;
  const { restriction = "open", query: known = [] } = request.routeOptions.config;
  const now = Date.now();
  const caller = people.callerOf(token, now);
  if (caller === undefined) return new Refusal(401, "TOKEN_UNKNOWN", "This addon token is not known.");
  request.caller = caller;
  people.note(caller, request.headers["user-agent"], now);
  if (people.isIn("BLACKLIST", caller.uuid)) {
    return new Refusal(403, "EXCLUDED", "You are excluded from this service.");
  }
  if (restriction === "self" && !isSelf(caller, player)) {
    return new Refusal(403, "RESTRICTED", 'This operation is only for the player named in "player".');
  }
  const { query } = request;
  for (const name in query) {
    if (!known.includes(name))
      return new Refusal(400, "PARAMETER_UNKNOWN", `There is no parameter "${name}".`);
    if (Array.isArray(query[name])) {
      return new Refusal(400, "PARAMETER_REPEATED", `"${name}" was given more than once.`);
    }
  }
  return undefined;
}

function isSelf({ uuid, name }, reference) {
  return uuid === reference || name?.toLowerCase() === reference.toLowerCase();
}

function requirePlayer(reference) {
  const player = people.find(reference);
  if (player === undefined) throw new Refusal(404, "UNKNOWN_PLAYER", `There is no player "${reference}".`);
  return player;
}

function sendRead(request, reply, data) {
  const body = JSON.stringify(data);
  const etag = `"${createHash("sha1").update(body).digest("base64url")}"`;
  reply.headers(state.readHeaders).header("X-Request-Id", request.id).header("ETag", etag);
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.header("Content-Type", "application/json; charset=utf-8").send(body);
}
