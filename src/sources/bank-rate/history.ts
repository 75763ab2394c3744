// Joins what one file says about Bank Rate with the history already known. Within its span of dates a file is
// the truth about which days are changes; rounding in it never replaces an exact rate; and nothing that was
// known disappears without being counted.

import { FileRefused } from '../../ingest/refusal.ts';
import type { Tally } from '../../ingest/tally.ts';
import type { RateChange } from '../../tables/bank-rate.ts';
import { dayMs } from '../../time.ts';
import { formatDay } from '../../uk/calendar.ts';

export type Reading = {
  readonly day: number;
  readonly rate: number;
  /** Only the project's own list names it; else it follows from the date. */
  readonly series: string | undefined;
  /** "file:line", or a sheet and row. */
  readonly place: string;
};

/** What one file says. `readings` in any order. */
export type Evidence = {
  readonly kind: 'changes' | 'daily';
  readonly file: string;
  readonly readings: readonly Reading[];
  /** The newest day the file speaks about. */
  readonly asOf: number;
};

export type History = {
  readonly changes: ReadonlyMap<number, RateChange>;
  /** Undefined while nothing is known. */
  readonly asOf: number | undefined;
};

/** Publications give two decimals; 10.875 appears as 10.88. The last digits absorb binary fractions. */
const roundingPercent = 0.005 + 1e-9;

/** A weekend with bank holidays on both sides. On no more days than these can a change go unseen. */
const longestClosureDays = 5;

const agree = (a: number, b: number) => Math.abs(a - b) <= roundingPercent;

const decimalsOf = (rate: number) => (String(rate).split('.')[1] ?? '').length;

const regimes = [
  { until: dayNumber('1981-08-20'), name: 'Min Lending Rate' },
  { until: dayNumber('1997-05-06'), name: 'Min.Band 1 Dealing Rate' },
  { until: dayNumber('2006-05-18'), name: 'Repo Rate' },
];

function dayNumber(date: string): number {
  return Date.parse(date) / dayMs;
}

/** What the Bank called its rate on that day. */
function regimeOn(day: number): string {
  return regimes.find(({ until }) => day < until)?.name ?? 'Official Bank Rate';
}

/** Throws FileRefused when the file contradicts itself, or leaves open when the rate changed. */
export function merge(history: History, evidence: Evidence, tally: Tally): History {
  const readings = inOrder(evidence, tally);
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined) return history;
  const changes =
    evidence.kind === 'changes' ? readings : findChanges(history, evidence.file, readings, tally);
  tally.kept += changes.length;
  const merged = new Map(history.changes);
  const stated = new Set(changes.map((change) => change.day));
  for (const day of history.changes.keys()) {
    if (day < first.day || day > last.day || stated.has(day)) continue;
    merged.delete(day);
    tally.revise('known change removed: the file does not have it', `${evidence.file}: ${formatDay(day)}`);
  }
  for (const reading of changes) {
    const known = history.changes.get(reading.day);
    merged.set(reading.day, {
      day: reading.day,
      rate: known === undefined ? reading.rate : moreExact(known.rate, reading, tally),
      series: reading.series ?? known?.series ?? regimeOn(reading.day),
    });
  }
  return { changes: merged, asOf: Math.max(history.asOf ?? evidence.asOf, evidence.asOf) };
}

function moreExact(known: number, { rate, place }: Reading, tally: Tally): number {
  if (!agree(known, rate)) {
    tally.revise('known rate corrected: the file has another', place);
    return rate;
  }
  return decimalsOf(known) > decimalsOf(rate) ? known : rate;
}

/** Oldest first, one a day. */
function inOrder({ file, readings }: Evidence, tally: Tally): readonly Reading[] {
  const ordered: Reading[] = [];
  for (const reading of [...readings].sort((a, b) => a.day - b.day)) {
    const previous = ordered.at(-1);
    if (previous?.day !== reading.day) {
      ordered.push(reading);
    } else if (previous.rate === reading.rate) {
      tally.reject('same day twice', reading.place);
    } else {
      throw new FileRefused(
        file,
        `gives two rates for ${formatDay(reading.day)}: ${previous.rate} (${previous.place}) and ${reading.rate} (${reading.place})`,
      );
    }
  }
  return ordered;
}

/** The days of a daily series on which the rate differs from the day before. */
function findChanges(
  history: History,
  file: string,
  days: readonly Reading[],
  tally: Tally,
): readonly Reading[] {
  const changes: Reading[] = [];
  let previous: Reading | undefined;
  for (const today of days) {
    if (previous === undefined) {
      const change = firstDayChange(history, file, today);
      if (change === undefined)
        tally.reject('first day of the file: it does not say since when the rate applies', today.place);
      else changes.push(change);
    } else if (previous.rate === today.rate) {
      tally.reject('no change on that day', today.place);
    } else {
      changes.push(dateChange(history, file, previous.day, today));
    }
    previous = today;
  }
  return changes;
}

/** The first day is a change only if it is known as one, or the rate known just before it was another. */
function firstDayChange(history: History, file: string, today: Reading): Reading | undefined {
  if (history.changes.has(today.day)) return today;
  const before = inForceBefore(history, today.day);
  if (before === undefined || agree(before.rate, today.rate)) return undefined;
  const known = history.asOf ?? before.day;
  if (known < today.day && today.day - known <= longestClosureDays) return today;
  throw new FileRefused(
    file,
    `begins on ${formatDay(today.day)} with ${today.rate}, but the rate known before is ${before.rate} since ${formatDay(before.day)}; the change between them is not in the file. Download a longer period, from ${formatDay(before.day)} on`,
  );
}

/** A change may fall on a day without observation (a Sunday). Then the day that is already known is better. */
function dateChange(history: History, file: string, previousDay: number, today: Reading): Reading {
  for (let day = previousDay + 1; day < today.day; day += 1) {
    const known = history.changes.get(day);
    if (known !== undefined && agree(known.rate, today.rate)) return { ...today, day };
  }
  if (today.day - previousDay <= longestClosureDays || history.changes.has(today.day)) return today;
  throw new FileRefused(
    file,
    `has no days between ${formatDay(previousDay)} and ${formatDay(today.day)}, and the rate changed meanwhile (${today.place}); expected every working day`,
  );
}

function inForceBefore({ changes }: History, day: number): RateChange | undefined {
  let found: RateChange | undefined;
  for (const change of changes.values()) {
    if (change.day < day && (found === undefined || change.day > found.day)) found = change;
  }
  return found;
}
