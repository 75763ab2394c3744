// How long each stage of a request took. The stages are those of the contract, in its order.

import { defined } from '../../out-of-range.ts';

export const stages = ['key', 'limit', 'parameters', 'balance', 'lookup', 'charge', 'reply'] as const;
type Stage = (typeof stages)[number];

const placeOf = {
  key: 0,
  limit: 1,
  parameters: 2,
  balance: 3,
  lookup: 4,
  charge: 5,
  reply: 6,
} as const satisfies Record<Stage, number>;

/** One request's times. Each stage lasts from the end of the one before, the first from the arrival of the request. A batch takes
 *  all its calls through a stage before the next one, so that its times are sums over them. */
export class Laps {
  /** In the order of `stages`; NaN where the request did not come so far. Numbers alone, so that V8 keeps them in place. */
  readonly ms = [Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  readonly #elapsedMs: () => number;
  #lastMs: number;

  constructor(elapsedMs: () => number, arrivedMs: number) {
    this.#elapsedMs = elapsedMs;
    this.#lastMs = arrivedMs;
  }

  /** Of a stage that only compared what was known: reading the clock would take longer. */
  pass(stage: 'limit' | 'balance'): void {
    this.#add(placeOf[stage], 0);
  }

  /** Of a stage that was taken at once. */
  take(stage: Stage): void {
    if (stage === 'limit' || stage === 'balance') this.pass(stage);
    else this.end(stage);
  }

  /** Returns the moment. */
  end(stage: Stage): number {
    const nowMs = this.#elapsedMs();
    this.#add(placeOf[stage], nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    return nowMs;
  }

  /** Ends stages that the calls of a batch took together. `calls` tells which of these any of them came to. */
  endTogether(reached: 'limit' | 'balance', taken: 'parameters' | 'lookup', calls: Laps): void {
    if (calls.#has(reached)) this.pass(reached);
    if (calls.#has(taken)) this.end(taken);
  }

  #has(stage: Stage): boolean {
    return !Number.isNaN(this.ms[placeOf[stage]]);
  }

  #add(place: number, ms: number): void {
    const before = defined(this.ms[place]);
    this.ms[place] = Number.isNaN(before) ? ms : before + ms;
  }
}
