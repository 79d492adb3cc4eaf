/** Why an address cannot be listened on, and what to do about it. */
import { createServer } from "node:net";
import { Failure } from "../domain/errors.ts";

/** What listens, in a refusal: what it cannot do, and the option that names its address, or several. */
export const theService = { what: "The service cannot listen on", option: "--port or --host" };
export const theMetrics = { what: "Metrics cannot be served on", option: "--metrics" };

/** Listens on an address, and closes it at once. @returns the refusal; undefined if the address can be listened on */
export async function refusedAddress(
  listener: typeof theService,
  host: string,
  port: number,
): Promise<Failure | undefined> {
  const cause = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
  return cause && cannotListen(listener, host, port, cause);
}

export function cannotListen(
  { what, option }: typeof theService,
  host: string,
  port: number,
  cause: unknown,
): Failure {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isListhen = cause instanceof Error && /(?:available|random) port/.test(cause.message);
  const reason = cause instanceof Error && !isListhen ? ` (${cause.message})` : "";
  return new Failure("STORE_UNAVAILABLE", `${what} ${inURL(host)}:${port}${reason}.`, {
    hint: `${hints[code] ?? "Another program may be listening there."} Choose another address with ${option}.`,
    cause,
  });
}

/** Returns a host as it stands in a URL. */
export function inURL(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

const foreign = "This machine does not have that address: `ip address` lists its own.";
const unknown = "No address is known by that name.";
const hints: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: foreign,
  ENOTFOUND: unknown,
  EAI_AGAIN: unknown,
  EACCES: "This user may not listen on that port; those below 1024 are reserved.",
};
