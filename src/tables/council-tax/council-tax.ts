// What a dwelling of each band pays in each authority's area, per tax year: all precepts included, the average
// parish too. Amounts are whole pence.

import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { bands } from '../../uk/council-tax-bands.ts';

export const councilTaxPart = 'council-tax';
export const editionsPart = 'council-tax-editions';

const bases = ['published', 'derived'] as const;
/** Whether every band was published, or only band D and the others follow from it by law. */
export type Basis = (typeof bases)[number];

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
  const editionAt = new Map([...editions.keys()].map((key, index) => [key, index]));
  return {
    amounts: {
      codes,
      authority: Uint16Array.from(ordered, ({ code }) => codeAt.get(code) ?? 0),
      'tax-year': Uint16Array.from(ordered, ({ taxYear }) => taxYear),
      ...Object.fromEntries(
        bands.map((band, index) => [
          columnOf(band),
          Int32Array.from(ordered, ({ pence }) => pence[index] ?? none),
        ]),
      ),
      basis: Uint8Array.from(ordered, ({ basis }) => bases.indexOf(basis)),
      edition: Uint16Array.from(ordered, ({ edition }) => editionAt.get(keyOf(edition)) ?? 0),
    },
    editions: {
      title: [...editions.values()].map(({ title }) => title),
      'published-at': [...editions.values()].map(({ publishedAt }) => publishedAt),
      'updated-at': [...editions.values()].map(({ updatedAt }) => updatedAt),
    },
  };
}

const columnOf = (band: string) => `band-${band.toLowerCase()}`;
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
  const part = release.part(councilTaxPart);
  const codes = part.strings('codes');
  const authorityAt = part.u16('authority');
  const amounts = bands.map((band) => part.i32(columnOf(band)));
  const basisAt = part.u8('basis');
  const editionAt = part.u16('edition');
  const rows = Array.from(part.u16('tax-year'), (taxYear, index): CouncilTaxRow => {
    const basis = bases[basisAt[index] ?? -1];
    const edition = editions[editionAt[index] ?? -1];
    if (basis === undefined || edition === undefined) throw new RangeError('Unknown basis or edition.');
    return {
      code: codes.at(authorityAt[index] ?? -1),
      taxYear,
      pence: amounts.map((column) => column[index] ?? none).filter((pence) => pence !== none),
      basis,
      edition,
    };
  });
  return new CouncilTax(rows);
});

function readEditions(release: Release): readonly Edition[] {
  const part = release.part(editionsPart);
  const titles = part.strings('title');
  const published = part.strings('published-at');
  const updated = part.strings('updated-at');
  return Array.from({ length: titles.length }, (_, index) => ({
    title: titles.at(index),
    publishedAt: published.at(index),
    updatedAt: updated.at(index),
  }));
}
