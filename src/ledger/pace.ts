// Time and turns of the event loop, as the ledger uses them. Behind an interface, so that a simulation can be its clock
// and its scheduler.

export type Pace = {
  /** Only grows, whatever the clock on the wall does. */
  readonly elapsedMs: () => number;
  readonly endOfTurn: (work: () => void) => void;
  readonly pause: (ms: number) => Promise<void>;
  /** Gives back how to call it off. Does not keep the process alive. */
  readonly later: (ms: number, work: () => void) => () => void;
};

export const eventLoop: Pace = {
  elapsedMs: () => performance.now(),
  endOfTurn: (work) => {
    setImmediate(work);
  },
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  later: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
