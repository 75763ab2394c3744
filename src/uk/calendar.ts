// Calendar dates as whole days since 1970-01-01, so that tables keep a date in four bytes and ranges are
// comparisons; and what the date is in London.

import { dayMs, hourMs } from '../time.ts';

/** A real calendar date, or undefined. Years 1 to 9999. */
export function dayOf(year: number, month: number, date: number): number | undefined {
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, date);
  const isReal =
    year >= 1 && year <= 9999 && instant.getUTCMonth() === month - 1 && instant.getUTCDate() === date;
  return isReal ? instant.getTime() / dayMs : undefined;
}

/** Reads YYYY-MM-DD; anything but a real date in exactly that form is undefined. */
export function parseDay(text: string): number | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return found === null ? undefined : dayOf(Number(found[1]), Number(found[2]), Number(found[3]));
}

/** YYYY-MM-DD. By arithmetic over eras of 400 years: a page of answers formats hundreds, and Date is slow. */
export function formatDay(day: number): string {
  const { year, month, date } = civilOf(day);
  return `${String(year).padStart(4, '0')}-${month < 10 ? '0' : ''}${month}-${date < 10 ? '0' : ''}${date}`;
}

function civilOf(day: number): { readonly year: number; readonly month: number; readonly date: number } {
  const fromMarch0000 = day + 719_468;
  const era = Math.floor(fromMarch0000 / 146_097);
  const dayOfEra = fromMarch0000 - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date };
}

/** The calendar month of a day, in months since the year 0. */
export function monthOf(day: number): number {
  const { year, month } = civilOf(day);
  return 12 * year + month - 1;
}

/** The same date so many months earlier, or the last day of that month where it is shorter. */
export function monthsBefore(day: number, months: number): number {
  const instant = new Date(day * dayMs);
  const month = instant.getUTCFullYear() * 12 + instant.getUTCMonth() - months;
  const lastDate = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();
  return Date.UTC(Math.floor(month / 12), month % 12, Math.min(instant.getUTCDate(), lastDate)) / dayMs;
}

/** Summer time by law: the Sunday among the seven days from `date` of March or October at which it begins or ends, at `hour` in UTC.
 *  By rule, because the first use of Intl takes some 30 ms of every start; a test compares it with the time zone database. */
const summerTimes: readonly {
  readonly since: number;
  readonly begins: number;
  readonly ends: number;
  readonly hour: number;
}[] = [
  { since: 1996, begins: 25, ends: 25, hour: 1 },
  { since: 1990, begins: 25, ends: 22, hour: 1 },
  { since: 1981, begins: 25, ends: 23, hour: 1 },
  { since: 1972, begins: 16, ends: 23, hour: 2 },
];
/** Until then clocks were an hour ahead all year. */
const standardTimeEndsMs = Date.UTC(1971, 9, 31, 2);

function isSummerTime(atMs: number): boolean {
  const year = new Date(atMs).getUTCFullYear();
  const rule = summerTimes.find(({ since }) => year >= since);
  if (rule === undefined) return atMs < standardTimeEndsMs;
  const sundayFrom = (month: number, date: number): number => {
    const firstMs = Date.UTC(year, month, date, rule.hour);
    return firstMs + ((7 - new Date(firstMs).getUTCDay()) % 7) * dayMs;
  };
  return atMs >= sundayFrom(2, rule.begins) && atMs < sundayFrom(9, rule.ends);
}

/** The date in London at an instant, summer time included. */
export function londonToday(atMs: number): number {
  // London's midnight falls on a full hour of UTC, so the answer of an hour holds for all of it.
  const hour = Math.floor(atMs / hourMs);
  if (hour !== lastAnswer.hour) lastAnswer = { hour, day: londonDay(atMs) };
  return lastAnswer.day;
}

let lastAnswer = { hour: Number.NaN, day: Number.NaN };

function londonDay(atMs: number): number {
  if (!Number.isFinite(atMs)) throw new RangeError(`${atMs} is not an instant.`);
  return Math.floor((isSummerTime(atMs) ? atMs + hourMs : atMs) / dayMs);
}

/** The first moment of a day in London, as ISO 8601 with its offset: `2026-05-12T00:00:00+01:00`. */
export function formatLondonMidnight(day: number): string {
  // The clocks change at one in the morning, so the offset just after midnight is the one of the night before.
  return `${formatDay(day)}T00:00:00${isSummerTime(day * dayMs) ? '+01:00' : '+00:00'}`;
}

/** Reads YYYY-MM as months since the year 0, so that 0 is free to mean none; undefined where it is no month. */
export function parseMonth(text: string): number | undefined {
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text);
  return found === null ? undefined : 12 * Number(found[1]) + Number(found[2]) - 1;
}

/** The last day of a month, which is given in months since the year 0. */
export const lastDayOf = (month: number): number =>
  Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0) / dayMs;

/** YYYY-MM of months since the year 0. */
export const formatMonth = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** An English month name or a beginning of three letters or more ("Jan", "June", "sept"): 1 to 12. */
export function parseMonthName(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  if (word.length < 3) return undefined;
  const index = monthNames.findIndex((name) => name.startsWith(word));
  return index === -1 ? undefined : index + 1;
}

/** 01.04.1993, 1/4/1993, 1993-04-01, 1 April 1993, each perhaps with a time after it. */
export function parseWrittenDay(text: string): number | undefined {
  const date = text.replace(/[T ]\d\d:\d\d.*$/, '');
  const iso = parseDay(date);
  if (iso !== undefined) return iso;
  const found = /^(\d{1,2})[./ -](\d{1,2}|[A-Za-z]{3,9})[./ -](\d{4})$/.exec(date);
  if (found === null) return undefined;
  const [, day = '', month = '', year = ''] = found;
  const number = /\d/.test(month) ? Number(month) : parseMonthName(month);
  return number === undefined ? undefined : dayOf(Number(year), number, Number(day));
}

/** "23 March 2023" anywhere in a text, as a day. */
export function dayIn(text: string): number | undefined {
  const found = /\b(\d{1,2})(?:st|nd|rd|th)? ([A-Z][a-z]{2,8}) (\d{4})\b/.exec(text);
  const month = parseMonthName(found?.[2] ?? '');
  return month === undefined ? undefined : dayOf(Number(found?.[3]), month, Number(found?.[1]));
}
