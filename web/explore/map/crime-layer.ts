// Crimes as points of the map: street by street, sized by how many, of all months or of one.

import type { Answers } from '../../api/answers.ts';
import { countText, monthText, numberText } from '../../formats.ts';
import { layerOf, type MapLayer, type Tone } from './layer.ts';

type Crime = Answers['/crime/by-postcode'];
type CrimePoint = NonNullable<Crime['points']>[number];

export type CrimeMonth = {
  readonly month: string;
  /** Undefined where the month was not published, or is not loaded. */
  readonly total: number | undefined;
};

/** Those that were asked for, oldest first. The newest may be without figures: a force publishes when it is ready. */
export const monthsOf = ({ monthCoverage = {}, monthlyTotals }: Crime): readonly CrimeMonth[] =>
  Object.keys(monthCoverage)
    .sort()
    .map((month) => ({ month, total: monthlyTotals[month] }));

export const crimeTones: readonly Tone[] = [
  {
    colour: '--map-crime',
    shape: 'disc',
    words: 'A circle for each street point. Larger circles mean more crimes.',
  },
];

const smallest = 3;
const growth = 14;
/** So that a single crime is small also where there are few. */
const usualMost = 60;
const mostLines = 5;

/** Of each month, and of all together (`undefined`): each is made when first asked for, and kept while the slider comes and goes. */
export function crimeLayers(crime: Crime): (month: string | undefined) => MapLayer {
  const made = new Map<string | undefined, MapLayer>();
  return (month) => {
    const layer = made.get(month) ?? crimeLayer(crime, month);
    made.set(month, layer);
    return layer;
  };
}

function crimeLayer(crime: Crime, month: string | undefined): MapLayer {
  const words = new Map(crime.crimeCategories.map(({ category, displayName }) => [category, displayName]));
  const counted = (crime.points ?? [])
    .map((point) => ({ point, count: countOf(point, month) }))
    .filter(({ count }) => count > 0);
  const most = counted.reduce((highest, { count }) => Math.max(highest, count), usualMost);
  return layerOf(
    {
      id: 'crime',
      tones: crimeTones,
      headings: [{ title: 'Place', kind: 'name' }, { title: 'Crimes', kind: 'number' }, { title: 'What' }],
    },
    counted.map(({ point, count }) => ({
      latitude: point.latitude,
      longitude: point.longitude,
      radius: smallest + growth * Math.sqrt(count / most),
      tone: 0,
      facts: () => {
        const kinds = categoriesOf(point, month).map(
          ([slug, of]) => `${words.get(slug) ?? sentence(slug)}: ${numberText(of)}`,
        );
        const more = kinds.length - mostLines;
        return {
          title: point.location,
          lines: [
            `${countText(count, 'crime')}${month === undefined ? '' : ` in ${monthText(month)}`}`,
            ...kinds.slice(0, mostLines),
            ...(more > 0 ? [`and ${countText(more, 'more kind')}`] : []),
          ],
          cells: [point.location, numberText(count), kinds.join(', ')],
        };
      },
    })),
  );
}

const inMonths = (
  { byMonth }: CrimePoint,
  month: string | undefined,
): readonly Readonly<Record<string, number>>[] =>
  month === undefined ? Object.values(byMonth) : [byMonth[month] ?? {}];

function countOf(point: CrimePoint, month: string | undefined): number {
  let count = 0;
  for (const categories of inMonths(point, month))
    for (const crimes of Object.values(categories)) count += crimes;
  return count;
}

/** Most first. */
function categoriesOf(point: CrimePoint, month: string | undefined): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const categories of inMonths(point, month))
    for (const [slug, count] of Object.entries(categories)) sums.set(slug, (sums.get(slug) ?? 0) + count);
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** `bicycle-theft` → "Bicycle theft". */
const sentence = (slug: string): string =>
  `${slug.slice(0, 1).toUpperCase()}${slug.slice(1).replaceAll('-', ' ')}`;
