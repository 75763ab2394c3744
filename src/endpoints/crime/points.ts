// The points of a map: where crimes lie, with their months and categories, a page of them at a time. A page is written
// straight from the columns: in the middle of a city its cells are tens of thousands, and nobody else is
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

/** Points in the order of the answer. */
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

type PointsWish = {
  readonly category: string | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
};

/** Most crimes first; equals are in an order that never changes, so that no page repeats or skips one. */
export function describePoints(
  crimes: Crimes,
  around: Uint32Array,
  months: ReadonlySet<number>,
  { category: slug, limit = pointsMost, offset = 0 }: PointsWish,
): { readonly pointsTotal: number; readonly points: PointPage } {
  const found = crimes.pointCountsIn(around, months, slug);
  const page = found.toSorted((a, b) => b.count - a.count || a.point - b.point).slice(offset, offset + limit);
  return { pointsTotal: found.length, points: new PointPage(crimes, page, { months, slug }) };
}
