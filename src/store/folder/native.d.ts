declare module "fs-native-extensions" {
  /**
   * Takes an exclusive lock of the operating system on an open file, or on `length` bytes of it from `offset` on; false
   * where another open file has it. On macOS the whole file only.
   */
  export function tryLock(fd: number, offset?: number, length?: number): boolean;
  /** Gives the lock up. */
  export function unlock(fd: number): void;
}
