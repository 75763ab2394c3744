// The points of a map: where crimes lie, with their months and categories, a page of them at a time. From the loaded data a
// page is written straight from the columns: in the middle of a city its cells are tens of thousands, and nobody else is
// answered while objects are made of them.

import { writeCsv } from '../../contract/csv.ts';
import {
  integer,
  list,
  number,
  object,
  record,
  type Shape,
  type Static,
  string,
} from '../../contract/shape.ts';
import type { Crimes, PointCount } from '../../tables/crime/crimes.ts';
import { formatMonth } from '../../uk/calendar.ts';

/** How many points one answer may list: those of the middle of London with all their months are a few megabytes. */
export const pointsMost = 2_000;

const point = object(
  'CrimePoint',
  {
    latitude: number({
      description: 'Latitude, WGS 84. One of the fixed points that the police publish.',
    }),
    longitude: number({ description: 'Longitude, WGS 84.' }),
    location: string({ description: 'Name of the place.' }),
    count: integer({ minimum: 1, description: 'Number of crimes of `monthlyTotals` at this point.' }),
    byMonth: record(record(integer({ minimum: 1 })), {
      description:
        'The same crimes by month (YYYY-MM), and within each month by category slug. Only what occurs, oldest month first.',
    }),
  },
  { description: 'A point with its crimes.' },
);
const listed = list(point, {
  description:
    'Positions of the crimes of `monthlyTotals`, most crimes first: at most `limit` points, after skipping `offset`. Present with `points=true`.',
});

type CrimePoint = Static<typeof point>;
type Cells = { readonly months: ReadonlySet<number>; readonly slug: string | undefined };

/** Points of the loaded data in the order of the answer. */
class PointPage {
  readonly crimes: Crimes;
  readonly found: readonly PointCount[];
  readonly cells: Cells;
  constructor(crimes: Crimes, found: readonly PointCount[], cells: Cells) {
    this.crimes = crimes;
    this.found = found;
    this.cells = cells;
  }

  get length(): number {
    return this.found.length;
  }
}

type Points = readonly CrimePoint[] | PointPage;

/** Takes points one by one, or a page of them, and writes the same for both. */
export const points: Shape<Points> = {
  ...listed,
  write: (value) => (value instanceof PointPage ? writePage(value) : listed.write(value)),
};

function writePage({ crimes, found, cells }: PointPage): string {
  const names = new Map(Array.from(cells.months, (month) => [month, `"${formatMonth(month)}":{`]));
  let json = '[';
  for (const { point: at, latitudeDegrees, longitudeDegrees, count } of found) {
    json += `${json === '[' ? '' : ','}{"latitude":${latitudeDegrees},"longitude":${longitudeDegrees},"location":${JSON.stringify(crimes.locationAt(at))},"count":${count},"byMonth":{`;
    let open = -1;
    crimes.eachCellAt(at, cells, (month, category, own) => {
      if (month === open) json += ',';
      else json += `${open < 0 ? '' : '},'}${names.get(month)}`;
      open = month;
      json += `"${category}":${own}`;
    });
    json += '}}}';
  }
  return `${json}]`;
}

/** In the order of the table. */
export const pointColumns = ['latitude', 'longitude', 'location', 'month', 'category', 'count'] as const;

/** A row for each point, month and category that occur together. */
export function writePointsCsv(value: Points): string {
  return writeCsv(pointColumns, value instanceof PointPage ? rowsOfPage(value) : value.flatMap(rowsOf));
}

const rowsOf = ({ latitude, longitude, location, byMonth }: CrimePoint) =>
  Object.entries(byMonth).flatMap(([month, counts]) =>
    Object.entries(counts).map(([slug, count]) => [latitude, longitude, location, month, slug, count]),
  );

function rowsOfPage({ crimes, found, cells }: PointPage) {
  const rows: (readonly (string | number)[])[] = [];
  for (const { point: at, latitudeDegrees, longitudeDegrees } of found) {
    const location = crimes.locationAt(at);
    crimes.eachCellAt(at, cells, (month, category, count) => {
      rows.push([latitudeDegrees, longitudeDegrees, location, formatMonth(month), category, count]);
    });
  }
  return rows;
}

type Page = { readonly limit: number | undefined; readonly offset: number | undefined };

/** Most crimes first; `between` puts equals in an order that never changes, so that no page repeats or skips one. */
export function pageOfPoints<P extends { readonly count: number }>(
  found: readonly P[],
  between: (a: P, b: P) => number,
  { limit = pointsMost, offset = 0 }: Page,
): readonly P[] {
  return found.toSorted((a, b) => b.count - a.count || between(a, b)).slice(offset, offset + limit);
}

/** From the loaded data. */
export function describePoints(
  crimes: Crimes,
  around: Uint32Array,
  months: ReadonlySet<number>,
  wish: Page & { readonly category: string | undefined },
): { readonly pointsTotal: number; readonly points: PointPage } {
  const slug = wish.category;
  const found = crimes.pointCountsIn(around, months, slug);
  const page = pageOfPoints(found, (a, b) => a.point - b.point, wish);
  return { pointsTotal: found.length, points: new PointPage(crimes, page, { months, slug }) };
}

/** Of the crimes at one point, given in the order of their months. */
export function countCells(
  crimes: Iterable<{ readonly month: number; readonly category: string }>,
): CrimePoint['byMonth'] {
  const byMonth = new Map<string, Map<string, number>>();
  for (const { month, category } of crimes) {
    const counts = byMonth.get(formatMonth(month)) ?? new Map<string, number>();
    byMonth.set(formatMonth(month), counts.set(category, (counts.get(category) ?? 0) + 1));
  }
  return Object.fromEntries(Array.from(byMonth, ([name, counts]) => [name, Object.fromEntries(counts)]));
}
