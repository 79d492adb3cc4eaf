/** How `serve` is stopped: a first signal asks for it, a later one or the deadline ends the process. */
import type { IO } from "../terminal/io.ts";

/**
 * How long stopping may take, in milliseconds. Requests and operations under way have 10 s. The rest is for the
 * snapshot, of which this is time for some gigabytes; without it nothing is lost, and the next start only takes
 * longer, since it replays the journal. systemd kills what has not stopped after 90 s.
 */
const stopMilliseconds = 70_000;

/**
 * How long further signals count as the first one, in milliseconds: `timeout` sends its signal to the process and then to
 * its group, and so do Ctrl-C beside a parent that passes it on, and some supervisors.
 */
const sameSignalMilliseconds = 500;

/** A signal that is aborted when the command is told to stop. */
export function stopSignal(io: IO): AbortSignal {
  const stopping = new AbortController();
  const end = (why: string) =>
    io.abort(
      1,
      `${why} Every change that was acknowledged is on the disk; the next start replays the journal.`,
    );
  let isSame = true;
  io.onStop(() => {
    if (stopping.signal.aborted) {
      if (!isSame) end("Leaving at once, by a second signal.");
      return;
    }
    stopping.abort();
    setTimeout(() => (isSame = false), sameSignalMilliseconds).unref();
    setTimeout(
      () => end(`Leaving: stopping took more than ${stopMilliseconds / 1000} s.`),
      stopMilliseconds,
    ).unref();
  });
  return stopping.signal;
}
