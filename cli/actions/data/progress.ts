/** The progress of a long command on a terminal. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Files, nodeFiles } from "../../../src/store/folder/files.ts";
import { isDataFile } from "../../../src/store/folder/folder-names.ts";
import type { Context } from "../../context.ts";

/** Reports the progress of an operation, from 0 to 1. */
type Progress = (share: number) => void;

/**
 * Runs work and shows its progress on a terminal: the seconds that it takes and, once the work reports its share, a bar.
 * Shows nothing in a pipe or with `--json`.
 */
export async function withProgress<T>(
  { io: { stderr }, output }: Pick<Context, "io" | "output">,
  label: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true || output.wantsJSON) return work(() => {});
  const began = performance.now();
  const width = Math.max(0, Math.min(30, (stderr.columns || 80) - label.length - 10));
  let share: number | undefined;
  const draw = () => {
    let state = `${Math.floor((performance.now() - began) / 1000)} s`;
    if (share !== undefined) {
      const done = Math.floor(share * width);
      state = `[${"#".repeat(done)}${"-".repeat(width - done)}] ${Math.floor(share * 100)}%`;
    }
    output.transient(`${label} ${state}`);
  };
  const timer = setInterval(draw, 1000);
  draw();
  try {
    return await work((now) => {
      share = Math.min(now, 1);
      draw();
    });
  } finally {
    clearInterval(timer);
    output.transient("");
  }
}

/** Returns Node's files, of which each read reports the share that is read of a data folder. */
export async function reportingReads(folder: string, progress: Progress): Promise<Files> {
  const names = (await nodeFiles.readdir(folder).catch(() => [])).filter(isDataFile);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => ({ size: 0 }))));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  let read = 0;
  return {
    ...nodeFiles,
    async *readPieces(path, from) {
      for await (const piece of nodeFiles.readPieces(path, from)) {
        yield piece;
        read += piece.length;
        progress(read / total);
      }
    },
  };
}
