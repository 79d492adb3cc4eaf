/** Signals that stop `serve`: the first one asks it to stop; a later one, or a deadline, ends the process. */
import type { IO } from "../terminal/io.ts";

/**
 * The deadline for stopping, in milliseconds. Requests and operations under way have 10 s; the rest is for the snapshot,
 * and suffices for some gigabytes. Without the snapshot nothing is lost: the next start replays the journal. systemd
 * kills a process after 90 s.
 */
const stopMilliseconds = 70_000;

/**
 * The time for which further signals count as the first one, in milliseconds. `timeout`, some supervisors, and Ctrl-C with
 * a parent that forwards it send their signal twice: to the process and to its group.
 */
const sameSignalMilliseconds = 500;

/** Returns a signal that is aborted when the command should stop. */
export function stopSignal(io: Pick<IO, "onStop" | "abort">): AbortSignal {
  const stopping = new AbortController();
  const end = (why: string) =>
    io.abort(1, `${why} Every acknowledged change is on disk; the next start replays the journal.`);
  let isSame = true;
  io.onStop(() => {
    if (stopping.signal.aborted) {
      if (!isSame) end("Exiting at once after a second signal.");
      return;
    }
    stopping.abort();
    setTimeout(() => (isSame = false), sameSignalMilliseconds).unref();
    setTimeout(
      () => end(`Exiting: stopping took more than ${stopMilliseconds / 1000} s.`),
      stopMilliseconds,
    ).unref();
  });
  return stopping.signal;
}
