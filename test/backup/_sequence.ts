/** A file system that records its operations, and how many of them are under way at once. */
import { type File, type Files, nodeFiles } from "../../src/store/folder/files.ts";

/** See {@link recordedFiles}. */
export interface RecordedFiles {
  readonly files: Files;
  /** Each operation and its paths, in the order in which they began: `rename /a/b /a/c`. */
  readonly operations: readonly string[];
  /** The operations that began while another one was under way. */
  readonly overlapping: readonly string[];
  /** The number of operations that have not ended. */
  readonly pending: () => number;
  /** The number of open files. */
  readonly open: () => number;
}

const recorded = new Set(["open", "readdir", "readFile", "rename", "unlink", "mkdir"]);
const recordedOfFile = new Set(["write", "sync", "datasync", "truncate", "stat", "close"]);

/** Returns Node's file system with a record of what is done with it. */
export function recordedFiles(base: Files = nodeFiles): RecordedFiles {
  const operations: string[] = [];
  const overlapping: string[] = [];
  let pending = 0;
  let open = 0;
  const during = async (name: string, work: () => unknown): Promise<unknown> => {
    operations.push(name);
    if (pending > 0) overlapping.push(name);
    pending += 1;
    try {
      return await work();
    } finally {
      pending -= 1;
    }
  };
  const fileOf = (file: File, path: string): File =>
    new Proxy(file, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (!recordedOfFile.has(String(name))) return value.bind(target);
        return async (...given: unknown[]) => {
          const result = await during(`${String(name)} ${path}`, () => value.apply(target, given));
          if (name === "close") open -= 1;
          return result;
        };
      },
    });
  const files = new Proxy(base, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || !recorded.has(String(name))) return value;
      return async (...given: unknown[]) => {
        const paths = name === "rename" ? given : given.slice(0, 1);
        const result = await during([String(name), ...paths].join(" "), () => value.apply(target, given));
        if (name !== "open") return result;
        open += 1;
        return fileOf(result as File, String(given[0]));
      };
    },
  });
  return { files, operations, overlapping, pending: () => pending, open: () => open };
}
