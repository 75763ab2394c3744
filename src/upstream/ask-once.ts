// Asks sparingly: what is kept on disk is not asked for again, and equal questions wait for one answer.

import type { Metrics } from '../metrics/metrics.ts';
import type { DiskCache } from './disk-cache.ts';
import type { Clock } from './fair-turns.ts';
import { countQuestions } from './gate.ts';

type Answered<T> = { readonly kind: 'answered'; readonly value: T };

type Keeping<T> = {
  readonly cache: DiskCache;
  readonly keepMs: number;
  /** Undefined where the kept value is not what this version keeps. */
  readonly read: (kept: unknown) => T | undefined;
};

/** What is no answer is passed on as it is, and not kept. `address` tells equal questions. */
export function askOnce<T, Failure extends { readonly kind: string }>(
  { cache, keepMs, read }: Keeping<T>,
  clock: Clock,
  metrics: Metrics,
) {
  type Result = Answered<T> | Failure;
  const keptAnswers = countQuestions(metrics, 'kept');
  const underWay = new Map<string, Promise<Result>>();
  const ask = async (address: string, fetchFresh: () => Promise<Result>): Promise<Result> => {
    const text = await cache.find(address, clock.now());
    const kept = text === undefined ? undefined : read(parseJson(text));
    if (kept !== undefined) {
      keptAnswers.add(1);
      return { kind: 'answered', value: kept };
    }
    const fetched = await fetchFresh();
    if (isAnswered(fetched)) {
      const nowMs = clock.now();
      await cache.keep(address, JSON.stringify(fetched.value), { nowMs, untilMs: nowMs + keepMs });
    }
    return fetched;
  };
  return (address: string, fetchFresh: () => Promise<Result>): Promise<Result> => {
    const known = underWay.get(address);
    if (known !== undefined) return known;
    const asking = ask(address, fetchFresh).finally(() => underWay.delete(address));
    underWay.set(address, asking);
    return asking;
  };
}

function isAnswered<T, Failure extends { readonly kind: string }>(
  result: Answered<T> | Failure,
): result is Answered<T> {
  return result.kind === 'answered';
}

/** Undefined where a loss of power cut the text short. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
