// Every two railway nodes of the national list within 500 metres of each other, judged by hand: rows of one station, or
// two stations. The fixture has the nodes with the station that each belongs to, as of July 2026 and of the older list.
// One station: levels and lines with one name and one entrance, such as Tamworth, whose lines cross. Two: stations with
// names, codes and platforms of their own, however near: Catford and Catford Bridge, both St Budeaux, both Heaths of
// Cardiff (High and Low Level), West Hampstead and its Thameslink, Minffordd and that of the Ffestiniog Railway.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openStops } from '../../../src/tables/transport/stops.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { node, nodesFile } from './desk.ts';

type Judged = { list: string; station: string; code: string; name: string; lat: string; lon: string };

const fixture = path.join(import.meta.dirname, '../../fixtures/stations/within-500-metres.csv');
const judged = firstRows(readFileSync(fixture), Number.POSITIVE_INFINITY, 'utf-8')
  .slice(1)
  .map(
    ([list = '', station = '', code = '', name = '', lat = '', lon = '']): Judged => ({
      list,
      station,
      code,
      name,
      lat,
      lon,
    }),
  );

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const stations = () => [...openStops(home.store.openCurrent()).stations()];

for (const list of ['2026', 'older']) {
  test(`${list}: near neighbours are one station or two as judged, in whatever order they come`, async () => {
    const nodes = judged.filter((item) => item.list === list);
    assert.ok(nodes.length > 100);
    for (const given of [nodes, nodes.toReversed()]) {
      const rows = given.map(({ code, name, lat, lon }) =>
        node({ ATCOCode: code, CommonName: name, StopType: 'RLY', Latitude: lat, Longitude: lon }),
      );
      await home.ingest([home.put('nodes.csv', nodesFile(...rows))]);
      const stationOf = new Map(nodes.map(({ code, station }) => [code, station]));
      assert.deepEqual(
        stations()
          .map(({ code }) => stationOf.get(code))
          .sort(),
        [...new Set(nodes.map(({ station }) => station))].sort(),
      );
    }
  });
}

testWith(
  realFile('data/places/all/910Stops.csv'),
  'real: the national list has no other pairs within 500 metres than those judged',
  async (file) => {
    await home.ingest([file]);
    const known = new Set(judged.filter(({ list }) => list === '2026').map(({ code }) => code));
    const all = stations();
    const near = all.filter((one) =>
      all.some(
        (other) =>
          other !== one &&
          Math.abs(other.latitudeMicro - one.latitudeMicro) < 6_000 &&
          distanceMetres(
            one.latitudeMicro / 1e6,
            one.longitudeMicro / 1e6,
            other.latitudeMicro / 1e6,
            other.longitudeMicro / 1e6,
          ) <= 500,
      ),
    );
    assert.deepEqual(
      near.filter(({ code }) => !known.has(code)),
      [],
    );
    assert.equal(
      near.filter(({ name }) => /^(Tamworth|Shotton|Lichfield|Richmond|Smethwick)/.test(name)).length,
      0,
    );
    assert.equal(all.length, 2_620);
  },
);
