// How long a host asks us to stay away (`Retry-After`), in seconds or as a date.

import { dayMs } from '../../time.ts';

/** Of a wrong clock, theirs or ours, no more than this is believed. */
export const longestRetryMs = dayMs;

/** Undefined where the header says nothing that can be understood. */
export function retryAfterMs(
  header: string | undefined,
  /** The `Date` of the same answer: against it their date is right whatever our clock says. */
  dateHeader: string | undefined,
  nowMs: number,
): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? 1000 * Number(text) : untilMs(text, dateHeader, nowMs);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryMs);
}

function untilMs(text: string, dateHeader: string | undefined, nowMs: number): number {
  // Dates of HTTP begin with a weekday; Date.parse would take much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return Number.NaN;
  const theirNowMs = Date.parse(dateHeader ?? '');
  return Date.parse(text) - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
}
