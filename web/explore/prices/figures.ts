// What is worked out of the answers: how prices changed within a year, and words for what the register writes in letters.

import type { Answers } from '../../api/answers.ts';

export type Trend = Answers['/area/sold-prices/trend'];
export type Sales = Answers['/area/sold-prices'];
export type Sale = Sales['properties'][number];

export const typeNames = {
  D: 'Detached',
  S: 'Semi-detached',
  T: 'Terraced',
  F: 'Flat',
  O: 'Other',
} as const satisfies Record<Sale['propertyType'], string>;

export const types = ['D', 'S', 'T', 'F', 'O'] as const;

type Change =
  | { readonly kind: 'known'; readonly share: number; readonly months: number }
  | { readonly kind: 'unknown'; readonly why: string };

const compared = 6;
const fewestSales = 5;

/** The latest six months that the register speaks of against the same six a year before. A month counts by its sales. */
export function changeOf(months: Trend['months']): Change {
  const end = months.findLastIndex(({ count }) => count !== null) + 1;
  if (end === 0) return { kind: 'unknown', why: 'no month is known' };
  if (end < 12 + compared) return { kind: 'unknown', why: `it takes ${12 + compared} known months` };
  const now = averageOf(months.slice(end - compared, end));
  const before = averageOf(months.slice(end - compared - 12, end - 12));
  if (now.sales < fewestSales || before.sales < fewestSales)
    return { kind: 'unknown', why: `too few sales: ${now.sales} against ${before.sales} a year before` };
  return { kind: 'known', share: now.pounds / before.pounds - 1, months: compared };
}

function averageOf(months: Trend['months']): { readonly sales: number; readonly pounds: number } {
  let sales = 0;
  let sum = 0;
  for (const { count, medianPrice } of months) {
    if (count === null || medianPrice === null) continue;
    sales += count;
    sum += count * medianPrice;
  }
  return { sales, pounds: sales === 0 ? 0 : sum / sales };
}

/** Why a month has no price. */
export const whyNoPrice = ({ count }: Trend['months'][number]): string =>
  count === null ? 'not in the register yet' : 'no sales';

/** "12 HIGH STREET, RYDE, PO33 2RX" → "12 High Street, Ryde, PO33 2RX". */
export function addressText({ address, postcode }: Pick<Sale, 'address' | 'postcode'>): string {
  const isLast = postcode !== '' && address.endsWith(postcode);
  const before = isLast ? address.slice(0, -postcode.length) : address;
  const words = before
    .toLowerCase()
    .replaceAll(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  // "12a" is written large.
  return words.replaceAll(/\d+\p{L}\b/gu, (number) => number.toUpperCase()) + (isLast ? postcode : '');
}
