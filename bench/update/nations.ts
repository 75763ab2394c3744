// The small areas and authorities that made-up publications agree on, so that a postcode has a census, crimes and a council.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { firstRows } from '../../src/ingest/read/csv.ts';

export type Nation = 'E' | 'W' | 'S' | 'N';

/** LSOAs of England and Wales, data zones of Scotland and Northern Ireland: as many as there are. */
export const smallAreas: Readonly<
  Record<Nation, { readonly prefix: string; readonly first: number; readonly count: number }>
> = {
  E: { prefix: 'E01', first: 1, count: 33_755 },
  W: { prefix: 'W01', first: 1, count: 1_917 },
  S: { prefix: 'S01', first: 13_481, count: 7_392 },
  N: { prefix: 'N20', first: 1, count: 3_780 },
};

export const codeOf = (prefix: string, number: number): string =>
  `${prefix}${String(number).padStart(6, '0')}`;

/** `share`: how far through the nation, from 0 to 1. */
export function smallAreaAt(
  nation: Nation,
  share: number,
): { readonly code: string; readonly index: number } {
  const { prefix, first, count } = smallAreas[nation];
  const index = Math.min(count - 1, Math.floor(share * count));
  return { code: codeOf(prefix, first + index), index };
}

const facts = (name: string) => path.join(import.meta.dirname, '../../data/facts', name);

function rowsOf(name: string): readonly Readonly<Record<string, string>>[] {
  const [titles = [], ...rows] = firstRows(readFileSync(facts(name)), Number.POSITIVE_INFINITY, 'utf-8');
  return rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? ''])));
}

export type Authority = {
  readonly code: string;
  readonly name: string;
  readonly nation: string;
  readonly eCode: string;
  readonly region: string;
  readonly kind: string;
  readonly bandDPounds: number;
};

/** Every billing authority, with its band D of 2026-27 where the project knows it. */
export function readAuthorities(): readonly Authority[] {
  const bandD = new Map(
    rowsOf('council-tax.csv')
      .filter(({ taxYear }) => taxYear === '2026-27')
      .map(({ code = '', bandD: pounds }) => [code, Number(pounds)]),
  );
  return rowsOf('billing-authorities.csv').map((row) => ({
    code: row.code ?? '',
    name: row.name ?? '',
    nation: row.nation ?? '',
    eCode: row.mhclgEcode ?? '',
    region: row.mhclgRegion ?? '',
    kind: row.mhclgClass ?? '',
    bandDPounds: bandD.get(row.code ?? '') ?? 2_000,
  }));
}
