/** What is answered without h3 is answered as h3's way answers it, or left to h3. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import fc from "fast-check";
import type { Answer } from "../../src/engine/response.ts";
import { everyRight, openWorld, type PlayerDetails } from "../_setup.ts";
import { Library } from "../table/_library.ts";

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

/** What differs from request to request, and is no part of the answer. */
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

/** A world to ask directly and one to ask through h3, in which the same has happened. */
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

it("answers directly only what it answers alike", async (t) => {
  const one = await openAlike(t);
  const other = await openAlike(t);
  const made = ["gat_x", "a%41", "..", "a.b", "ä", ""];
  const starts = ["/gameaddon/v1/", "/gameaddon/v2/", "http://localhost/gameaddon/v1/"];
  const headersOf = fc.record(
    {
      "accept-encoding": fc.constantFrom("gzip", "identity", "br, gzip;q=0.5"),
      "if-none-match": fc.constantFrom("*", '"other"'),
      "user-agent": fc.constantFrom("gameaddon/2.5.1", "curl/8", "Java/17 GameAddon/2.5.2 (x)"),
      "idempotency-key": fc.constantFrom("a", '"a"', "b", ""),
      "sec-purpose": fc.constantFrom("prefetch", "other"),
    },
    { requiredKeys: [] },
  );
  let direct = 0;
  let withQuery = 0;
  for (const who of [...one.tokens.keys(), ...made]) {
    const inURL = ({ tokens }: typeof one) => (typeof who === "number" ? String(tokens[who]) : who);
    for (const [start, path] of starts.flatMap((each) => paths.map((path) => [each, path] as const))) {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const [headers = {}] = fc.sample(headersOf, 1);
        const url = `${start}${inURL(one)}${path}`;
        const answer = await one.service.direct({ method, url, headers });
        if (answer === undefined) continue;
        direct += 1;
        if (path.includes("?")) withQuery += 1;
        const response = await other.service.fetch(
          new Request(new URL(`${start}${inURL(other)}${path}`, "http://localhost"), { method, headers }),
        );
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.deepEqual(
          comparable(answer.status, pairs(answer), (answer.body ?? "").toString("latin1")),
          comparable(response.status, response.headers, bytes.toString("latin1")),
          `${method} ${start}{token}${path} with ${JSON.stringify(headers)}`,
        );
      }
    }
  }
  assert.ok(direct >= 120, `only ${direct} requests were answered directly`);
  assert.ok(withQuery >= 40, `only ${withQuery} with a query were answered directly`);
});

/** Two routes that match `/readers/north`; the first is for administrators. */
const ambiguous = [
  "/{reader}/north: { restriction: administrators",
  "/readers/{reader}: { restriction: open",
];

for (const routes of [ambiguous, ambiguous.toReversed()]) {
  it(`leaves a path to the route that h3 chooses where two match, with ${routes[0]?.split(":")[0]} first`, async () => {
    const rest = "summary: Shows., parameters: { reader: text }, handler: readers.show }";
    const lines = routes.map((route) => `  ${route}, ${rest}`);
    const library = new Library(["prefix: /library/{key}", "routes:", ...lines].join("\n"));
    for (const path of ["/readers/north", "/readers/south", "/north/north", "/readers/readers"]) {
      const url = `/library/rosa${path}`;
      const expected = await library.request(url);
      const chosen = library.log.at(-1)?.route;
      const answer = await library.engine.direct({ method: "GET", url, headers: {} });
      // What is not answered directly goes to h3.
      if (answer === undefined) continue;
      assert.deepEqual([answer.status, library.log.at(-1)?.route], [expected.status, chosen], path);
    }
  });
}
