/** A first start of `serve`: its checks before, and what it prints. */
import { asArgument } from "../../src/domain/text.ts";
import { docsPath } from "../../src/http/docs-page.ts";
import { refusedAddress, theMetrics, theService } from "../../src/http/listening.ts";
import type { Service } from "../../src/service.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { requireNew } from "../../src/store/folder/folder.ts";
import { namesIn } from "../../src/store/folder/listing.ts";
import type { Address } from "../arguments/address.ts";
import type { Context } from "../context.ts";
import { checkedTable } from "./routes/table.ts";

/** Refuses a first start that would fail, before it creates anything. @throws Failure */
export async function checkFirstStart(
  context: Context,
  { host, port, metrics }: Address & { readonly metrics?: Address | false },
): Promise<void> {
  const { folder, journal } = context.workspace();
  if (!journal) requireNew(folder, await namesIn(nodeFiles, folder));
  await checkedTable(context);
  const refused =
    (await refusedAddress(theService, host, port)) ??
    (metrics && (await refusedAddress(theMetrics, metrics.host, metrics.port)));
  if (refused) throw refused;
}

/** Prints the URL and, on the first start, a token. It is issued only now: a failed start must not use it up. */
export async function printBanner({ io, output }: Context, service: Service, url: string): Promise<void> {
  const { prefix, routes, pages } = await service.routes.load();
  const shown = ["\nPublic, without a token:", ...pages.map(({ path }) => path)].join(" ");
  const listening = `Documentation: ${url}${docsPath}\nListening on ${url}${prefix}${pages.length > 0 ? shown : ""}`;
  if (Array.from(service.store.data.tokens.values()).some(({ uuid }) => uuid === null)) {
    // The first start may have ended before it printed its token.
    const hint = "`addon-cli token issue --public` issues another one";
    output.result({ url }, `${listening}\nA public token was issued before, and shown then; ${hint}.`);
    return;
  }
  if (io.isOutputKept === true) {
    // A token must not be in a file or a log, and nobody would see it anywhere else.
    const command = `addon-cli --data ${asArgument(service.store.folder)} token issue --public`;
    const why = "No public token was issued, because it would stay in the output.";
    output.result({ url }, `${listening}\n${why} To issue one: ${command}`);
    return;
  }
  const { token } = await service.administer("token.issue", { label: "first start" });
  const readable = routes.filter(
    ({ operation, restriction: { kind } }) => operation.effect === "read" && kind === "open",
  );
  const example = readable.find(({ parameters }) => parameters.every((one) => one.default !== undefined));
  const open = `${url}${prefix.replace(/\{\w+\}/, token)}${example?.path ?? ""}`;
  await output.issued(
    { url, open },
    `${listening}

Open the documentation in a browser, and enter this public token, which is not shown again:
  ${token}
A request is a URL with it, such as:
  ${open}

Next, in another terminal:
  npx addon-cli player add Ada              register a player
  npx addon-cli token issue --player Ada    issue her token
  npx addon-cli --help                      everything else
`,
  );
}
