// Usage that is counted in memory and written a little later, whatever the engine.

import { hourStart } from '../calendar.ts';
import type { Call } from '../ledger.ts';

type UsageSum = {
  readonly hourStartMs: number;
  readonly keyId: string;
  readonly endpoint: string;
  readonly status: number;
  calls: number;
  credits: number;
};

/** Calls and credits per hour, key, endpoint and status. */
export class UsageTally {
  // By key and endpoint; hour and status are few, so their list is searched. No text is made for a call.
  readonly #byKey = new Map<string, Map<string, UsageSum[]>>();
  readonly #sums: UsageSum[] = [];

  get sums(): readonly UsageSum[] {
    return this.#sums;
  }

  add({ caller: { keyId }, endpoint, atMs }: Call, status: number, credits: number): void {
    const sum = this.#sumOf(keyId, endpoint, hourStart(atMs), status);
    sum.calls += 1;
    sum.credits += credits;
  }

  addAll({ sums }: UsageTally): void {
    for (const { keyId, endpoint, hourStartMs, status, calls, credits } of sums) {
      const sum = this.#sumOf(keyId, endpoint, hourStartMs, status);
      sum.calls += calls;
      sum.credits += credits;
    }
  }

  clear(): void {
    this.#byKey.clear();
    this.#sums.length = 0;
  }

  #sumOf(keyId: string, endpoint: string, hourStartMs: number, status: number): UsageSum {
    const sums = this.#sumsOf(keyId, endpoint);
    for (const sum of sums) if (sum.status === status && sum.hourStartMs === hourStartMs) return sum;
    const sum = { hourStartMs, keyId, endpoint, status, calls: 0, credits: 0 };
    sums.push(sum);
    this.#sums.push(sum);
    return sum;
  }

  #sumsOf(keyId: string, endpoint: string): UsageSum[] {
    let byEndpoint = this.#byKey.get(keyId);
    if (byEndpoint === undefined) {
      byEndpoint = new Map();
      this.#byKey.set(keyId, byEndpoint);
    }
    let sums = byEndpoint.get(endpoint);
    if (sums === undefined) {
      sums = [];
      byEndpoint.set(endpoint, sums);
    }
    return sums;
  }
}
