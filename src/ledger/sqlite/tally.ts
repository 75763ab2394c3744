// Calls per window that are counted in memory and written a little later. They are kept as what was added since the last
// write, so that neither another writer nor a failed write loses any.

import type { Span, Spans } from '../calendar.ts';
import type { Caller, Limits, Mode, Window } from '../ledger.ts';
import { windows } from '../plans.ts';
import type { AccountRow } from '../stored/records.ts';

type Count = { readonly startMs: number; readonly count: number };
export type Counts = Readonly<Record<Window, Count>>;

export const noCounts: Counts = {
  minute: { startMs: 0, count: 0 },
  day: { startMs: 0, count: 0 },
  month: { startMs: 0, count: 0 },
};

type Adding = { startMs: number; endMs: number; count: number };
/** What was added at some moment. */
export type Added = Readonly<Record<Window, Readonly<Adding>>>;

const nothingAdded = (): Adding => ({ startMs: 0, endMs: 0, count: 0 });

type Numbered = { readonly number: number; readonly accountId: string };

/** Calls of one account and mode in the current minute, day and month. */
export class WindowTally {
  readonly account: Numbered;
  readonly mode: Mode;
  /** As the storage has it; undefined when that must be read again. */
  stored: Counts | undefined;
  readonly #added: Record<Window, Adding> = {
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
    return (stored?.startMs === startMs ? stored.count : 0) + (added.startMs === startMs ? added.count : 0);
  }

  /** What the storage must say once the additions are in it. */
  merged(stored: Counts): Counts {
    return {
      minute: merge(stored.minute, this.#added.minute),
      day: merge(stored.day, this.#added.day),
      month: merge(stored.month, this.#added.month),
    };
  }

  get added(): Added {
    const { minute, day, month } = this.#added;
    return { minute: { ...minute }, day: { ...day }, month: { ...month } };
  }

  /** These are in the storage now. */
  settle(written: Added): void {
    for (const window of windows) {
      const added = this.#added[window];
      if (added.startMs === written[window].startMs) added.count -= written[window].count;
    }
  }

  /** Everything that was added is in the storage. */
  get isSettled(): boolean {
    return windows.every((window) => this.#added[window].count === 0);
  }
}

function addIn(added: Adding, { startMs, endMs }: Span): void {
  if (added.startMs !== startMs) {
    added.startMs = startMs;
    added.endMs = endMs;
    added.count = 0;
  }
  added.count += 1;
}

function merge(stored: Count, added: Adding): Count {
  if (stored.startMs === added.startMs) return { startMs: stored.startMs, count: stored.count + added.count };
  // Another writer has begun the next window: these calls come too late to matter. Any other difference,
  // a clock set back included, is a new window.
  if (stored.startMs === added.endMs) return stored;
  return { startMs: added.startMs, count: added.count };
}

/** A key that opens something: of a kind that is admitted, not revoked, of an account that is not closed. Whether it
 *  has expired depends on the time. */
export type KeyEntry = {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: null;
  readonly account: AccountRow;
  readonly limits: Limits;
  readonly tally: WindowTally;
};
