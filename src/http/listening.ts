/** Why an address cannot be listened on, and what to do about it. */
import { createServer } from "node:net";
import { Failure } from "../domain/errors.ts";

/**
 * Listens on an address, and closes it at once.
 * @returns the error of the system, which listhen hides; undefined if the address can be listened on
 */
export function tryAddress(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** The refusal of an address. @param option the option that names it, or several */
export function cannotListen(what: string, address: string, option: string, cause: unknown): Failure {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isListhen = cause instanceof Error && /(?:available|random) port/.test(cause.message);
  const reason = cause instanceof Error && !isListhen ? ` (${cause.message})` : "";
  return new Failure("STORE_UNAVAILABLE", `${what} ${address}${reason}.`, {
    hint: `${hints[code] ?? "Another program may be listening there."} Choose another address with ${option}.`,
    cause,
  });
}

const foreign = "This machine does not have that address: `ip address` lists its own.";
const unknown = "No address is known by that name.";
const hints: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: foreign,
  ENOTFOUND: unknown,
  EAI_AGAIN: unknown,
  EACCES: "This user may not listen on that port; those below 1024 are reserved.",
};
