// Asks a service sparingly: what is kept on disk is not asked for again, equal questions wait for one answer, and nobody
// asks while the queue is too long or the service keeps failing.

import type { Counter, Metrics } from '../../metrics/metrics.ts';
import { Breaker } from './breaker.ts';
import type { DiskCache } from './disk-cache.ts';
import type { Clock } from './fair-turns.ts';

/** What is counted of a service, and under which name. */
type Watched = { readonly name: string; readonly metrics: Metrics };

/** How a service is reached. */
export type LiveOptions = Watched & {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly cacheFolder: string;
  /** What answers kept there may take. */
  readonly cacheBytesMost: number;
  /** How many threads share the rate. */
  readonly sharers: number;
  /** For the request that begins now: how long it may take. */
  readonly deadline: () => AbortSignal;
};

type Answered<T> = { readonly kind: 'answered'; readonly value: T };

/** An answer that has just come, with the text to keep and for how long. */
export type Fresh<T> = {
  readonly kind: 'fresh';
  readonly value: T;
  readonly text: string;
  readonly keepMs: number;
};

type LiveQuestion<T, Failure> = {
  readonly address: string;
  /** `odd` where the text is not what this version keeps, or was cut short by a loss of power. */
  readonly readKept: (text: string) => T | 'odd';
  readonly fetchFresh: () => Promise<Fresh<T> | Failure>;
};

/** `Failure` is never `fresh`: it is passed on as it is, and not kept. */
export function askOnce<T, Failure extends { readonly kind: string }>(
  cache: DiskCache,
  clock: Clock,
  watched: Watched,
) {
  const keptAnswers = counted(watched, 'kept');
  const underWay = new Map<string, Promise<Answered<T> | Failure>>();
  const ask = async ({ address, readKept, fetchFresh }: LiveQuestion<T, Failure>) => {
    const text = await cache.find(address, clock.now());
    const kept = text === undefined ? 'odd' : readKept(text);
    if (kept !== 'odd') {
      keptAnswers.add(1);
      return { kind: 'answered', value: kept } as const;
    }
    const fetched = await fetchFresh();
    if (!isFresh(fetched)) return fetched;
    const nowMs = clock.now();
    await cache.keep(address, fetched.text, { nowMs, untilMs: nowMs + fetched.keepMs });
    return { kind: 'answered', value: fetched.value } as const;
  };
  return (question: LiveQuestion<T, Failure>): Promise<Answered<T> | Failure> => {
    const known = underWay.get(question.address);
    if (known !== undefined) return known;
    const asking = ask(question).finally(() => underWay.delete(question.address));
    underWay.set(question.address, asking);
    return asking;
  };
}

function isFresh<T, Failure extends { readonly kind: string }>(
  fetched: Fresh<T> | Failure,
): fetched is Fresh<T> {
  return fetched.kind === 'fresh';
}

/** Nobody waits longer than this for a turn. */
const longestQueueMs = 20_000;

/** Whether a service may be asked now, and how it fared. */
export class Gate {
  readonly #breaker = new Breaker();
  readonly #queueMs: (account: string) => number;
  readonly #clock: Clock;
  readonly #heldBack: Counter;
  readonly #answered: Counter;
  readonly #failed: Counter;

  /** `queueMs` tells how long the next request of an account would wait for its turn. */
  constructor(queueMs: (account: string) => number, clock: Clock, watched: Watched) {
    this.#queueMs = queueMs;
    this.#clock = clock;
    this.#heldBack = counted(watched, 'held back');
    this.#answered = counted(watched, 'answered');
    this.#failed = counted(watched, 'failed');
    const { metrics, name: service } = watched;
    metrics.onRead((set) => set('domesday_upstream_breaker_open', this.#breaker.isOpen ? 1 : 0, { service }));
  }

  /** How long to wait before asking; 0 where one may ask now. */
  waitMs(account: string): number {
    const queueMs = this.#queueMs(account);
    const waitMs = queueMs > longestQueueMs ? queueMs : this.#breaker.waitMs(this.#clock.now());
    if (waitMs > 0) this.#heldBack.add(1);
    return waitMs;
  }

  succeeded(): void {
    this.#answered.add(1);
    this.#breaker.succeeded();
  }

  failed(): void {
    this.#failed.add(1);
    this.#breaker.failed(this.#clock.now());
  }
}

const counted = ({ metrics, name: service }: Watched, result: string): Counter =>
  metrics.counter('domesday_upstream_requests_total', { service, result });

export function parseJson(text: string): { readonly value: unknown } | 'no JSON' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
}
