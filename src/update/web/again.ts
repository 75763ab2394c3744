// Tries again where that may help: a bounded number of times, after pauses that grow and of which chance decides a half.

import { minuteMs } from '../../time.ts';
import type { Clock } from './clock.ts';
import { stopped, TransferFailed } from './failure.ts';

const triesMost = 6;
const firstPauseMs = 1000;
const longestPauseMs = minuteMs;

/** `hasGained` tells, after a failure, whether enough came since it was last asked: then the count begins anew. */
export async function tryAgain<T>(
  attempt: () => Promise<T>,
  hasGained: () => boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TransferFailed) || error.again === 'no use') throw error;
      if (hasGained()) tries = 1;
      if (tries >= triesMost) throw error;
      const pauseMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
      await clock.wait(pauseMs * (0.5 + clock.random() / 2), signal);
      if (signal.aborted) throw stopped();
    }
  }
}
