/**
 * What has to compile with the client, and what must not. Nothing here is run: `typescript-types.test.ts` and
 * `npm run types` compile it, and a line that is expected to be wrong and is right is an error, too.
 */
import type {
  FailureCode,
  GameAddonClient,
  Path,
  Result,
  Schemas,
} from "../../client/typescript/src/index.ts";

type Same<A, B> = [A, B] extends [B, A] ? true : false;

export async function right(client: GameAddonClient): Promise<readonly true[]> {
  const reasons = await client.get("/wantedreason");
  const [first] = reasons;
  const points: number | undefined = first?.points;
  const signal = AbortSignal.timeout(1000);
  await client.get("/wantedreason", { signal });
  await client.get("/houseban", { query: { advanced: true } });
  await client.get("/houseban", { query: {} });
  await client.get("/houseban");
  await client.get("/event/bankrob", { query: { startTime: 1795262400000 } });
  const kill = await client.get("/statistic/{player}/add", {
    path: { player: "Ada" },
    query: { type: "KILL" },
  });
  const info: string = kill.info;
  const path: Path = "/blacklistreason/{factionString}";
  const reason: Result<typeof path>[number] = { reason: "Betrayal", price: points ?? 0, kills: 0 };
  const code: FailureCode = "RESTRICTED";
  const sameList: Same<typeof reasons, readonly Schemas["WantedReason"][]> = true;
  const sameCode: Same<FailureCode, Schemas["Failure"]["code"]> = true;
  const hasUuid: Same<Result<"/targetlist">[number]["uuid"], string | null> = true;
  void [info, reason, code];
  return [sameList, sameCode, hasUuid];
}

export async function wrong(client: GameAddonClient): Promise<void> {
  // @ts-expect-error there is no such path
  await client.get("/wantedreasons");
  // @ts-expect-error the prefix is the client's
  await client.get("/gameaddon/v1/{tokenString}/wantedreason");
  // @ts-expect-error a client has a token, and no code
  await client.get("/token/claim");
  // @ts-expect-error the player is missing
  await client.get("/statistic/{player}");
  // @ts-expect-error the token is the client's
  await client.get("/statistic/{player}", { path: { player: "Ada", tokenString: "gat_" } });
  // @ts-expect-error the type is missing
  await client.get("/statistic/{player}/add", { path: { player: "Ada" } });
  // @ts-expect-error there is no such type
  await client.get("/statistic/{player}/add", { path: { player: "Ada" }, query: { type: "KILLS" } });
  // @ts-expect-error points are a number
  await client.get("/wantedreason/add", { query: { reason: "Theft", points: "10" } });
  // @ts-expect-error there is no such parameter
  await client.get("/wantedreason/add", { query: { reason: "Theft", points: 10, price: 1 } });
  // @ts-expect-error this takes no query
  await client.get("/wantedreason", { query: { reason: "Theft" } });
  // @ts-expect-error "article" is one of three
  await client.get("/navipoint/add", { query: { name: "Bank", x: 1, y: 2, z: 3, article: "the" } });
  const [reason] = await client.get("/wantedreason");
  // @ts-expect-error a wanted reason has no price
  void reason?.price;
  // @ts-expect-error a list may be empty
  void reason.points;
  // @ts-expect-error answers are not to be changed
  if (reason !== undefined) reason.points = 1;
}
