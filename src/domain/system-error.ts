/** Errors of the operating system. */
import * as os from "node:os";
import { getSystemErrorMap } from "node:util";

/**
 * Returns the message of an error for people. Node's own names calls: `EACCES: permission denied, scandir '/srv/data'`;
 * this one is `/srv/data: permission denied (EACCES)`.
 * @param file of an error that does not name it
 */
export function reasonOf(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return String(error);
  const {
    errno,
    message,
    address,
    path = address ?? file,
  }: NodeJS.ErrnoException & { address?: string } = error;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  if (known !== undefined) return `${path === undefined ? "" : `${path}: `}${known[1]} (${known[0]})`;
  return path === undefined || message.includes(path) ? message : `${message} '${path}'`;
}

/** Returns the code of an error, such as `ENOSPC`, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errno }: NodeJS.ErrnoException = error;
  // Node has no name for a quota that is used up: "Unknown system error -122".
  return errno === -os.constants.errno.EDQUOT ? "EDQUOT" : code;
}
