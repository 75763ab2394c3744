// Notices when the clock of the machine is set while the service runs. Windows, refreshes and expiries go by that clock,
// so the operator should know why they moved.

/** A clock that is kept right by small steps makes none as large. */
const jumpMs = 5_000;
const everyMs = 1_000;

type Clocks = {
  readonly now: () => number;
  /** Milliseconds that pass whatever is done to the clock. */
  readonly elapsed: () => number;
};

/** `tell` hears of each jump once, in one sentence. Returns what ends the watch. */
export function watchClock(
  { now, elapsed }: Clocks,
  tell: (notice: string) => void,
  lookEveryMs: number = everyMs,
): () => void {
  let ahead = now() - elapsed();
  const timer = setInterval(() => {
    const aheadNow = now() - elapsed();
    const jump = aheadNow - ahead;
    ahead = aheadNow;
    if (Math.abs(jump) < jumpMs) return;
    const way = jump > 0 ? 'forward' : 'back';
    const why = jump > 0 ? ', or the machine slept' : '';
    tell(
      `The clock went ${way} by ${Math.round(Math.abs(jump) / 1000)} s to ${new Date(now()).toISOString()}: it was set${why}. If it is wrong now, set it right; \`domesday check\` lists refreshes that it moved.`,
    );
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
