/** Whether a server does the whole work: its answers, and every check that a request has to pass. */
import { lists, statisticAnswer } from "../scale/expected.ts";
import type { World } from "../scale/world.ts";
import { type Answer, ask, askFor, headerOf, requireAnswer } from "./ask.ts";
import { ensure } from "./failure.ts";
import { prefix } from "./project.ts";

/** Headers that differ from answer to answer, or that Node adds on its own. */
const ofEachAnswer = [
  "date",
  "connection",
  "keep-alive",
  "x-request-id",
  "etag",
  "content-length",
  "content-type",
];

/** What every answer says, whatever it is (contract, section 1). */
const ofEveryAnswer: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*",
};

/** Checks the service: every list, a statistic, and all that a request can be refused for. @throws BenchFailure */
export async function checkProduct(url: string, world: World, groups: readonly string[]): Promise<void> {
  const [number = 0] = world.callers;
  for (const [path, expected] of Object.entries(lists)) {
    await requireAnswer(url, world.path(number, path), expected);
  }
  await checkStatistics(url, world, groups);
  await checkRefusals(url, world);
}

/** Checks what Fastify was made to do as well. @throws BenchFailure */
export async function checkFastify(url: string, world: World, groups: readonly string[]): Promise<void> {
  const [number = 0] = world.callers;
  await requireAnswer(url, world.path(number, "/wantedreason"), lists["/wantedreason"]);
  await checkStatistics(url, world, groups);
  await checkRefusals(url, world);
}

/** Headers that all reads, or all changes, are answered with. */
export function constantHeaders(answer: Answer): Record<string, string> {
  return Object.fromEntries(answer.headers.filter(([name]) => !ofEachAnswer.includes(name.toLowerCase())));
}

/** @throws BenchFailure where two answers have not the same headers; what is a server's own choice may differ in value */
export function requireSameHeaders(expected: Answer, answer: Answer): void {
  const ownChoice = ["date", "x-request-id", "etag", "keep-alive"];
  const comparable = ({ headers }: Answer) =>
    headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .map(([name, value]) => (ownChoice.includes(name) ? name : `${name}: ${value}`))
      .sort()
      .join("\n");
  const [wanted, came] = [comparable(expected), comparable(answer)];
  ensure(wanted === came, () => `the headers expected were\n${wanted}\nand there came\n${came}`);
}

async function checkStatistics(url: string, world: World, groups: readonly string[]): Promise<void> {
  const { callers } = world;
  for (const number of [callers[0] ?? 0, callers.at(-1) ?? 0]) {
    const { name } = world.player(number);
    await requireAnswer(
      url,
      world.path(number, `/statistic/${name}`),
      statisticAnswer(world, number, groups),
    );
  }
}

async function checkRefusals(url: string, world: World): Promise<void> {
  const [number = 0, other = 0] = world.callers;
  const [name, otherName] = [world.player(number).name, world.player(other).name];
  const path = (rest: string) => world.path(number, rest);
  const read = await ask(url, path("/wantedreason"));
  for (const [header, value] of Object.entries(ofEveryAnswer)) {
    ensure(headerOf(read, header) === value, () => `${header} is ${headerOf(read, header)}, not ${value}`);
  }
  const etag = headerOf(read, "etag") ?? "";
  const cached = await ask(url, path("/wantedreason"), { "If-None-Match": etag });
  ensure(etag !== "" && cached.status === 304, () => `If-None-Match was answered with ${cached.status}`);

  const requestIds = new Set([read, cached].map((answer) => headerOf(answer, "x-request-id")));
  ensure(requestIds.size === 2, () => "two answers have the same request id");

  const refusals: [string, string, number, string][] = [
    ["an unknown token", `${prefix}/gat_${"x".repeat(43)}/wantedreason`, 401, "TOKEN_UNKNOWN"],
    ["somebody excluded", world.path(world.excluded, "/wantedreason"), 403, "EXCLUDED"],
    ["an unknown parameter", path("/wantedreason?color=red"), 400, "PARAMETER_UNKNOWN"],
    [
      "a parameter given twice",
      path(`/statistic/${name}/add?type=KILL&type=KILL`),
      400,
      "PARAMETER_REPEATED",
    ],
    ["an unknown value", path(`/statistic/${name}/add?type=NAP`), 400, "PARAMETER_INVALID"],
    ["an addition for another player", path(`/statistic/${otherName}/add?type=KILL`), 403, "RESTRICTED"],
    ["an unknown player", path("/statistic/Nobody"), 404, "UNKNOWN_PLAYER"],
  ];
  for (const [what, asked, status, code] of refusals) {
    const answer = await ask(url, asked);
    const body: { code?: string } = JSON.parse(answer.body);
    ensure(
      answer.status === status && body.code === code,
      () => `${what} was answered with ${answer.status} ${body.code}, expected was ${status} ${code}`,
    );
  }
}

/** The kills of each of some players, by the server's own answers. */
export async function killsOf(url: string, world: World, numbers: readonly number[]): Promise<number[]> {
  const kills: number[] = [];
  for (const number of numbers) {
    const body = await askFor(url, world.path(number, `/statistic/${world.player(number).name}`));
    kills.push((body as { gameplay: { kills: number } }).gameplay.kills);
  }
  return kills;
}
