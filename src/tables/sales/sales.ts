// Sold prices of England and Wales: one part per postcode area, opened when it is first asked for, and what is
// known about the whole.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { SalesSegment } from './segment.ts';

export const salesIndexPart = 'sales-index';
/** Sales without postcode whose area nobody can tell: kept for later changes, never served. */
export const unplacedArea = 'unplaced';
export const salesPart = (area: string): string => `sales-${area.toLowerCase()}`;
export const saleIdsPart = (area: string): string => `sale-ids-${area.toLowerCase()}`;

export type SalesIndex = {
  /** Areas that have sales (and the unplaced ones), in order. */
  readonly areas: readonly { readonly area: string; readonly rows: number; readonly newestDay: number }[];
  /** Town, district and county → the one area in which its sales lie, or '' where there are several. */
  readonly areaOfTown: ReadonlyMap<string, string>;
  /** Checksum and size of the content of every file that has been applied. */
  readonly applied: readonly string[];
  readonly standing: SalesStanding;
};

/** `complete` once the register's complete file is in; `sample` is what comes with the program. */
export type SalesStanding = 'sample' | 'partial' | 'complete';

export function encodeSalesIndex({ areas, areaOfTown, applied, standing }: SalesIndex): Columns {
  return {
    areas: areas.map(({ area }) => area),
    rows: Uint32Array.from(areas, ({ rows }) => rows),
    'newest-day': Uint16Array.from(areas, ({ newestDay }) => newestDay),
    'town-names': [...areaOfTown.keys()],
    'town-areas': [...areaOfTown.values()],
    applied,
    standing: [standing],
  };
}

export function openSalesIndex(release: Release): SalesIndex {
  const part = release.part(salesIndexPart);
  const texts = (name: string) => {
    const column = part.strings(name);
    return Array.from({ length: column.length }, (_, index) => column.at(index));
  };
  const towns = texts('town-names');
  const townAreas = texts('town-areas');
  const standing = texts('standing')[0];
  const rows = part.u32('rows');
  const newestDays = part.u16('newest-day');
  return {
    areas: texts('areas').map((area, index) => ({
      area,
      rows: rows[index] ?? outOfRange(),
      newestDay: newestDays[index] ?? outOfRange(),
    })),
    areaOfTown: new Map(towns.map((town, index) => [town, townAreas[index] ?? outOfRange()])),
    applied: texts('applied'),
    standing: standing === 'complete' || standing === 'sample' ? standing : 'partial',
  };
}

export class Sales {
  readonly #release: Release;
  readonly #segments = new Map<string, SalesSegment>();

  constructor(release: Release) {
    this.#release = release;
  }

  /** Undefined where the area has no sales. */
  find(area: string): SalesSegment | undefined {
    const known = this.#segments.get(area);
    if (known !== undefined) return known;
    if (!this.#release.has(salesPart(area))) return undefined;
    const segment = new SalesSegment(this.#release.part(salesPart(area)));
    this.#segments.set(area, segment);
    return segment;
  }
}

export const openSales: (release: Release) => Sales = oncePerRelease((release) => new Sales(release));
