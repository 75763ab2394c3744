// Months of an answer about crime: a gap stays a gap, and what is worked out from months needs all of them.

import type { Answers } from '../../api/answers.ts';
import type { Along } from '../../components/chart/drawing.ts';
import { countText, monthText } from '../../formats.ts';

type Crime = Answers['/crime/by-postcode'];

/** Every month of the period with its crimes; null where nothing usable was published. */
export function monthsOf({ monthCoverage = {}, monthlyTotals }: Crime) {
  const months = Object.keys(monthCoverage);
  return {
    months,
    totals: months.map((month) => monthlyTotals[month] ?? null),
    missing: months.filter((month) => monthCoverage[month] === 'missing'),
    partial: months.filter((month) => monthCoverage[month] === 'partial'),
  };
}

/** Which of the two it was the answer does not say. */
export const gapWords = 'not published, or not loaded';

/** "January 2026 to December 2026, in the 10 months that are known". */
export function periodWords(told: Crime): string {
  const { months, missing } = monthsOf(told);
  const [first = told.referenceMonth, last = told.referenceMonth] = [months[0], months.at(-1)];
  const known = months.length - missing.length;
  const within =
    missing.length === 0
      ? ''
      : `, in the ${countText(known, 'month')} that ${known === 1 ? 'is' : 'are'} known`;
  return `${monthText(first)} to ${monthText(last)}${within}`;
}

/** Below a chart, where whole names of months have no room. */
export const alongMonths = (months: readonly string[]): Along => ({
  kind: 'time',
  at: months.map((month) => Date.parse(`${month}-01T00:00:00Z`)),
});

/** "March and September 2026", "December 2025 and March 2026"; of many only how many. */
export function monthsInWords(months: readonly string[]): string {
  if (months.length > 4) return `${months.length} months`;
  const names = months.map((month, at) => {
    const words = monthText(month);
    const year = ` ${month.slice(0, 4)}`;
    return months[at + 1]?.slice(0, 4) === month.slice(0, 4) ? words.replace(year, '') : words;
  });
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

/** Of crimes or of their outcomes. */
export type Kind = { readonly slug: string; readonly name: string; readonly count: number };

type Kinds = {
  /** Most first. */
  readonly kinds: readonly Kind[];
  readonly of: 'all months' | Crime['referenceMonth'];
};

/** Crimes by kind over the period; of the newest month alone where the answer does not list every point. */
export function kindsOf(told: Crime): Kinds {
  const { points, pointsTotal, crimeCategories, referenceMonth } = told;
  const isWhole = points !== undefined && points.length === pointsTotal;
  const sums = new Map<string, number>();
  for (const { byMonth } of isWhole ? points : [])
    for (const counts of Object.values(byMonth))
      for (const [slug, count] of Object.entries(counts)) sums.set(slug, (sums.get(slug) ?? 0) + count);
  const kinds = isWhole
    ? Array.from(sums, ([slug, count]) => ({ slug, name: categoryName(told, slug), count }))
    : crimeCategories.map(({ category, displayName, count }) => ({
        slug: category,
        name: displayName,
        count,
      }));
  return {
    kinds: kinds.toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name, 'en-GB')),
    of: isWhole ? 'all months' : referenceMonth,
  };
}

/** The kinds of `own` in one order for two places: that of the first, then what only the second has. A kind without crimes is 0. */
export function kindsInOrder(
  own: readonly Kind[],
  [first, second]: readonly [readonly Kind[], readonly Kind[]],
): readonly Kind[] {
  const added = second.filter(({ slug }) => first.every((kind) => kind.slug !== slug));
  return [...first, ...added].map(({ slug, name }) => ({
    slug,
    name,
    count: own.find((kind) => kind.slug === slug)?.count ?? 0,
  }));
}

/** Why totals of two places are not of the same time; undefined if they are. `other`: how the second is called. */
export function otherMonthsWords(here: Crime, there: Crime, other: string): string | undefined {
  const [own, others] = [knownMonths(here), knownMonths(there)];
  if (own.length !== others.length)
    return `This total is of ${countText(own.length, 'month')}, that of ${other} of ${others.length}.`;
  return own.every((month) => others.includes(month))
    ? undefined
    : `Both totals are of ${countText(own.length, 'month')}, but not of the same ones.`;
}

function knownMonths(told: Crime): readonly string[] {
  const { months, missing } = monthsOf(told);
  return months.filter((month) => !missing.includes(month));
}

type Totals = Readonly<Record<string, number>>;

const yearMonths = 12;

/** How the newest twelve months differ from the twelve before, as a share of those. Undefined unless all 24 are there. */
export function yearChange(totals: Totals): { readonly before: number; readonly now: number } | undefined {
  const months = Object.keys(totals).sort();
  const [first = '', last = ''] = [months[0], months.at(-1)];
  if (months.length !== 2 * yearMonths || monthNumber(last) - monthNumber(first) !== 2 * yearMonths - 1)
    return undefined;
  const sum = (some: readonly string[]) => some.reduce((all, month) => all + (totals[month] ?? 0), 0);
  return { before: sum(months.slice(0, yearMonths)), now: sum(months.slice(yearMonths)) };
}

/** Each month against the average month, which is 100. Months that are not there are null. */
export function indexOf(totals: Totals, months: readonly string[]): readonly (number | null)[] {
  const values = Object.values(totals);
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  return months.map((month) => {
    const value = totals[month];
    return value === undefined || average === 0 ? null : Math.round((1000 * value) / average) / 10;
  });
}

/** From the first month to the last, those between that are missing too. */
export function spanOf(months: readonly string[]): readonly string[] {
  const numbers = months.map(monthNumber);
  const first = Math.min(...numbers);
  return Array.from({ length: Math.max(0, Math.max(...numbers) - first + 1) }, (_, at) =>
    monthName(first + at),
  );
}

const monthNumber = (month: string): number => 12 * Number(month.slice(0, 4)) + Number(month.slice(5)) - 1;
const monthName = (number: number): string =>
  `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;

/** Names of the categories, as the answer has them; the slug in words for one that the newest month does not have. */
export function categoryName({ crimeCategories }: Crime, slug: string): string {
  const known = crimeCategories.find(({ category }) => category === slug)?.displayName ?? names[slug];
  return known ?? `${slug.slice(0, 1).toUpperCase()}${slug.slice(1).replaceAll('-', ' ')}`;
}

/** Where the words of the slug are not the name. */
const names: Readonly<Record<string, string>> = {
  'anti-social-behaviour': 'Anti-social behaviour',
  'criminal-damage-arson': 'Criminal damage and arson',
  'violent-crime': 'Violence and sexual offences',
};
