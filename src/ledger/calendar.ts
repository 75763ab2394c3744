// When windows begin and end, and when credits renew. All in UTC, so that no clock change moves a limit.

import { dayMs, hourMs, minuteMs } from '../time.ts';
import type { Window } from './ledger.ts';

export type Span = { readonly startMs: number; readonly endMs: number };
export type Spans = Readonly<Record<Window, Span>>;

/** The minute, day and calendar month that hold an instant; the end is the first instant outside. */
export function spansAt(atMs: number): Spans {
  const date = new Date(atMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const minuteStartMs = startOf(atMs, minuteMs);
  const dayStartMs = startOf(atMs, dayMs);
  return {
    minute: { startMs: minuteStartMs, endMs: minuteStartMs + minuteMs },
    day: { startMs: dayStartMs, endMs: dayStartMs + dayMs },
    month: { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) },
  };
}

export function hourStart(atMs: number): number {
  return startOf(atMs, hourMs);
}

/** The calendar month that holds an instant, as YYYY-MM. */
export function monthName(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

const monthForm = /^([1-9]\d{3})-(0[1-9]|1[0-2])$/;

/** Of a month that is written so. */
export function monthSpan(name: string): Span | undefined {
  return monthForm.test(name) ? spansAt(Date.parse(`${name}-01T00:00:00Z`)).month : undefined;
}

/** The day by UTC, counted from 1970. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / dayMs);
}

/** The first monthly anniversary of `anchorMs` after `afterMs`. Counted from the anchor each time, so a 31st
 *  that fell back to 28 February is the 31st again in March. */
export function nextAnniversary(anchorMs: number, afterMs: number): number {
  const anchor = new Date(anchorMs);
  const after = new Date(afterMs);
  const months =
    (after.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + after.getUTCMonth() - anchor.getUTCMonth();
  const candidateMs = anniversary(anchor, Math.max(1, months));
  return candidateMs > afterMs ? candidateMs : anniversary(anchor, Math.max(1, months) + 1);
}

/** So many months in a row may lack a day of the month. */
const monthsWithoutADay = 1;

/** The anchor itself, or where it lies ahead, one whole months earlier that has the same anniversaries. Throws RangeError
 *  for what no date can hold: only other hands wrote it. */
export function anchorUpTo(anchorMs: number, atMs: number): number {
  const anchor = new Date(anchorMs);
  const at = new Date(atMs);
  const months =
    (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth();
  const first = Math.min(0, months);
  // The month of `atMs` itself may begin too late.
  for (let back = first; back >= first - 1 - monthsWithoutADay; back--) {
    const earlierMs = anniversary(anchor, back);
    // A month that lacks the day would turn a 31st into a 30th for good.
    if (earlierMs <= atMs && new Date(earlierMs).getUTCDate() === anchor.getUTCDate()) return earlierMs;
  }
  throw new RangeError(`no date is an anniversary of ${anchorMs} up to ${atMs}`);
}

function anniversary(anchor: Date, months: number): number {
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(anchor.getUTCDate(), lastDay);
  const timeOfDayMs = anchor.getTime() - startOf(anchor.getTime(), dayMs);
  return Date.UTC(year, month, day) + timeOfDayMs;
}

function startOf(atMs: number, lengthMs: number): number {
  return Math.floor(atMs / lengthMs) * lengthMs;
}
