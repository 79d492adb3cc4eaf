/** Time and chance, which tests replace. */

/** See the head of this file. All times are in milliseconds. */
export interface Timing {
  /** Since 1970. */
  now(): number;
  /** From 0 up to, but not, 1. */
  random(): number;
  /** Waits. Rejects with the signal's reason as soon as that is aborted. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** A signal that is aborted after that time. */
  timeout(milliseconds: number): AbortSignal;
}

/** The platform's. */
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
