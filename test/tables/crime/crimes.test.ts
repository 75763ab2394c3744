// The table by point and month answers as a scan over plain incidents does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Crimes, type MonthTotals, openCrimes } from '../../../src/tables/crime/crimes.ts';
import { CrimesBuilder } from '../../../src/tables/crime/crimes-builder.ts';
import { idBytes } from '../../../src/tables/crime/tables.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { memoryRelease } from '../memory-release.ts';

type Row = {
  month: number;
  latitudeMicro: number;
  longitudeMicro: number;
  location: string;
  category: string;
  outcome: string;
  /** Months after the crime plus one; 0 unknown. */
  outcomeAfter: number;
  force: string;
  id: string;
  context: string;
};

const national = 'National';
const forces = ['North', 'South', national];
const categories = ['burglary', 'drugs', 'violent-crime'];
const outcomes = ['Charged', 'No suspect'];
const locations = ['On or near Ffordd Tŵr', 'On or near Quayside', 'No. 3, "The Mews"'];
const newest = 12 * 2025 + 5;

/** Through the bytes of real parts, as a release has them. */
function open(
  rows: readonly Row[],
  unplaced: readonly (readonly [month: number, force: string, rows: number])[] = [],
): Crimes {
  const builder = new CrimesBuilder();
  for (const row of rows) {
    const { latitudeMicro, longitudeMicro } = row;
    const { point } = builder.point({
      latitudeMicro,
      longitudeMicro,
      name: locations.indexOf(row.location),
      month: row.month,
      lsoa: 0,
    });
    builder.countPublished(row.month, forces.indexOf(row.force));
    const month = builder.month(row.month);
    const at = month.add(
      point,
      categories.indexOf(row.category),
      1 + outcomes.indexOf(row.outcome),
      row.outcomeAfter,
      forces.indexOf(row.force),
    );
    month.id.write(row.id, at * idBytes, 'hex');
    if (row.context !== '') month.contexts.set(at, row.context);
  }
  for (const [month, force, count] of unplaced) builder.countPublished(month, forces.indexOf(force), count);
  const words = { names: locations, lsoas: [], forces, categories, outcomes };
  return openCrimes(memoryRelease(builder.encode(words)));
}

// A few kilometres around one place, on a grid that is coarse enough for points to be shared, and the ends of the
// country.
const crowded = fc.record({
  latitudeMicro: fc.integer({ min: -60, max: 60 }).map((step) => 51_500_000 + 1_000 * step),
  longitudeMicro: fc.integer({ min: -60, max: 60 }).map((step) => -10_000 + 1_500 * step),
});
const anywhere = fc.record({
  latitudeMicro: fc.integer({ min: 49_000_000, max: 61_000_000 }),
  longitudeMicro: fc.integer({ min: -9_000_000, max: 2_000_000 }),
});
const where = fc.oneof({ weight: 9, arbitrary: crowded }, { weight: 1, arbitrary: anywhere });
const row: fc.Arbitrary<Row> = fc
  .record({
    place: where,
    month: fc.integer({ min: newest - 5, max: newest }),
    location: fc.constantFrom(...locations),
    category: fc.constantFrom(...categories),
    outcome: fc.constantFrom('', ...outcomes),
    outcomeAfter: fc.integer({ min: 0, max: 3 }),
    force: fc.constantFrom(...forces),
    id: fc.oneof(
      fc.constant(''),
      fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((bytes) => Buffer.from(bytes).toString('hex'))
        .filter((hex) => /[^0]/.test(hex)),
    ),
    context: fc.constantFrom('', '', 'a word'),
  })
  .map(({ place, ...rest }) => ({ ...place, ...rest }));
const rows = fc.array(row, { maxLength: 300, size: 'max' });
const circle = fc.record({
  latitudeDegrees: fc.integer({ min: 51_440_000, max: 51_560_000 }).map((micro) => micro / 1e6),
  longitudeDegrees: fc.integer({ min: -100_000, max: 80_000 }).map((micro) => micro / 1e6),
  radiusMetres: fc.oneof(fc.constant(1609.344), fc.integer({ min: 100, max: 5_000 })),
});

const asMap = ({ months, counts }: MonthTotals) =>
  new Map(months.map((month, index) => [month, counts[index]]));

const countBy = <T>(items: readonly T[], key: (item: T) => string) =>
  [...Map.groupBy(items, key)].map(([name, group]) => `${name} ${group.length}`).sort();

test('totals, categories, outcomes, incidents and points are those of a scan, whatever the circle', () => {
  fc.assert(
    fc.property(rows, circle, fc.integer({ min: 1, max: 6 }), (given, around, months) => {
      const table = open(given);
      const points = table.within(around);
      const inside = given.filter(
        (item) =>
          distanceMetres(
            around.latitudeDegrees,
            around.longitudeDegrees,
            item.latitudeMicro / 1e6,
            item.longitudeMicro / 1e6,
          ) <= around.radiusMetres,
      );
      const oldest = newest - months + 1;
      const loaded = [...new Set(given.map((item) => item.month))].sort((a, b) => a - b);
      assert.deepEqual(table.months, loaded);
      const inWindow = inside.filter((item) => item.month >= oldest);
      const expected = new Map(
        loaded
          .filter((month) => month >= oldest)
          .map((month) => [month, inside.filter((item) => item.month === month).length]),
      );
      assert.deepEqual(asMap(table.totalsIn(points, oldest, newest)), expected);
      const burglaries = new Map(
        [...expected.keys()].map((month) => [
          month,
          inside.filter((item) => item.month === month && item.category === 'burglary').length,
        ]),
      );
      assert.deepEqual(asMap(table.totalsOfCategoryIn(points, 'burglary', oldest, newest)), burglaries);
      for (const month of loaded) {
        const ofMonth = inside.filter((item) => item.month === month);
        assert.deepEqual(
          table
            .categoriesIn(points, month)
            .map(({ category, count }) => `${category} ${count}`)
            .sort(),
          countBy(ofMonth, ({ category }) => category),
        );
        assert.deepEqual(
          table
            .categoriesIn(points, month)
            .flatMap(({ category, outcomes: found }) =>
              [...found].map(([label, count]) => `${category} ${label} ${count}`),
            )
            .sort(),
          countBy(
            ofMonth.filter(({ outcome }) => outcome !== ''),
            ({ category, outcome }) => `${category} ${outcome}`,
          ),
        );
        assert.deepEqual(
          table
            .incidentsIn(points, month)
            .map((item) =>
              JSON.stringify([
                item.category,
                Math.round(item.latitudeDegrees * 1e6),
                Math.round(item.longitudeDegrees * 1e6),
                item.location,
                item.context,
                item.id,
                item.outcome?.label ?? '',
                item.outcome?.month ?? null,
                item.force,
              ]),
            )
            .sort(),
          ofMonth
            .map((item) =>
              JSON.stringify([
                item.category,
                item.latitudeMicro,
                item.longitudeMicro,
                item.location,
                item.context,
                item.id,
                item.outcome,
                item.outcome === '' || item.outcomeAfter === 0 ? null : month + item.outcomeAfter - 1,
                item.force,
              ]),
            )
            .sort(),
        );
      }
      assert.deepEqual(
        table
          .pointCountsIn(points, new Set(expected.keys()))
          .map(
            (found) =>
              `${Math.round(found.latitudeDegrees * 1e6)} ${Math.round(found.longitudeDegrees * 1e6)} ${table.locationAt(found.point)} ${found.count}`,
          )
          .sort(),
        countBy(inWindow, (item) => `${item.latitudeMicro} ${item.longitudeMicro} ${item.location}`),
      );
      for (const slug of [undefined, 'burglary']) {
        assert.deepEqual(
          table
            .pointCountsIn(points, new Set(expected.keys()), slug)
            .flatMap((found) => {
              const cells: string[] = [];
              const place = `${Math.round(found.latitudeDegrees * 1e6)} ${Math.round(found.longitudeDegrees * 1e6)} ${table.locationAt(found.point)}`;
              const wanted = { months: new Set(expected.keys()), slug };
              table.eachCellAt(found.point, wanted, (month, category, count) => {
                cells.push(`${place} ${month} ${category} ${count}`);
              });
              return cells;
            })
            .sort(),
          countBy(
            inWindow.filter(({ category }) => slug === undefined || slug === category),
            (item) =>
              `${item.latitudeMicro} ${item.longitudeMicro} ${item.location} ${item.month} ${item.category}`,
          ),
        );
      }
    }),
    { numRuns: 150 },
  );
});

const one: Row = {
  month: newest,
  latitudeMicro: 51_500_000,
  longitudeMicro: 0,
  location: 'On or near Quayside',
  category: 'drugs',
  outcome: '',
  outcomeAfter: 0,
  force: 'North',
  id: '',
  context: '',
};
const here = { latitudeDegrees: 51.5, longitudeDegrees: 0, radiusMetres: 1609.344 };

test('a force whose rows collapse to a few counts as having published nothing', () => {
  const table = open(
    [one],
    [
      [newest, 'North', 9],
      [newest - 1, 'North', 900],
      [newest - 2, 'North', 1000],
      [newest - 3, 'North', 170],
      [newest, 'South', 14],
    ],
  );
  assert.deepEqual(
    [newest, newest - 1, newest - 2, newest - 3, newest - 4].map((month) => table.coverageOf('North', month)),
    [
      { kind: 'collapsed', rows: 10, usualRows: 1000 },
      { kind: 'published', rows: 900, usualRows: 1000 },
      { kind: 'published', rows: 1000, usualRows: 1000 },
      { kind: 'collapsed', rows: 170, usualRows: 1000 },
      { kind: 'absent', rows: 0, usualRows: 0 },
    ],
  );
  assert.equal(table.coverageOf('South', newest).kind, 'collapsed');
  assert.equal(table.coverageOf('Nobody', newest).kind, 'absent');
});

test('the edge of the circle belongs to it', () => {
  const table = open([{ ...one, latitudeMicro: 51_510_000 }]);
  const edge = distanceMetres(51.5, 0, 51.51, 0);
  assert.equal([...table.within({ ...here, radiusMetres: edge })].join(), '0,1');
  assert.equal(table.within({ ...here, radiusMetres: edge - 1e-6 }).length, 0);
});

test('an empty table finds nothing', () => {
  const table = open([]);
  assert.deepEqual([...table.within(here)], []);
  assert.deepEqual(table.months, []);
});
