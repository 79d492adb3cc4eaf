/**
 * The two entrances of the app: a request with a plain URL goes to the engine as it is, any other through h3. Both
 * return the same answer and use the same rule of routing.
 */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import fc from "fast-check";
import * as v from "valibot";
import { Engine } from "../../../src/engine/engine.ts";
import type { RequestRecord } from "../../../src/engine/exchange.ts";
import type { Answer } from "../../../src/engine/response.ts";
import { App } from "../../../src/http/app.ts";
import type { Operation } from "../../../src/table/operation.ts";
import type { Input } from "../../../src/table/restriction/restriction.ts";
import { checkTable } from "../../../src/table/table.ts";
import { runs } from "../../_depth.ts";
import { everyRight, openWorld, type PlayerDetails } from "../../_setup.ts";
import { owner, vocabulary } from "../../table/_library.ts";

const paths = [
  "/statistic/top",
  "/statistic/Ada",
  "/statistic/a.b-c_d",
  "/statistic/..",
  "/statistic/.",
  "/statistic/.x",
  "/statistic/A%64a",
  "/statistic/ä",
  "/statistic/",
  "/statistic/Ada/",
  "/statistic/Ada?x=1",
  "/blacklistreason/grove",
  "/blacklistreason/NOWHERE",
  "/targetlist/add",
  "/player",
  "/player/groups",
  "/player/groups/",
  "/targetlist",
  "/houseban",
  "/houseban?advanced=true",
  "/wantedreason",
  "/wantedreason?",
  "/wantedreason?x=1",
  "/wantedreason/add?reason=Theft&points=3",
  "/Wantedreason",
  "/wantedreason%2F",
  "/./wantedreason",
  "//wantedreason",
  "/mgmt/users",
  "/event",
  "/nothing",
  "/targetlist/add?name=Ada",
  "/targetlist/add?name=Ada",
  "/targetlist/add?name=A%64a+%C3%A4",
  "/targetlist/add?name=a&name=b",
  "/targetlist/add?name=%zz",
  "/targetlist/add?name='a'",
  "/targetlist/add?name=a#b",
  "/wantedreason/add?points=3&reason=Theft#x",
  "/targetlist/add?",
  "/statistic/Ada/add?type=KILL",
  "/statistic/Ada/add?type=KILL&",
  "/statistic/Ada/add/?type=KILL",
  "/statistic/Nobody/add?type=KILL",
  "/statistic/top/add?type=KILL",
  "/statistic/Ada/set?type=KILL&amount=7",
  "/statistic/Ada",
  "/blacklistreason/grove/add?reason=Spying",
  "/blacklistreason/GROVE/add?reason=A*b%2Fc~d&points=2",
  "/blacklistreason/GROVE",
  "/wantedreason",
  "",
];

/** Returns the parts of an answer that are the same for equal requests. */
function comparable(status: number, headers: Iterable<readonly [string, string]>, body: string) {
  const rest = Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const);
  return {
    status,
    headers: rest.filter(([name]) => name !== "x-request-id").toSorted(),
    body: body.replace(/"requestId":"[^"]*"/, ""),
  };
}

function* pairs({ headers }: Answer): Generator<readonly [string, string]> {
  for (let index = 0; index < headers.length; index += 2) {
    yield [String(headers[index]), String(headers[index + 1])];
  }
}

/** Opens a world. Two of them have the same history, one for each entrance. */
async function openAlike(t: TestContext) {
  const world = await openWorld(t);
  const player = async (number: number, name: string, details: PlayerDetails) => {
    const uuid = String(number).repeat(32);
    return (await world.player(name, { ...details, uuid, addonVersion: "2.5.0" })).token;
  };
  const ada = await player(1, "Ada", everyRight);
  const mallory = await player(2, "Mallory", { groups: ["BLACKLIST"] });
  const gone = await player(3, "Gone", {});
  await world.service.administer("player.remove", { player: "Gone" });
  return { service: world.service, tokens: [ada, mallory, gone, world.publicToken] };
}

it("a request with a plain URL has the same answer with and without h3", async (t) => {
  const one = await openAlike(t);
  const other = await openAlike(t);
  const made = ["-", "gat_x", "a%41", "..", "a.b", "ä", ""];
  const starts = ["/gameaddon/v1/", "/gameaddon/v2/", "http://localhost/gameaddon/v1/"];
  const headersOf = fc.record(
    {
      "accept-encoding": fc.constantFrom("gzip", "identity", "br, gzip;q=0.5"),
      "if-none-match": fc.constantFrom("*", '"other"'),
      "user-agent": fc.constantFrom("gameaddon/2.5.1", "curl/8", "Java/17 GameAddon/2.5.2 (x)"),
      "idempotency-key": fc.constantFrom("a", '"a"', "b", ""),
      "sec-purpose": fc.constantFrom("prefetch", "other"),
      authorization: fc.constantFrom("", "Bearer", "Basic YTpi", "bearer gat_x", `Bearer ${"a".repeat(47)}`),
    },
    { requiredKeys: [] },
  );
  let plain = 0;
  let withQuery = 0;
  for (const who of [...one.tokens.keys(), ...made]) {
    const inURL = ({ tokens }: typeof one) => (typeof who === "number" ? String(tokens[who]) : who);
    for (const [start, path] of starts.flatMap((start) => paths.map((path) => [start, path] as const))) {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const [headers = {}] = fc.sample(headersOf, 1);
        const url = `${start}${inURL(one)}${path}`;
        const answer = await one.service.answerPlain({ method, url, headers });
        if (answer === undefined) continue;
        plain += 1;
        if (path.includes("?")) withQuery += 1;
        const response = await other.service.fetch(
          new Request(new URL(`${start}${inURL(other)}${path}`, "http://localhost"), { method, headers }),
        );
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.deepEqual(
          // Node never sends a body for HEAD.
          comparable(
            answer.status,
            pairs(answer),
            method === "HEAD" ? "" : (answer.body ?? "").toString("latin1"),
          ),
          comparable(response.status, response.headers, bytes.toString("latin1")),
          `${method} ${start}{token}${path} with ${JSON.stringify(headers)}`,
        );
      }
    }
  }
  assert.ok(plain >= 120, `only ${plain} URLs were plain`);
  assert.ok(withQuery >= 40, `only ${withQuery} plain URLs had a query`);
});

const names = ["a", "b", "a.b"];
const placeholders = ["one", "two", "three"];

/** A path of a table, as its segments: a name, or the number of a placeholder. */
const routeOf = fc.array(fc.oneof(fc.constantFrom(...names), fc.nat(2)), { minLength: 1, maxLength: 3 });

/** Segments as clients write them, in valid and invalid forms. */
const segmentOf = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...names, "x") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%61", "%62", "a%2Eb", "a%2eb", "%7E", "%2F", "a%2Fb", "%2e%2e"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ".",
      "..",
      "",
      "ä",
      "%C3%A4",
      "%zz",
      "%",
      "%e4",
      "a+b",
      "a b",
      "{one}",
      "%7Bone%7D",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("A", "a;b", "a:b", "a@b", "*", "(a)", ":one", "__proto__", "constructor"),
  },
);

/** Returns the text of a table with one route for each path; every parameter is a text. */
function tableWith(paths: readonly (readonly (string | number)[])[]): string {
  const lines = paths.map((segments) => {
    const used: string[] = [];
    const path = segments.map((segment) => {
      if (typeof segment === "string") return segment;
      const name = placeholders.find((placeholder) => !used.includes(placeholder)) ?? "four";
      used.push(name);
      return `{${name}}`;
    });
    const parameters = used.map((name) => `${name}: { type: text, pattern: ".*" }`).join(", ");
    return `  /${path.join("/")}: { restriction: open, summary: Shows., parameters: { ${parameters} }, handler: any }`;
  });
  return ["prefix: /shop/{key}", "routes:", ...lines].join("\n");
}

/**
 * Returns the route of a path: of the routes with as many segments that match, the one with a
 * literal segment at the first place where they differ.
 */
function expectedRoute(paths: readonly string[], path: string): string | undefined {
  const segments = path.split("/").slice(1);
  const matching = paths.filter((other) => {
    const own = other.split("/").slice(1);
    return (
      own.length === segments.length &&
      own.every(
        (segment, index) =>
          segment === segments[index] || (segment.startsWith("{") && segments[index] !== ""),
      )
    );
  });
  const shape = (text: string) => text.replaceAll(/[^/{}]+/g, "x").replaceAll("{x}", "y");
  return matching.toSorted((a, b) => (shape(a) < shape(b) ? -1 : 1))[0];
}

/** Returns an app that serves a table and records the input of its operations. */
function shopOf(text: string) {
  const runs: Input[] = [];
  const entries = placeholders.concat("four").map((name) => [name, v.optional(v.string())] as const);
  const operation: Operation = {
    effect: "read",
    input: v.object(Object.fromEntries(entries)),
    answer: v.unknown(),
    run: (input) => {
      runs.push({ ...input });
      return { ...input };
    },
  };
  const { table, faults } = checkTable(text, {
    operations: () => new Map([["any", operation]]),
    vocabulary: () => vocabulary,
  });
  if (table === undefined) return { faults };
  const records: RequestRecord[] = [];
  const observer = { observe: (record: RequestRecord) => records.push(record) };
  const authenticate = () => owner;
  const engine = new Engine({ ...observer, table, vocabulary: () => vocabulary, authenticate });
  return { app: new App(engine, new Map(), observer), table, records, runs };
}

it("both entrances find the same route in random tables, and run its operation with the same values", async () => {
  const seen = { plain: 0, matched: 0, ambiguous: 0 };
  const tables = fc.uniqueArray(routeOf, {
    minLength: 3,
    maxLength: 12,
    selector: (segments) =>
      segments.map((segment) => (typeof segment === "number" ? "{}" : segment)).join("/"),
  });
  const requests = fc.array(fc.array(segmentOf, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(tables, requests, async (routes, paths) => {
      const shop = shopOf(tableWith(routes));
      if (shop.app === undefined) assert.fail(JSON.stringify(shop.faults));
      const { app, table, records, runs } = shop;
      const declared = table.routes.map(({ path }) => path);
      for (const segments of paths) {
        const path = `/${segments.join("/")}`;
        const url = `/shop/key${path}?`;
        const response = await app.fetch(new Request(new URL(url, "http://localhost")));
        const throughH3 = { status: response.status, route: records.at(-1)?.route, run: runs.splice(0) };
        const answer = await app.answerPlain({ method: "GET", url, headers: {} });
        if (answer === undefined) continue;
        seen.plain += 1;
        const plain = { status: answer.status, route: records.at(-1)?.route, run: runs.splice(0) };
        assert.deepEqual(plain, throughH3, url);
        const expected = expectedRoute(declared, path);
        assert.equal(plain.route, expected ?? null, url);
        // A command's path, which is not percent-encoded, leads to the same route.
        assert.equal(app.engine.router.find(path)?.route.path, expected, path);
        if (expected === undefined) continue;
        seen.matched += 1;
        if (declared.filter((other) => expectedRoute([other], path) !== undefined).length > 1)
          seen.ambiguous += 1;
      }
    }),
    { numRuns: runs(300) },
  );
  assert.ok(
    seen.plain > runs(500) && seen.matched > runs(200) && seen.ambiguous > runs(50),
    JSON.stringify(seen),
  );
});
