// Which entries of a journal may give way to a closing entry, and what that says. Pure: an engine reads, asks and writes.

import { dayMs } from '../time.ts';
import { type Closing, hashClosing, type Link } from './chain.ts';
import { LedgerRefusal } from './ledger.ts';
import type { Trim } from './told/journals.ts';

/** Two months: what a customer can still ask about, and longer than any charge id is looked up again. */
export const keptDays = 62;

/** `newestAtMs` is the time of the ledger's newest entry: a clock that is ahead of it must not shorten what is kept. */
export function checkTrim({ beforeMs, atMs }: Trim, newestAtMs: number): void {
  const latestMs = Math.min(atMs, newestAtMs) - keptDays * dayMs;
  if (beforeMs <= latestMs) return;
  const day = new Date(latestMs).toISOString().slice(0, 10);
  throw new LedgerRefusal(
    `Entries of the last ${keptDays} days are always kept; name ${day} or an earlier date.`,
  );
}

/** Follows a journal up to the first entry that is kept. */
export class Prefix {
  readonly #trim: Trim;
  #reachedMs = Number.NEGATIVE_INFINITY;
  #state: 'before' | 'kept' = 'before';
  lastSeq = 0;
  /** Entries that give way; a closing entry that is there already is none. */
  entries = 0;

  constructor(trim: Trim) {
    this.#trim = trim;
  }

  take({
    seq,
    atMs,
    kind,
  }: {
    readonly seq: number;
    readonly atMs: number;
    readonly kind: string | null;
  }): void {
    if (this.#state === 'kept') return;
    // An entry is as old as the latest before it: one stamped by a clock that was behind is not. One stamped by a clock
    // that was ahead says nothing.
    if (atMs <= this.#trim.atMs) this.#reachedMs = Math.max(this.#reachedMs, atMs);
    if (this.#reachedMs >= this.#trim.beforeMs) {
      this.#state = 'kept';
      return;
    }
    this.lastSeq = seq;
    if (kind !== 'closing') this.entries += 1;
  }

  /** The newest entry of all stays, whatever its time: numbers go on after it. */
  leave(newestSeq: number): void {
    if (this.lastSeq !== newestSeq) return;
    this.lastSeq -= 1;
    this.entries -= 1;
  }
}

/** An entry on its way into a closing entry. */
type Closed = Pick<Link, 'accountId' | 'atMs' | 'credits' | 'lasting' | 'balanceAfter' | 'lastingAfter'> & {
  readonly seq: number;
  readonly hash: string | null;
};

type ClosingEntry = Closing & {
  readonly last: Closed;
  readonly credits: number;
  readonly lasting: number;
  readonly note: string;
  readonly hash: string;
};

/** `before` is the closing entry that stands in front of them, if there is one. */
export function closeEntries(
  before: (Closing & { readonly credits: number; readonly lasting: number }) | undefined,
  entries: readonly [Closed, ...Closed[]],
): ClosingEntry {
  const [first, ...others] = entries;
  const last = others.at(-1) ?? first;
  const sum = (column: 'credits' | 'lasting') =>
    entries.reduce((total, entry) => total + entry[column], before?.[column] ?? 0);
  const closing = {
    entries: entries.length + (before?.entries ?? 0),
    firstAtMs: before?.firstAtMs ?? first.atMs,
  };
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [from, to] = [day(closing.firstAtMs), day(last.atMs)];
  const note = `stands for ${closing.entries} ${closing.entries === 1 ? 'entry' : 'entries'} from ${from} to ${to}`;
  const credits = sum('credits');
  const lasting = sum('lasting');
  const link: Link = {
    ...last,
    previous: null,
    kind: 'closing',
    credits,
    lasting,
    note,
    chargeId: null,
    requestId: null,
    keyId: null,
    endpoint: null,
  };
  return { ...closing, last, credits, lasting, note, hash: hashClosing(last.seq, last.hash, link, closing) };
}
