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

/** So many go without waiting for more. */
const enough = 64;

/** Goes when a turn brings no more than the one before, the first no more than `expected`. A commit or a way to the database costs as
 *  much as forty charges, so that waiting a turn for more of them pays. */
export function whileTurnsBring(
  { endOfTurn }: Pace,
  count: () => number,
  go: () => void,
  expected = 0,
): void {
  let before = expected;
  const look = () => {
    const now = count();
    if (now === before || now >= enough) return go();
    before = now;
    endOfTurn(look);
  };
  endOfTurn(look);
}

/** Whether those who wait go at once, before the last are answered, so that the database and this process work side by side. Few of
 *  them gather first. */
export const isWorthTheWay = (waiting: number, last: number): boolean => waiting > 0 && waiting >= last / 2;

/** A part of long work. Once it has taken a while, others go on before the next part. */
type WorkTurn = { readonly isLong: () => boolean; readonly next: () => Promise<WorkTurn> };

const turnMostMs = 2;

export function beginTurn(pace: Pace): WorkTurn {
  const startedMs = pace.elapsedMs();
  return {
    isLong: () => pace.elapsedMs() - startedMs >= turnMostMs,
    next: async () => {
      await new Promise<void>((resolve) => pace.endOfTurn(resolve));
      return beginTurn(pace);
    },
  };
}
