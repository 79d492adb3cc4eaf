/** Output that is kept, where others than the operator can read it: a file, or the journal of systemd. */
import { fstatSync } from "node:fs";

/**
 * Returns whether standard output is a file, or it or standard error is the journal. systemd sets `JOURNAL_STREAM` to the
 * device and the inode of its stream (systemd.exec(5)). Where the two are different streams, it names that of standard
 * error. Processes inherit the variable with another output, which the comparison detects.
 */
export function isOutputKept(stream: string | undefined, stdout = 1, stderr = 2): boolean {
  return [stdout, stderr].some((descriptor) => {
    try {
      const status = fstatSync(descriptor, { bigint: true });
      return stream === `${status.dev}:${status.ino}` || (descriptor === stdout && status.isFile());
    } catch {
      // It is closed.
      return false;
    }
  });
}
