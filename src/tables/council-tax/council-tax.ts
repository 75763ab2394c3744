// What a dwelling of each band pays in each authority's area, per tax year: all precepts included, the average
// parish too. Amounts are whole pence.

import { defined } from '../../out-of-range.ts';
import { i32, into, intoPart, oneOf, strings, u8, u16 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { type Band, bands, type Nation } from '../../uk/council-tax-bands.ts';

export const councilTaxPart = 'council-tax';
export const editionsPart = 'council-tax-editions';

/** Who publishes the amounts of each nation, as X-Data-Source names them. */
export const publishers = {
  England: 'MHCLG',
  Wales: 'Welsh Government',
  Scotland: 'Scottish Government',
} as const satisfies Readonly<Record<Nation, string>>;

const bases = ['published', 'derived'] as const;
/** Whether every band was published, or only band D and the others follow from it by law. */
type Basis = (typeof bases)[number];

const origin = { dataset: 'council-tax', layout: 1 } as const;
const bandColumn = (band: string) => i32('bill', `band ${band} in pence; −1: no such band`);

export const councilTaxTable = table({
  part: councilTaxPart,
  origin,
  about: 'What each band pays, per authority and tax year.',
  order: 'by code, then year',
  columns: {
    codes: strings('authority', 'codes of authorities'),
    authority: u16('bill', 'whose it is', into('authority')),
    'tax-year': u16('bill', 'the year it begins in'),
    'band-a': bandColumn('A'),
    'band-b': bandColumn('B'),
    'band-c': bandColumn('C'),
    'band-d': bandColumn('D'),
    'band-e': bandColumn('E'),
    'band-f': bandColumn('F'),
    'band-g': bandColumn('G'),
    'band-h': bandColumn('H'),
    'band-i': bandColumn('I'),
    basis: u8('bill', 'whether all bands were published or follow from band D', oneOf(bases)),
    edition: u16('bill', 'where it was published', intoPart(editionsPart, 'edition')),
  },
});

export const editionsTable = table({
  part: editionsPart,
  origin,
  about: 'The publications that the figures were read from.',
  columns: {
    title: strings('edition', 'its title'),
    'published-at': strings('edition', 'ISO 8601 with offset'),
    'updated-at': strings('edition', 'ISO 8601 with offset'),
  },
});

/** The publication that a figure was read from. */
export type Edition = {
  readonly title: string;
  /** ISO 8601 with offset. */
  readonly publishedAt: string;
  readonly updatedAt: string;
};

export type CouncilTaxRow = {
  /** The authority's current code. */
  readonly code: string;
  /** The year it begins in. */
  readonly taxYear: number;
  /** Bands A to H, and I where there is one. */
  readonly pence: readonly number[];
  readonly basis: Basis;
  readonly edition: Edition;
};

const none = -1;

/** `rows` in any order, no two of one code and year. */
export function encodeCouncilTax(rows: readonly CouncilTaxRow[]): {
  readonly amounts: Columns;
  readonly editions: Columns;
} {
  const ordered = rows.toSorted((a, b) =>
    a.code === b.code ? a.taxYear - b.taxYear : a.code < b.code ? -1 : 1,
  );
  const codes = [...new Set(ordered.map(({ code }) => code))];
  const codeAt = new Map(codes.map((code, index) => [code, index]));
  const editions = new Map(ordered.map(({ edition }) => [keyOf(edition), edition]));
  const inBand = (band: Band) => Int32Array.from(ordered, ({ pence }) => pence[bands.indexOf(band)] ?? none);
  const editionAt = new Map([...editions.keys()].map((key, index) => [key, index]));
  return {
    amounts: councilTaxTable.encode({
      codes,
      authority: Uint16Array.from(ordered, ({ code }) => defined(codeAt.get(code))),
      'tax-year': Uint16Array.from(ordered, ({ taxYear }) => taxYear),
      'band-a': inBand('A'),
      'band-b': inBand('B'),
      'band-c': inBand('C'),
      'band-d': inBand('D'),
      'band-e': inBand('E'),
      'band-f': inBand('F'),
      'band-g': inBand('G'),
      'band-h': inBand('H'),
      'band-i': inBand('I'),
      basis: Uint8Array.from(ordered, ({ basis }) => bases.indexOf(basis)),
      edition: Uint16Array.from(ordered, ({ edition }) => defined(editionAt.get(keyOf(edition)))),
    }),
    editions: editionsTable.encode({
      title: [...editions.values()].map(({ title }) => title),
      'published-at': [...editions.values()].map(({ publishedAt }) => publishedAt),
      'updated-at': [...editions.values()].map(({ updatedAt }) => updatedAt),
    }),
  };
}

const keyOf = ({ title, publishedAt, updatedAt }: Edition) => JSON.stringify([title, publishedAt, updatedAt]);

export class CouncilTax {
  readonly rows: readonly CouncilTaxRow[];
  /** Per authority, oldest year first. */
  readonly #byCode: ReadonlyMap<string, readonly CouncilTaxRow[]>;

  constructor(rows: readonly CouncilTaxRow[]) {
    this.rows = rows;
    const byCode = Map.groupBy(rows, ({ code }) => code);
    for (const list of byCode.values()) list.sort((a, b) => a.taxYear - b.taxYear);
    this.#byCode = byCode;
  }

  find(code: string, taxYear: number): CouncilTaxRow | undefined {
    return this.#byCode.get(code)?.find((row) => row.taxYear === taxYear);
  }

  /** The row of that year, or of the newest year before it that there is. */
  findActive(code: string, taxYear: number): CouncilTaxRow | undefined {
    return this.#byCode.get(code)?.findLast((row) => row.taxYear <= taxYear);
  }

  /** Newest first. */
  yearsOf(code: string): readonly number[] {
    return (this.#byCode.get(code) ?? []).map(({ taxYear }) => taxYear).reverse();
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('council-tax')` first. */
export const openCouncilTax: (release: Release) => CouncilTax = oncePerRelease((release) => {
  const editions = readEditions(release);
  const columns = councilTaxTable.open(release);
  const amounts = [
    columns['band-a'],
    columns['band-b'],
    columns['band-c'],
    columns['band-d'],
    columns['band-e'],
    columns['band-f'],
    columns['band-g'],
    columns['band-h'],
    columns['band-i'],
  ];
  const rows = Array.from(
    columns['tax-year'],
    (taxYear, index): CouncilTaxRow => ({
      code: columns.codes.at(defined(columns.authority[index])),
      taxYear,
      pence: amounts.map((pence) => defined(pence[index])).filter((pence) => pence !== none),
      basis: defined(bases[defined(columns.basis[index])]),
      edition: defined(editions[defined(columns.edition[index])]),
    }),
  );
  return new CouncilTax(rows);
});

function readEditions(release: Release): readonly Edition[] {
  const { title, 'published-at': publishedAt, 'updated-at': updatedAt } = editionsTable.open(release);
  return title.list().map((own, index) => ({
    title: own,
    publishedAt: publishedAt.at(index),
    updatedAt: updatedAt.at(index),
  }));
}
