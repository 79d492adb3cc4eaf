/** Appends to the journal: to its newest segment (`segment.ts`), which is synced before a change is acknowledged. */
import { constants } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/errors.ts";
import { reasonOf } from "../../domain/system-error.ts";
import { capitalised } from "../../domain/text.ts";
import { type File, isFull, isMissing, naming, syncFolder, writeAll } from "../folder/files.ts";
import { segmentFile } from "../folder/folder-names.ts";
import { remedyFor, uncertain, unreliable, unsaved, unwritten } from "../folder/refusals.ts";
import { createSegment, type LockedFolder, moveAway, requireNoRecords } from "./new-segment.ts";

/** Why changes are refused until a snapshot is written. */
export const wasCut = "The journal was cut, deleted or replaced";

/** The journal, by its newest segment, which is open for appending. The lock of the folder follows it. */
export class Journal {
  readonly #place: LockedFolder;
  #failure: unknown;
  #file: File;
  #size: number;
  /** How often a segment was found to be lost: by now, before the present one, before the last snapshot, and as told. */
  #losses = { found: 0, rotated: 0, saved: 0, told: 0 };
  /** The sequence number of the segment's first change. */
  first: number;

  private constructor(place: LockedFolder, file: File, first: number, size: number) {
    this.#place = place;
    this.#file = file;
    this.first = first;
    this.#size = size;
    this.#place.lock.begin(this.#path, file);
  }

  /**
   * Opens the segment that begins with `first`, for appending at offset `size`. What it has is durable then: a process may
   * have been killed before its sync, and later writes sync only their own bytes.
   * @param earlier the first numbers of the segments before it that a start reads
   * @throws SyncFailure where it could not be synced
   */
  static async open(
    place: LockedFolder,
    first: number,
    size: number,
    earlier: readonly number[] = [],
  ): Promise<Journal> {
    const { files, folder } = place;
    const flags = constants.O_RDWR | (files.durable ?? 0);
    const path = join(folder, segmentFile(first));
    for (const before of earlier) place.lock.watch(join(folder, segmentFile(before)));
    const file = await files.open(path, flags);
    try {
      await file.datasync();
      // Whoever created the segment may have been stopped before its name was durable.
      await syncFolder(files, folder);
    } catch (cause) {
      await file.close().catch(() => {});
      throw new SyncFailure("the journal could not be synced", naming(path, cause));
    }
    return new Journal(place, file, first, size);
  }

  /** Creates the segment that begins with `first`, durably. */
  static async create(place: LockedFolder, first: number, chain: number, now: number): Promise<Journal> {
    const { file, size } = await createSegment(place, first, chain, now);
    return new Journal(place, file, first, size);
  }

  /** Why the last append failed; undefined if it succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Ensures that no other process can append, and that the folder is still in place, by its lock file.
   * @param mayBeSaved whether a change was just written, which a folder that was moved then has
   * @throws FolderLost where it was moved, deleted or replaced: nothing may be written any more
   * @throws SyncFailure where the system does not tell
   */
  check(mayBeSaved = false): void {
    const { misplaced } = this.#place.lock;
    if (misplaced === undefined) return;
    const { path, cause } = misplaced;
    if (cause === undefined) throw new FolderLost(path, mayBeSaved);
    throw new SyncFailure(`${path} cannot be accessed`, naming(path, cause), mayBeSaved);
  }

  /** Whether somebody has cut, deleted or replaced a segment: until a snapshot is written, only memory has all changes. */
  get isCut(): boolean {
    return this.#losses.found > this.#losses.saved;
  }

  /** Whether that is the present segment, or one before it: it takes nothing any more. */
  get isLost(): boolean {
    return this.#losses.found > this.#losses.rotated;
  }

  /** Returns true once after it was cut. */
  noticeCut(): boolean {
    const isNew = this.#losses.found > this.#losses.told;
    this.#losses.told = this.#losses.found;
    return isNew;
  }

  /** Notes that a snapshot has every change from before the present segment. Returns whether one of these was lost. */
  supersede(): boolean {
    const { rotated, saved } = this.#losses;
    if (rotated > saved) this.#failure = undefined;
    this.#losses.saved = rotated;
    this.#place.lock.supersede();
    return rotated > saved;
  }

  /**
   * Looks whether the segments have what was written; not during a write. Before each write: what is written behind the end
   * of a file fills the gap with zeros, and hides it. After the last one: it may have gone into a file that has no name any
   * more.
   * @param size looks only at the segment that is written, which has this size
   */
  lookForCut(size?: number): boolean {
    const { lock } = this.#place;
    const hasLost = () => lock.hasLost(size ?? this.#size) || (size === undefined && lock.hasLostEarlier);
    if (!this.isLost && hasLost()) this.#losses.found += 1;
    return this.isCut;
  }

  /** The size of the segment in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends whole lines. Each piece is synced before the next one is written, so the last line of a bulk change, which
   * makes it count, never reaches the disk before the others. When this returns, all are durable.
   * @param changes how many changes the lines are
   * @param isCopy whether the shared journal has them, so that a segment takes them that was begun after others were lost
   * @throws Failure `STORE_UNAVAILABLE` where they were not written, and whatever `pieces` throws; the file is unchanged
   * @throws Failure `OUTCOME_UNKNOWN` where a segment was lost meanwhile
   * @throws SyncFailure where the state of the disk is unknown, or the folder is no longer in place: nothing may be written
   *   any more
   */
  async append(pieces: Iterable<Uint8Array>, changes = 1, isCopy = false): Promise<void> {
    const began = performance.now();
    try {
      await this.#append(pieces, isCopy);
    } catch (error) {
      this.#failure = error;
      this.#place.meter?.appendFailed();
      throw error;
    }
    this.#failure = undefined;
    this.#place.meter?.appended(changes, performance.now() - began);
  }

  /**
   * Appends what a shared journal has. If the segment is lost, the snapshot that follows has it. Before that is written, the
   * new segment takes it.
   * @throws as {@link append}
   */
  async copy(pieces: Iterable<Uint8Array>, changes: number): Promise<void> {
    try {
      this.lookForCut();
      if (!this.isLost) return await this.append(pieces, changes, true);
    } catch (error) {
      if (error instanceof SyncFailure || !this.isLost) throw error;
    }
    this.check(true);
  }

  async #append(pieces: Iterable<Uint8Array>, isCopy: boolean): Promise<void> {
    this.check();
    const isRefused = (size: number) => this.lookForCut(size) && (this.isLost || !isCopy);
    let size = this.#size;
    try {
      for (const piece of pieces) {
        if (isRefused(size)) throw new Error(wasCut);
        await this.#write(piece, size);
        size += piece.length;
      }
    } catch (cause) {
      if (cause instanceof SyncFailure) throw cause;
      await this.#cutBack(cause);
      throw unsaved(naming(this.#path, cause));
    }
    // What went into a folder that was moved or deleted meanwhile is not acknowledged, but the next start may find it.
    this.check(true);
    if (isRefused(size)) throw uncertain(new Error(wasCut));
    this.#size = size;
  }

  /**
   * Begins a new segment. If the present one has no changes yet, it is replaced, in the present format: if that fails,
   * the journal must not be used any more.
   * @throws SyncFailure where the new segment may exist, which nobody has locked: nothing may be written any more
   */
  async rotate(first: number, chain: number, now: number): Promise<void> {
    this.check();
    const { files, folder } = this.#place;
    if (this.isLost && first === this.first) await moveAway(files, this.#path);
    await requireNoRecords(files, folder, first);
    const segment = createSegment(this.#place, first, chain, now);
    const { file, size } = await segment.catch(async (error: unknown) => {
      if (first !== this.first) await this.#removeNew(first);
      throw error;
    });
    const [old, oldSize] = [this.#file, this.#size];
    this.#file = file;
    this.#size = size;
    this.first = first;
    await this.#place.lock.follow(this.#path, file, oldSize);
    this.#losses.rotated = this.#losses.found;
    // What is lost already need not be watched, and the new segment is whole.
    if (this.isCut) this.#place.lock.supersede();
    await old.close();
  }

  /** Removes a segment that could not be begun: the journal goes on in the present one. */
  async #removeNew(first: number): Promise<void> {
    const name = segmentFile(first);
    await this.#place.files.unlink(join(this.#place.folder, name)).catch(async (cause: unknown) => {
      // On a read-only disk the error does not tell whether it exists.
      const exists = async () =>
        (await this.#place.files.readdir(this.#place.folder).catch(() => [name])).includes(name);
      if (isMissing(cause) || !(await exists())) return;
      const what = "a new, empty segment of the journal could not be removed";
      throw new SyncFailure(`${what}: ${reasonOf(cause)}`, cause);
    });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #path(): string {
    return join(this.#place.folder, segmentFile(this.first));
  }

  /** Writes a piece and syncs it: in one call, where the system can. */
  async #write(piece: Uint8Array, position: number): Promise<void> {
    const isDurable = this.#place.files.durable !== undefined;
    if (!isDurable) await writeAll(this.#file, piece, position);
    const began = performance.now();
    try {
      await (isDurable ? writeAll(this.#file, piece, position) : this.#file.datasync());
    } catch (cause) {
      // Any other error may be that of the sync.
      if (isDurable && isFull(cause)) throw cause;
      throw new SyncFailure("the journal could not be synced", naming(this.#path, cause));
    }
    this.#place.meter?.synced(performance.now() - began);
  }

  async #cutBack(cause: unknown): Promise<void> {
    if (this.#place.lock.hasLost(this.#size, true)) {
      // It would be filled with zeros up to that size.
      this.lookForCut(this.#size);
      return;
    }
    try {
      await this.#file.truncate(this.#size);
      await this.#file.datasync();
    } catch {
      throw new SyncFailure("a failed write to the journal could not be cut back", cause);
    }
  }
}

/** The state of the disk is unknown: the process must end, since its next answer could be wrong. */
export class SyncFailure extends Error {
  override readonly name: string = "SyncFailure";
  /** Whether the change that failed may have been saved: the next start can find it in the journal. */
  readonly mayBeSaved: boolean;

  constructor(message: string, cause: unknown, mayBeSaved = true) {
    super(message, { cause });
    this.mayBeSaved = mayBeSaved;
  }
}

/** Returns the refusal of changes whose append has failed. */
export function refusalOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return error instanceof SyncFailure && error.mayBeSaved ? uncertain(error) : unreliable(error);
}

/** Returns the refusal of a snapshot that has failed. @param isCut whether the journal has fewer changes than memory */
export function refusalOfSnapshot(error: unknown, isCut: boolean): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof SyncFailure)) return unwritten(error, isCut);
  const remedy = `${remedyFor(error.cause) ?? "Check the disk."} Then start the service again.`;
  const hint = error instanceof FolderLost ? undefined : remedy;
  return new Failure("STORE_UNAVAILABLE", `${capitalised(error.message)}.`, { hint, cause: error });
}

/**
 * The lock file is no longer the file of its name, such as where the folder was moved: the next start would not find what is
 * appended, or another process could append as well.
 */
export class FolderLost extends SyncFailure {
  readonly path: string;

  /** @param mayBeSaved whether this was found after a write: a folder that was moved then has the change */
  constructor(path: string, mayBeSaved: boolean) {
    const saved = mayBeSaved ? " A change that was being written may have been saved in it." : "";
    super(
      `${path} was moved, deleted or replaced while it was open.${saved} If the data folder is gone, put it back or restore a backup. Then start again`,
      undefined,
      mayBeSaved,
    );
    this.path = path;
  }
}
