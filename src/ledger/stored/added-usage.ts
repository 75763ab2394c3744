// Usage of one day after the other, added up by whatever it is wanted by. Only the page that was asked for is kept.

import type { UsageSum, UsageSums, UsageWish } from '../told/usage.ts';

type Counted = Required<UsageSum>;
type Sum = { -readonly [Name in keyof UsageSum]: UsageSum[Name] };

export class AddedUsage {
  readonly #wish: UsageWish;
  readonly #rows: UsageSum[] = [];
  readonly #total = { rows: 0, calls: 0, credits: 0 };
  readonly #groups = new Map<string, Sum>();

  constructor(wish: UsageWish) {
    this.#wish = wish;
  }

  add(counted: Counted): void {
    let name = '';
    for (const dimension of this.#wish.by) name += `${counted[dimension]} `;
    const sum = this.#groups.get(name);
    if (sum === undefined) this.#groups.set(name, this.#begin(counted));
    else {
      sum.calls += counted.calls;
      sum.credits += counted.credits;
    }
  }

  /** Rows of later days come after all of those so far, where days are told apart. */
  endDay(): void {
    if (this.#wish.by.includes('day')) this.#turnOver();
  }

  /** Whether any of the next so many rows are on the page. */
  isOfPage(rows: number): boolean {
    const { offset, limit } = this.#wish;
    const before = this.#total.rows;
    return before < offset + limit && before + rows > offset;
  }

  /** A day of which no row is on the page. */
  pass({ rows, calls, credits }: UsageSums['total']): void {
    this.#total.rows += rows;
    this.#total.calls += calls;
    this.#total.credits += credits;
  }

  sums(): UsageSums {
    this.#turnOver();
    return { rows: this.#rows, total: this.#total };
  }

  #begin({ day, endpoint, key, status, calls, credits }: Counted): Sum {
    const { by } = this.#wish;
    return {
      ...(by.includes('day') ? { day } : {}),
      ...(by.includes('endpoint') ? { endpoint } : {}),
      ...(by.includes('key') ? { key } : {}),
      ...(by.includes('status') ? { status } : {}),
      calls,
      credits,
    };
  }

  #turnOver(): void {
    // A charge that was given back leaves nothing.
    const groups = [...this.#groups.values()].filter(({ calls, credits }) => calls !== 0 || credits !== 0);
    const { offset, limit } = this.#wish;
    const before = this.#total.rows;
    for (const { calls, credits } of groups) {
      this.#total.rows += 1;
      this.#total.calls += calls;
      this.#total.credits += credits;
    }
    const first = Math.max(0, offset - before);
    const missing = limit - this.#rows.length;
    if (first < groups.length && missing > 0) {
      this.#rows.push(...groups.sort(inOrder).slice(first, first + missing));
    }
    this.#groups.clear();
  }
}

/** Of one day, or of all days together. */
function inOrder(a: UsageSum, b: UsageSum): number {
  return (
    compareTexts(a.endpoint, b.endpoint) || compareTexts(a.key, b.key) || (a.status ?? 0) - (b.status ?? 0)
  );
}

function compareTexts(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
