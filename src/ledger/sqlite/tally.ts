// Counts that are made in memory and written a little later. They are kept as what was added since the last write, so
// that neither another writer nor a failed write loses any.

import { hourStart, type Span, type Spans } from '../calendar.ts';
import type { Call, Mode, Window } from '../ledger.ts';
import { windows } from '../plans.ts';

type Count = { readonly startMs: number; readonly count: number };
export type Counts = Readonly<Record<Window, Count>>;

export const noCounts: Counts = {
  minute: { startMs: 0, count: 0 },
  day: { startMs: 0, count: 0 },
  month: { startMs: 0, count: 0 },
};

type Added = { startMs: number; endMs: number; count: number };

const nothingAdded = (): Added => ({ startMs: 0, endMs: 0, count: 0 });

type Numbered = { readonly number: number; readonly accountId: string };

/** Calls of one account and mode in the current minute, day and month. */
export class WindowTally {
  readonly account: Numbered;
  readonly mode: Mode;
  /** As the storage has it; undefined when that must be read again. */
  stored: Counts | undefined;
  readonly #added: Record<Window, Added> = {
    minute: nothingAdded(),
    day: nothingAdded(),
    month: nothingAdded(),
  };

  constructor({ number, accountId }: Numbered, mode: Mode) {
    this.account = { number, accountId };
    this.mode = mode;
  }

  add(spans: Spans): void {
    addIn(this.#added.minute, spans.minute);
    addIn(this.#added.day, spans.day);
    addIn(this.#added.month, spans.month);
  }

  countIn(window: Window, startMs: number): number {
    const stored = this.stored?.[window];
    const added = this.#added[window];
    return (
      (stored !== undefined && stored.startMs === startMs ? stored.count : 0) +
      (added.startMs === startMs ? added.count : 0)
    );
  }

  /** What the storage must say once the additions are in it. */
  merged(stored: Counts): Counts {
    return {
      minute: merge(stored.minute, this.#added.minute),
      day: merge(stored.day, this.#added.day),
      month: merge(stored.month, this.#added.month),
    };
  }

  /** The additions are in the storage, which now says `stored`. */
  settle(stored: Counts): void {
    this.stored = stored;
    for (const window of windows) this.#added[window].count = 0;
  }
}

function addIn(added: Added, { startMs, endMs }: Span): void {
  if (added.startMs !== startMs) {
    added.startMs = startMs;
    added.endMs = endMs;
    added.count = 0;
  }
  added.count += 1;
}

function merge(stored: Count, added: Added): Count {
  if (stored.startMs === added.startMs) return { startMs: stored.startMs, count: stored.count + added.count };
  // Another writer has begun the next window: these calls come too late to matter. Any other difference,
  // a clock set back included, is a new window.
  if (stored.startMs === added.endMs) return stored;
  return { startMs: added.startMs, count: added.count };
}

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
    const sums = this.#sumsOf(keyId, endpoint);
    const hourStartMs = hourStart(atMs);
    for (const sum of sums) {
      if (sum.status !== status || sum.hourStartMs !== hourStartMs) continue;
      sum.calls += 1;
      sum.credits += credits;
      return;
    }
    const sum = { hourStartMs, keyId, endpoint, status, calls: 1, credits };
    sums.push(sum);
    this.#sums.push(sum);
  }

  clear(): void {
    this.#byKey.clear();
    this.#sums.length = 0;
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
