// Council tax years: they run from 1 April to 31 March, are written 2026-27, and are kept as the year they begin in.

import { dayOf, formatDay } from './calendar.ts';

/** Reads YYYY-YY of two consecutive years; gives the first. */
export function parseTaxYear(text: string): number | undefined {
  const found = /^(\d{4})-(\d\d)$/.exec(text);
  if (found === null) return undefined;
  const start = Number(found[1]);
  return (start + 1) % 100 === Number(found[2]) ? start : undefined;
}

export function formatTaxYear(start: number): string {
  return `${String(start).padStart(4, '0')}-${String((start + 1) % 100).padStart(2, '0')}`;
}

/** The tax year that a day belongs to. */
export function taxYearOn(day: number): number {
  const year = Number(formatDay(day).slice(0, 4));
  const firstOfApril = dayOf(year, 4, 1);
  return firstOfApril !== undefined && day >= firstOfApril ? year : year - 1;
}
