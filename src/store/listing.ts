/** What a data folder has, for readers that take no lock: a running service may drop files under them. */
import { Failure } from "../domain/errors.ts";
import type { Files } from "./folder/files.ts";
import { hasData } from "./reading.ts";

/** How often reading begins anew since the running service has dropped a file meanwhile. */
const attempts = 5;

/** Runs `read` again where a file has vanished under it: the running service drops what is past its retention. */
export async function steadily<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === attempts) throw error;
    }
  }
}

/** The names in a folder. @throws Failure `UNKNOWN_ENTRY` where there is no data in it */
export async function listData(files: Files, folder: string): Promise<string[]> {
  const names = await files.readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (hasData(names)) return names;
  throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`, {
    hint: "`addon-cli serve` and `addon-cli data restore` begin it; --data names another folder.",
  });
}
