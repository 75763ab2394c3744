// Counts of stations, docks and traffic in a circle against looking at every one, and what a sample does not reach.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { Columns } from '../../../src/release/part.ts';
import type { Release } from '../../../src/release/reader.ts';
import { encodeReach } from '../../../src/tables/reach.ts';
import { cycleHirePart, encodeCycleHire, openCycleHire } from '../../../src/tables/transport/cycle-hire.ts';
import {
  busStopTypes,
  encodeBusStops,
  encodeStations,
  encodeStopAreas,
  openStops,
  stationKinds,
  stationReachPart,
  stationReachTable,
  stationsPart,
} from '../../../src/tables/transport/stops.ts';
import { encodeTraffic, openTraffic, trafficPart } from '../../../src/tables/transport/traffic.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

let home: TestHome;
let made = 0;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

function release(parts: Readonly<Record<string, Columns>>): Release {
  made += 1;
  const writer = home.store.beginRelease({
    id: `r-${made}`,
    kind: 'loaded',
    createdAtMs: 0,
    base: undefined,
  });
  for (const [name, columns] of Object.entries(parts)) writer.writePart(name, columns);
  writer.putDataset({
    name: 'stops',
    title: 'Test',
    source: 'Test',
    publisher: 'Test',
    publisherShort: 'T',
    licence: 'none',
    attribution: 'none',
    edition: '1',
    asOf: '2026-01-01',
    loadedAt: '2026-01-01T00:00:00.000Z',
    rows: 1,
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

const point = fc.record({
  latitudeMicro: fc.integer({ min: 51_480_000, max: 51_540_000 }),
  longitudeMicro: fc.integer({ min: -60_000, max: 60_000 }),
});
type Point = { readonly latitudeMicro: number; readonly longitudeMicro: number };
const centre = fc.record({
  latitudeDegrees: fc.double({ min: 51.48, max: 51.54, noNaN: true }),
  longitudeDegrees: fc.double({ min: -0.06, max: 0.06, noNaN: true }),
  radiusMetres: fc.constantFrom(400, 500, 800, 1_600, 3_000),
});
const isIn = (
  circle: { latitudeDegrees: number; longitudeDegrees: number; radiusMetres: number },
  { latitudeMicro, longitudeMicro }: Point,
) =>
  distanceMetres(
    circle.latitudeDegrees,
    circle.longitudeDegrees,
    latitudeMicro / 1e6,
    longitudeMicro / 1e6,
  ) <= circle.radiusMetres;

/** Every third stop has no name. */
const stopName = (number: number, at: number) => ({
  code: `490${at}`,
  name: number % 3 === 0 ? '' : `Stop ${number}`,
  type: busStopTypes[at % 3] ?? busStopTypes[0],
});

test('stations of a kind, bus stops, docks and the busiest road of a circle are those of a plain look', () => {
  const given = fc.array(fc.tuple(point, fc.nat({ max: 60_000 })), { maxLength: 40 });
  fc.assert(
    fc.property(given, centre, (rows, circle) => {
      const stations = rows.map(([place, number], at) => ({
        ...place,
        kind: stationKinds[number % 3] ?? 'metro',
        code: `9100${at}`,
        name: `Station ${at}`,
      }));
      const flows = rows.map(([place, vehiclesADay], id) => ({
        ...place,
        id,
        year: 2025,
        vehiclesADay,
        authority: '',
      }));
      const docks = rows.map(([place], at) => ({ ...place, id: `BikePoints_${at}`, name: '' }));
      const opened = release({
        ...encodeStopAreas(new Map()),
        [stationsPart]: encodeStations(stations, ['tube', 'rail', 'metro', 'bus']),
        ...encodeBusStops(
          rows.map(([place, number], at) => ({ ...place, area: '490', named: stopName(number, at) })),
        ),
        [trafficPart]: encodeTraffic(flows),
        [cycleHirePart]: encodeCycleHire(docks),
      });
      const near = rows.filter(([place]) => isIn(circle, place));
      for (const kind of stationKinds) {
        const wanted = stations.filter((station) => station.kind === kind && isIn(circle, station)).length;
        assert.equal(openStops(opened).countStations(kind, circle), wanted);
      }
      const table = openStops(opened);
      const distanceTo = ({ latitudeMicro, longitudeMicro }: Point) =>
        distanceMetres(
          circle.latitudeDegrees,
          circle.longitudeDegrees,
          latitudeMicro / 1e6,
          longitudeMicro / 1e6,
        );
      assert.deepEqual(
        table
          .stationsWithin(circle)
          .map((found) => `${found.metres} ${found.kind} ${found.code} ${found.name}`)
          .sort(),
        stations
          .filter((station) => isIn(circle, station))
          .map((station) => `${distanceTo(station)} ${station.kind} ${station.code} ${station.name}`)
          .sort(),
      );
      assert.deepEqual(
        table
          .busStopsWithin(circle)
          .map(({ index, metres }) => `${metres} ${JSON.stringify(table.nameOfBusStop(index))}`)
          .sort(),
        rows
          .map(([place, number], at) => ({ place, named: stopName(number, at) }))
          .filter(({ place }) => isIn(circle, place))
          .map(({ place, named }) => `${distanceTo(place)} ${JSON.stringify(named)}`)
          .sort(),
      );
      assert.equal(openStops(opened).findBusStop(circle), near.length === 0 ? 'none' : 'found');
      assert.equal(openCycleHire(opened).countWithin(circle), near.length);
      assert.equal(
        openTraffic(opened).findBusiest(circle)?.vehiclesADay,
        near.length === 0 ? undefined : Math.max(...near.map(([, vehicles]) => vehicles)),
      );
    }),
    { numRuns: 40 },
  );
});

test('a sample knows the counts of circles that lie within its reach, and no others', () => {
  const centrePoint = { latitudeMicro: 51_500_000, longitudeMicro: 0 };
  const stops = openStops(
    release({
      [stationsPart]: encodeStations(
        [{ ...centrePoint, kind: 'tube', code: '9400ZZLUXXX', name: 'X' }],
        ['tube', 'rail'],
      ),
      ...encodeBusStops([]),
      ...encodeStopAreas(new Map()),
      [stationReachPart]: encodeReach(stationReachTable, { points: [centrePoint], metres: 3_000 }),
    }),
  );
  const at = (metresNorth: number, radiusMetres: number) => ({
    latitudeDegrees: 51.5 + metresNorth / 111_195.08,
    longitudeDegrees: 0,
    radiusMetres,
  });
  assert.equal(stops.countStations('tube', at(0, 1_600)), 1);
  assert.equal(stops.countStations('rail', at(0, 3_000)), 0);
  assert.equal(stops.countStations('rail', at(4, 3_000)), 0);
  assert.equal(stops.countStations('rail', at(10, 3_000)), undefined);
  assert.equal(stops.countStations('tube', at(1_400, 1_600)), 1);
  assert.equal(stops.countStations('tube', at(1_410, 1_600)), undefined);
  assert.equal(stops.countStations('tube', at(0, 3_010)), undefined);
  assert.equal(stops.countStations('metro', at(0, 1_600)), undefined);
  assert.equal(stops.findBusStop(at(0, 400)), 'not known');
});
