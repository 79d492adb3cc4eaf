/** The journal of systemd, which keeps what a service prints, and which others than its operator can read. */
import { fstatSync } from "node:fs";

/**
 * Returns whether one of some descriptors is the journal. systemd sets `JOURNAL_STREAM` to the device and the inode of
 * its stream (systemd.exec(5)). Where standard output and standard error are different streams, it names the latter: so
 * ask for both. Processes inherit the variable with another output, which the comparison detects.
 */
export function isJournal(stream: string | undefined, descriptors: readonly number[]): boolean {
  if (stream === undefined) return false;
  return descriptors.some((descriptor) => {
    try {
      const { dev, ino } = fstatSync(descriptor, { bigint: true });
      return stream === `${dev}:${ino}`;
    } catch {
      // It is closed.
      return false;
    }
  });
}
