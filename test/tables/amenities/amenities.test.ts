// Counts and distances against looking at every object, over several extracts and a load that builds on another.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Release } from '../../../src/release/reader.ts';
import { ReleaseStore } from '../../../src/release/store.ts';
import { openAmenities, pointKinds } from '../../../src/tables/amenities/amenities.ts';
import {
  AmenitiesBuilder,
  type MapExtract,
  type Mapped,
  readBack,
} from '../../../src/tables/amenities/amenities-builder.ts';
import {
  CoverageCells,
  columnOf,
  inside,
  outside,
  rowOf,
  sea,
} from '../../../src/tables/amenities/coverage-cells.ts';
import { layouts } from '../../../src/tables/index.ts';
import { distanceMetres, type LatLong } from '../../../src/uk/grid.ts';

let folder: string;
let made = 0;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-amenities-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function writeRelease(builder: AmenitiesBuilder): Release {
  made += 1;
  const store = new ReleaseStore(path.join(folder, `store-${made}`), layouts);
  const writer = store.beginRelease({ id: `made-${made}`, kind: 'loaded', createdAtMs: 0, base: undefined });
  const parts = builder.encode();
  for (const [name, columns] of Object.entries(parts)) writer.writePart(name, columns);
  writer.putDataset({
    name: 'amenities',
    title: 'made up',
    source: 'made up',
    publisher: 'made up',
    publisherShort: 'made up',
    licence: 'made up',
    attribution: 'made up',
    edition: 'made up',
    asOf: '2026-01-01',
    loadedAt: '2026-01-01T00:00:00.000Z',
    rows: builder.size,
    rejects: {},
    extent: 'complete',
    coverage: {},
    nextEditionExpected: null,
    files: [],
    loadedBy: { source: 'made up', version: 1 },
    parts: Object.keys(parts),
  });
  return writer.finish();
}

/** Everything from 51.47 to 51.55 north, 0.08 west to 0.08 east. */
const cells = (kind: number = inside) => {
  const firstRow = rowOf(51_470_000);
  const firstColumn = columnOf(-80_000);
  const window = {
    firstRow,
    firstColumn,
    rows: rowOf(51_550_000) - firstRow,
    columns: columnOf(80_000) - firstColumn,
  };
  return new CoverageCells(window, new Uint8Array(window.rows * window.columns).fill(kind));
};
const extract = (region: string, asOfMs: number): MapExtract => ({ region, asOfMs, cells: cells() });

const latitude = fc.integer({ min: 51_480_000, max: 51_540_000 });
const longitude = fc.integer({ min: -60_000, max: 60_000 });
const mappedPoint = fc.record({
  kind: fc.constantFrom(...pointKinds),
  object: fc.integer({ min: 1, max: 40 }),
  name: fc.constantFrom('', 'Café Zed', 'Corner Shop'),
  latitudeMicro: latitude,
  longitudeMicro: longitude,
});
const mappedPark = fc.record({
  kind: fc.constant('park' as const),
  object: fc.integer({ min: 1, max: 12 }),
  name: fc.constantFrom('Zed Park', 'The Meadow'),
  outline: fc
    .array(fc.tuple(latitude, longitude), { minLength: 1, maxLength: 12 })
    .map((nodes) => Int32Array.from(nodes.flat())),
});
const someMapped = fc.array(fc.oneof(mappedPoint, mappedPark), { maxLength: 80 });
const place = fc.record({
  latitudeDegrees: fc.double({ min: 51.48, max: 51.54, noNaN: true }),
  longitudeDegrees: fc.double({ min: -0.06, max: 0.06, noNaN: true }),
});

/** The first to have an object of a kind is right. */
function distinct(all: readonly Mapped[]): readonly Mapped[] {
  const seen = new Map<string, Mapped>();
  for (const mapped of all) {
    const key = `${mapped.kind} ${mapped.object}`;
    if (!seen.has(key)) seen.set(key, mapped);
  }
  return [...seen.values()];
}

const nearestOf = ({ latitudeDegrees, longitudeDegrees }: LatLong, mapped: Mapped) => {
  const nodes = mapped.kind === 'park' ? [...mapped.outline] : [mapped.latitudeMicro, mapped.longitudeMicro];
  const metres = nodes.flatMap((micro, at) =>
    at % 2 === 1
      ? []
      : [distanceMetres(latitudeDegrees, longitudeDegrees, micro / 1e6, (nodes[at + 1] ?? 0) / 1e6)],
  );
  return Math.min(...metres);
};

test('counts and nearest distances are those of looking at every object, newer extracts first', () => {
  fc.assert(
    fc.property(
      someMapped,
      someMapped,
      place,
      fc.integer({ min: 1, max: 6_000 }),
      (newer, older, from, radiusMetres) => {
        const builder = new AmenitiesBuilder();
        // Both lie at the edge of the newer extract, where either may have what the other lacks.
        builder.add({ ...extract('a', 2), cells: cells(outside) }, newer);
        builder.add(extract('b', 1), older);
        const again = new AmenitiesBuilder();
        for (const { extract: known, found } of readBack(writeRelease(builder))) again.add(known, found);
        const all = distinct([...newer, ...older]);
        assert.equal(again.size, all.length);
        const table = openAmenities(writeRelease(again));
        for (const kind of [...pointKinds, 'park'] as const) {
          const metres = all
            .filter((mapped) => mapped.kind === kind)
            .map((mapped) => nearestOf(from, mapped))
            .filter((distance) => distance <= radiusMetres);
          assert.equal(table.countWithin(kind, { ...from, radiusMetres }), metres.length, kind);
          assert.equal(
            table.findNearestMetres(kind, from, radiusMetres),
            metres.length === 0 ? undefined : Math.min(...metres),
            kind,
          );
        }
        for (const kind of [...pointKinds, 'park'] as const) {
          const listed = table.listWithin(kind, { ...from, radiusMetres });
          assert.deepEqual(
            listed.map((found) => `${found.metres} ${table.nameOf(found)}`).sort(),
            all
              .filter((mapped) => mapped.kind === kind && nearestOf(from, mapped) <= radiusMetres)
              .map((mapped) => `${nearestOf(from, mapped)} ${mapped.name || null}`)
              .sort(),
          );
          for (const { metres, point } of listed) {
            const { latitudeDegrees, longitudeDegrees } = point;
            assert.equal(
              distanceMetres(from.latitudeDegrees, from.longitudeDegrees, latitudeDegrees, longitudeDegrees),
              metres,
            );
          }
        }
        const hire = all.filter(({ kind }) => kind === 'cycle-hire');
        assert.equal(
          table.cycleHireWithin({ ...from, radiusMetres }).length,
          hire.filter((mapped) => nearestOf(from, mapped) <= radiusMetres).length,
        );
      },
    ),
    { numRuns: 25 },
  );
});

test('a circle that reaches beyond the covered cells is not covered; the sea off a covered coast hides nothing', () => {
  const centre = { latitudeDegrees: 51.51, longitudeDegrees: 0 };
  assert.ok(cells().covers(centre, 0));
  assert.ok(cells().covers(centre, 3_500));
  assert.ok(!cells().covers(centre, 6_000));
  assert.ok(!cells().covers({ ...centre, latitudeDegrees: 51.6 }, 0));
  const coast = cells();
  coast.cells.fill(sea, 0, coast.cells.length / 2);
  assert.ok(coast.covers({ ...centre, latitudeDegrees: 51.52 }, 2_500));
  assert.ok(!coast.covers({ ...centre, latitudeDegrees: 51.48 }, 0), 'nobody lives on the sea');
  const border = cells();
  border.cells.fill(outside, 0, border.cells.length / 2);
  assert.ok(!border.covers({ ...centre, latitudeDegrees: 51.52 }, 2_500));
  assert.ok(border.covers({ ...centre, latitudeDegrees: 51.52 }, 800));
});

test('two maps side by side cover what reaches over their border', () => {
  const halves = [0, 1].map((half) => {
    const map = cells();
    for (let at = 0; at < map.cells.length; at += 1)
      if (at < map.cells.length / 2 === (half === 0)) map.cells[at] = outside;
    return map;
  });
  const builder = new AmenitiesBuilder();
  for (const [at, map] of halves.entries()) builder.add({ region: `${at}`, asOfMs: 0, cells: map }, []);
  const table = openAmenities(writeRelease(builder));
  const centre = { latitudeDegrees: 51.51, longitudeDegrees: 0 };
  assert.ok(halves.every((map) => !map.covers(centre, 800)));
  assert.ok(table.covers(centre, 800));
});
