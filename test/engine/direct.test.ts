/** What is answered without h3 is answered as h3's way answers it, or left to h3. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Answer } from "../../src/engine/response.ts";
import { openWorld } from "../_setup.ts";

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

it("answers directly only what it answers alike", async (t) => {
  const world = await openWorld(t);
  const ada = await world.player("Ada");
  const mallory = await world.player("Mallory", { groups: ["BLACKLIST"] });
  const gone = await world.player("Gone");
  await world.service.administer("player.delete", { player: "Gone" });
  let direct = 0;

  const tokens = [
    ada.token,
    mallory.token,
    gone.token,
    world.publicToken,
    "gat_x",
    "a%41",
    "..",
    "a.b",
    "ä",
    "",
  ];
  const starts = ["/gameaddon/v1/", "/gameaddon/v2/", "http://localhost/gameaddon/v1/"];
  const headersOf = fc.record(
    {
      "accept-encoding": fc.constantFrom("gzip", "identity", "br, gzip;q=0.5"),
      "if-none-match": fc.constantFrom("*", '"other"'),
      "user-agent": fc.constantFrom("gameaddon/2.5.1", "curl/8"),
    },
    { requiredKeys: [] },
  );
  for (const token of tokens) {
    for (const url of starts.flatMap((start) => paths.map((path) => `${start}${token}${path}`))) {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        const [headers = {}] = fc.sample(headersOf, 1);
        const answer = await world.service.direct({ method, url, headers });
        if (answer === undefined) continue;
        direct += 1;
        const response = await world.service.fetch(
          new Request(new URL(url, "http://localhost"), { method, headers }),
        );
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.deepEqual(
          comparable(answer.status, pairs(answer), (answer.body ?? "").toString("latin1")),
          comparable(response.status, response.headers, bytes.toString("latin1")),
          `${method} ${url.replace(token, "{token}")} with ${JSON.stringify(headers)}`,
        );
      }
    }
  }
  assert.ok(direct >= 60, `only ${direct} requests were answered directly`);
});
