/** Time and randomness, which tests replace. */

/** See the head of this file. All times are in milliseconds. */
export interface Timing {
  /** Returns the time since 1970. */
  now(): number;
  /** Returns a number from 0 to below 1. */
  random(): number;
  /** Waits. Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** Returns a signal that is aborted after a time. */
  timeout(milliseconds: number): AbortSignal;
}

/** The time and randomness of the platform. */
export const platformTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", stop, { once: true });
    }),
};
