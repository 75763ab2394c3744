// Time, waiting and chance, which arrive as arguments so that tests never sleep.

export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves when so much time has passed, or at once when the signal says stop. Never rejects. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
};

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal?.aborted === true) end();
      else signal?.addEventListener('abort', end);
    }),
};
