// Asks a service sparingly: what is kept on disk is not asked for again, equal questions wait for one answer, and nobody
// asks while the queue is too long or the service keeps failing.

import { Breaker } from './breaker.ts';
import type { DiskCache } from './disk-cache.ts';
import type { Clock } from './fair-turns.ts';

/** How a service is reached. */
export type LiveOptions = {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly cacheFolder: string;
  /** What answers kept there may take. */
  readonly cacheBytesMost: number;
  /** How many threads share the rate. */
  readonly sharers: number;
  /** Of one request. */
  readonly timeoutMs: number;
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
export function askOnce<T, Failure extends { readonly kind: string }>(cache: DiskCache, clock: Clock) {
  const underWay = new Map<string, Promise<Answered<T> | Failure>>();
  const ask = async ({ address, readKept, fetchFresh }: LiveQuestion<T, Failure>) => {
    const text = await cache.find(address, clock.now());
    const kept = text === undefined ? 'odd' : readKept(text);
    if (kept !== 'odd') return { kind: 'answered', value: kept } as const;
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

  /** `queueMs` tells how long the next request of an account would wait for its turn. */
  constructor(queueMs: (account: string) => number, clock: Clock) {
    this.#queueMs = queueMs;
    this.#clock = clock;
  }

  /** How long to wait before asking; 0 where one may ask now. */
  waitMs(account: string): number {
    const queueMs = this.#queueMs(account);
    return queueMs > longestQueueMs ? queueMs : this.#breaker.waitMs(this.#clock.now());
  }

  succeeded(): void {
    this.#breaker.succeeded();
  }

  failed(): void {
    this.#breaker.failed(this.#clock.now());
  }
}

export function parseJson(text: string): { readonly value: unknown } | 'no JSON' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
}
