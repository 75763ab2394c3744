// Sold prices of England and Wales: the areas, each opened when it is first asked for, and what is known about all of
// them together.

import { defined, outOfRange } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { SalesSegment } from './segment.ts';
import { salesIndexTable, salesPart, salesTable } from './table.ts';

export type SalesIndex = {
  /** Areas that have sales (and the unplaced ones), in order. */
  readonly areas: readonly { readonly area: string; readonly rows: number; readonly newestDay: number }[];
  /** Town, district and county → the one area in which its sales lie, or '' where there are several. */
  readonly areaOfTown: ReadonlyMap<string, string>;
  readonly standing: SalesStanding;
};

/** `complete` once the register's complete file is in; `sample` is what comes with the program. */
export type SalesStanding = 'sample' | 'partial' | 'complete';

/** Towns and files are put in order, so that the same sales and files give the same bytes. */
export function encodeSalesIndex({ areas, areaOfTown, standing }: SalesIndex): Columns {
  const towns = [...areaOfTown].sort(([a], [b]) => (a < b ? -1 : 1));
  return salesIndexTable.encode({
    areas: areas.map(({ area }) => area),
    rows: Uint32Array.from(areas, ({ rows }) => rows),
    'newest-day': Uint16Array.from(areas, ({ newestDay }) => newestDay),
    'town-names': towns.map(([town]) => town),
    'town-areas': towns.map(([, area]) => area),
    standing: [standing],
  });
}

export function openSalesIndex(release: Release): SalesIndex {
  const views = salesIndexTable.open(release);
  const { rows } = views;
  const newestDays = views['newest-day'];
  const townAreas = views['town-areas'].list();
  return {
    areas: views.areas.list().map((area, index) => ({
      area,
      rows: defined(rows[index]),
      newestDay: defined(newestDays[index]),
    })),
    areaOfTown: new Map(views['town-names'].list().map((town, index) => [town, defined(townAreas[index])])),
    standing: standingOf(views.standing.at(0)),
  };
}

function standingOf(text: string): SalesStanding {
  if (text === 'sample' || text === 'partial' || text === 'complete') return text;
  return outOfRange();
}

class Sales {
  readonly #release: Release;
  readonly #segments = new Map<string, SalesSegment>();

  constructor(release: Release) {
    this.#release = release;
  }

  get standing(): SalesStanding {
    return standingOf(salesIndexTable.open(this.#release).standing.at(0));
  }

  /** Undefined where the area has no sales. */
  find(area: string): SalesSegment | undefined {
    const known = this.#segments.get(area);
    if (known !== undefined) return known;
    const part = salesPart(area);
    if (!this.#release.has(part)) return undefined;
    const segment = new SalesSegment(salesTable.read(this.#release.part(part)));
    this.#segments.set(area, segment);
    return segment;
  }
}

export const openSales: (release: Release) => Sales = oncePerRelease((release) => new Sales(release));
