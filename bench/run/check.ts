/** Checks that a server does the whole work: its answers, and every check that a request has to pass. */
import type { Dataset } from "../data/dataset.ts";
import { lists, statisticAnswer } from "../data/expected.ts";
import { ensure } from "./failure.ts";
import { type Answer, ask, askFor, headerOf, requireAnswer } from "./http.ts";
import { prefix } from "./project.ts";

/** Headers that differ between answers, or that Node adds. */
const varying = [
  "date",
  "connection",
  "keep-alive",
  "x-request-id",
  "etag",
  "content-length",
  "content-type",
];

/** Headers of every answer. */
const ofEveryAnswer: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*",
};

/** Checks every list of the service, and all that Fastify does as well. @throws BenchFailure */
export async function checkProduct(url: string, dataset: Dataset): Promise<void> {
  const [number = 0] = dataset.callers;
  for (const [path, expected] of Object.entries(lists)) {
    await requireAnswer(`${url}${dataset.path(number, path)}`, expected);
  }
  await checkFastify(url, dataset);
}

/** Checks a list, statistics, and every reason for a refusal. @throws BenchFailure */
export async function checkFastify(url: string, dataset: Dataset): Promise<void> {
  const [first = 0, second = 0] = dataset.callers;
  await requireAnswer(`${url}${dataset.path(first, "/wantedreason")}`, lists["/wantedreason"]);
  for (const number of [first, dataset.callers.at(-1) ?? 0]) {
    const path = dataset.path(number, "/statistic/{name}");
    await requireAnswer(`${url}${path}`, statisticAnswer(dataset, number));
  }
  await checkHeaders(`${url}${dataset.path(first, "/wantedreason")}`);
  const addition = (parameters: string) => dataset.path(first, `/statistic/{name}/add?${parameters}`);
  const ofAnother = dataset.path(first, `/statistic/${dataset.player(second).name}/add?type=KILL`);
  const refusals: [string, string, number, string][] = [
    ["an unknown token", `${prefix}/gat_${"x".repeat(43)}/wantedreason`, 401, "TOKEN_UNKNOWN"],
    ["an excluded player", dataset.path(dataset.excluded, "/wantedreason"), 403, "EXCLUDED"],
    ["an unknown parameter", dataset.path(first, "/wantedreason?color=red"), 400, "PARAMETER_UNKNOWN"],
    ["a repeated parameter", addition("type=KILL&type=KILL"), 400, "PARAMETER_REPEATED"],
    ["an invalid value", addition("type=NAP"), 400, "PARAMETER_INVALID"],
    ["an addition for another player", ofAnother, 403, "RESTRICTED"],
    ["an unknown player", dataset.path(first, "/statistic/Nobody"), 404, "UNKNOWN_PLAYER"],
  ];
  for (const [what, path, status, code] of refusals) {
    const answer = await ask(`${url}${path}`);
    const body: { code?: string } = JSON.parse(answer.body);
    ensure(
      answer.status === status && body.code === code,
      () => `${what}: expected ${status} ${code}, got ${answer.status} ${body.code}`,
    );
  }
}

/** Returns the headers that all reads, or all changes, have in common. */
export function constantHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(headers.filter(([name]) => !varying.includes(name.toLowerCase())));
}

/** @throws BenchFailure unless two answers have the same headers; only values that each server chooses may differ */
export function requireSameHeaders(expected: Answer, answer: Answer): void {
  const chosen = ["date", "x-request-id", "etag", "keep-alive"];
  const comparable = ({ headers }: Answer) =>
    headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .map(([name, value]) => (chosen.includes(name) ? name : `${name}: ${value}`))
      .sort()
      .join("\n");
  const [wanted, got] = [comparable(expected), comparable(answer)];
  ensure(wanted === got, () => `expected the headers\n${wanted}\ngot\n${got}`);
}

/** Returns the sum of the callers' kills, from the server's own answers. */
export async function killsOf(url: string, dataset: Dataset): Promise<number> {
  let kills = 0;
  for (const number of dataset.callers) {
    const path = dataset.path(number, "/statistic/{name}");
    const body: ReturnType<typeof statisticAnswer> = JSON.parse(await askFor(`${url}${path}`));
    kills += body.gameplay.kills;
  }
  return kills;
}

async function checkHeaders(url: string): Promise<void> {
  const read = await ask(url);
  for (const [name, value] of Object.entries(ofEveryAnswer)) {
    ensure(headerOf(read, name) === value, () => `${name}: expected ${value}, got ${headerOf(read, name)}`);
  }
  const etag = headerOf(read, "etag") ?? "";
  const cached = await ask(url, { "If-None-Match": etag });
  ensure(etag !== "" && cached.status === 304, () => `If-None-Match was answered with ${cached.status}`);
  const ids = [read, cached].map((answer) => headerOf(answer, "x-request-id"));
  ensure(ids[0] !== ids[1], () => "two answers have the same request id");
}
