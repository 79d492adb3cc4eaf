/**
 * A disk that loses power, as in LevelDB's fault_injection_test: a file has the contents of its last sync, a folder the
 * names of its last sync; the kernel may have written everything since, nothing, or only the beginning.
 */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type File, type Files, nodeFiles, type OpenFlags } from "../../../src/store/folder/files.ts";
import { durableFlag, hasFlag } from "../_faults.ts";

/** A file or a folder, whatever its name is: what the disk surely has of it. */
interface Node {
  content: Buffer;
  /** Of a folder: what its names stood for at its last sync. */
  readonly names: Map<string, Node> | undefined;
}

const emptyFile = (): Node => ({ content: Buffer.alloc(0), names: undefined });
const emptyFolder = (): Node => ({ content: Buffer.alloc(0), names: new Map() });

/** Node's file system under a folder, which knows what would be left of it without power. */
export class Disk {
  readonly files: Files;
  readonly #root: string;
  readonly #nodes = new Map<string, Node>();
  readonly #open: File[] = [];
  /** Whether what was done to the names of a file since they were synced is lost. */
  readonly #staysOld = new Map<Node, boolean>();
  /** How many calls were made. */
  calls = 0;
  /** How many calls from now the power fails. */
  #left = Number.POSITIVE_INFINITY;
  #doesLast = false;
  #failed: () => void = () => {};

  constructor(root: string, durable: number) {
    this.#root = root;
    this.#nodes.set(root, emptyFolder());
    this.files = {
      ...(durable === 0 ? {} : { durable }),
      open: (path, flags, mode) => this.#step(() => this.#openFile(path, flags, mode)),
      readPieces: (path, from) => this.#read(path, from),
      readdir: (path) => this.#step(() => nodeFiles.readdir(path)),
      rename: (from, to) =>
        this.#step(async () => {
          await nodeFiles.rename(from, to);
          this.#nodes.set(to, this.#nodeOf(from));
          this.#nodes.delete(from);
        }),
      unlink: (path) =>
        this.#step(async () => {
          await nodeFiles.unlink(path);
          this.#nodes.delete(path);
        }),
      mkdir: (path, options) =>
        this.#step(async () => {
          const made = await nodeFiles.mkdir(path, options);
          for (let folder = path; folder !== this.#root; folder = dirname(folder)) {
            if (!this.#nodes.has(folder)) this.#nodes.set(folder, emptyFolder());
          }
          return made;
        }),
    };
  }

  /**
   * A disk on which everything that is in a folder was synced.
   * @param durable the flag of writes that are durable when they return, or 0
   */
  static async of(root: string, durable = durableFlag): Promise<Disk> {
    const disk = new Disk(root, durable);
    const add = async (folder: string, { names }: Node) => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        const node = entry.isDirectory() ? emptyFolder() : emptyFile();
        if (!entry.isDirectory()) node.content = await readFile(path);
        names?.set(entry.name, node);
        disk.#nodes.set(path, node);
        if (entry.isDirectory()) await add(path, node);
      }
    };
    await add(root, disk.#nodeOf(root));
    return disk;
  }

  /** Has the power fail within so many calls. Settles when it does; from then on no call comes to an end. */
  failAfter(calls: number): Promise<void> {
    this.#left = calls;
    this.#doesLast = calls % 2 === 0;
    return new Promise((resolve) => {
      this.#failed = resolve;
    });
  }

  /** Ends the process whose calls no longer come to an end. The power is back on. */
  async restart(): Promise<void> {
    for (const file of this.#open.splice(0)) await file.close().catch(() => {});
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** Writes the surviving files into another folder. @param random whether unsynced data may survive in part */
  async remains(into: string, random?: () => number): Promise<void> {
    await this.restart();
    this.#staysOld.clear();
    await this.#restore(this.#root, this.#nodeOf(this.#root), into, random);
  }

  async *#read(path: string, from?: number): AsyncGenerator<Uint8Array> {
    // All at once: a reader whose power fails between two pieces would never close the file.
    yield (await this.#step(() => readFile(path))).subarray(from);
  }

  /** The call at which the power fails is cut off before, or after, the file system has done it. */
  async #step<T>(work: () => Promise<T>): Promise<T> {
    this.calls += 1;
    this.#left -= 1;
    if (this.#left >= 0) return work();
    if (this.#left === -1) {
      if (this.#doesLast) await work().catch(() => {});
      this.#failed();
    }
    return new Promise(() => {});
  }

  #nodeOf(path: string): Node {
    const node = this.#nodes.get(path);
    assert.ok(node, `${path} is not known`);
    return node;
  }

  async #openFile(path: string, flags: OpenFlags, mode: number | undefined): Promise<File> {
    // What is synced is known here: the real disk need not be kept waiting.
    const real = typeof flags === "number" ? flags & ~(this.files.durable ?? 0) : flags;
    const file = await nodeFiles.open(path, real, mode);
    if (this.#left < 0) await file.close();
    else this.#open.push(file);
    const isOutside = !path.startsWith(this.#root);
    if (!isOutside && !this.#nodes.has(path)) this.#nodes.set(path, emptyFile());
    const node = isOutside ? emptyFile() : this.#nodeOf(path);
    const synced = async () => {
      if (isOutside) return;
      if (node.names === undefined) node.content = await this.#live(node);
      else this.#syncNames(path, node.names);
    };
    const isDurable = hasFlag(flags, this.files.durable ?? 0);
    return new Proxy(file, {
      get: (_, name) => {
        const value: unknown = Reflect.get(file, name, file);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          if (name === "sync" || name === "datasync") return this.#step(synced);
          const result: unknown = await this.#step(() => value.apply(file, given));
          // The power may also fail within such a write.
          if (name === "write" && isDurable) await this.#step(synced);
          return result;
        };
      },
    });
  }

  /** The bytes of a file as they are now, where it still has a name. */
  async #live(node: Node): Promise<Buffer> {
    for (const [path, other] of this.#nodes) if (other === node) return readFile(path);
    return node.content;
  }

  #syncNames(folder: string, names: Map<string, Node>): void {
    names.clear();
    for (const [path, node] of this.#nodes) if (dirname(path) === folder) names.set(basename(path), node);
  }

  async #restore(path: string, node: Node, into: string, random: (() => number) | undefined): Promise<void> {
    if (node.names === undefined) {
      await writeFile(into, random === undefined ? node.content : await this.#half(node, random));
      return;
    }
    await mkdir(into, { recursive: true });
    const names = new Map(node.names);
    if (random !== undefined) {
      // Each name that has changed since the sync may be the old or the new one; both names of a rename go together.
      const now = new Map<string, Node>();
      this.#syncNames(path, now);
      for (const name of new Set([...names.keys(), ...now.keys()])) {
        const [before, present] = [names.get(name), now.get(name)];
        const named = present ?? before;
        if (named === undefined || before === present) continue;
        const isOld = this.#staysOld.get(named) ?? random() < 0.5;
        this.#staysOld.set(named, isOld);
        if (isOld) continue;
        if (present === undefined) names.delete(name);
        else names.set(name, present);
      }
    }
    for (const [name, child] of names) await this.#restore(join(path, name), child, join(into, name), random);
  }

  /** Of what was written since the sync: nothing, all, or what it has more, up to some byte. */
  async #half(node: Node, random: () => number): Promise<Buffer> {
    const now = await this.#live(node);
    const choice = random();
    if (choice < 0.3) return node.content;
    if (choice < 0.5) return now;
    const common = Math.min(node.content.length, now.length);
    if (!now.subarray(0, common).equals(node.content.subarray(0, common))) return now;
    return now.subarray(0, common + Math.floor(random() * (now.length - common + 1)));
  }
}
