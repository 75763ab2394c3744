// The loader on real extracts: two of Geofabrik (Rutland, July 2022; the Isle of Wight, January 2015) and one that was
// cut to a rectangle by the coast (Newport, June 2023).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findFiles } from '../../../src/ingest/files.ts';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openOsm } from '../../../src/sources/openstreetmap/blobs.ts';
import { OsmBlockReader, type Tags } from '../../../src/sources/openstreetmap/block.ts';
import { describeObject } from '../../../src/sources/openstreetmap/extract.ts';
import { kindsOf } from '../../../src/sources/openstreetmap/passes.ts';
import { openAmenities } from '../../../src/tables/amenities/amenities.ts';
import { readBack } from '../../../src/tables/amenities/amenities-builder.ts';
import { openTestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';

const rutland = 'data/area/osm_rutland-latest.osm.pbf';
const list = 'data/area/osm_rutland_named_pois.csv';

testWith(
  realFile(rutland),
  'every object is read: 170,885 nodes, 16,730 ways, and areas that are no nodes',
  async (extract) => {
    const found = await findFiles([extract]);
    const [input] = found.given[0]?.holdings[0]?.files ?? [];
    assert.ok(input?.form === 'binary');
    const file = await openOsm(input);
    const reader = new OsmBlockReader();
    const telling = ['leisure', 'shop', 'amenity'];
    const keys = { read: telling, telling };
    const counts = new Map<string, number>();
    const count = (type: string, tags: Tags) => {
      for (const [key, value] of tags) {
        const name = `${key}=${value} ${type}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    };
    let [nodes, ways, relations] = [0, 0, 0];
    for await (const { content } of file.contents(file.blobs.keys())) {
      reader.open(content);
      nodes += reader.readNodes({
        keys,
        positions: () => {},
        tagged: (_id, _n, _e, tags) => count('node', tags),
      });
      ways += reader.readWays({ keys, wants: () => false, way: (_id, tags) => count('way', tags) });
      relations += reader.readRelations({ keys, relation: (_id, tags) => count('relation', tags) });
    }
    await file.close();
    assert.deepEqual([nodes, ways, relations], [170_885, 16_730, 287]);
    const of = (tag: string) => ['node', 'way', 'relation'].map((type) => counts.get(`${tag} ${type}`) ?? 0);
    assert.deepEqual(of('shop=supermarket'), [1, 6, 0]);
    assert.deepEqual(of('leisure=park'), [0, 42, 1]);
    assert.deepEqual(of('leisure=playground'), [3, 27, 0]);
    assert.deepEqual(of('amenity=school'), [2, 24, 1]);
  },
);

testWith(
  realFiles(rutland, list),
  'each named thing of the independent list is found where it says, private ones left out',
  async (place) => {
    const home = openTestHome();
    try {
      const { release, sources } = await home.ingest([place(rutland)]);
      assert.equal(sources[0]?.asOf, '2022-07-20');
      const all = [...readBack(release)].flatMap(({ found }) => found);
      const found = new Map(all.map((mapped) => [`${mapped.kind} ${describeObject(mapped.object)}`, mapped]));
      const [header = [], ...rows] = firstRows(readFileSync(place(list)), Number.POSITIVE_INFINITY, 'utf-8');
      const types: Readonly<Record<string, string>> = { n: 'node', w: 'way', r: 'relation' };
      const missing: string[] = [];
      let compared = 0;
      for (const row of rows) {
        const cell = (name: string) => row[header.indexOf(name)] ?? '';
        const tags = new Map(
          ['amenity', 'shop', 'leisure', 'healthcare', 'name'].flatMap((key) =>
            cell(key) === '' ? [] : [[key, cell(key)] as const],
          ),
        );
        for (const kind of kindsOf(tags)) {
          const mapped = found.get(`${kind} ${types[cell('type')]} ${cell('id')}`);
          compared += 1;
          if (mapped === undefined) missing.push(cell('name'));
          else if (mapped.kind !== 'park' && cell('lat') !== '') {
            // The list has the middle of an outline with its first node counted twice.
            assert.ok(Math.abs(mapped.latitudeMicro - 1e6 * Number(cell('lat'))) < 200, cell('name'));
            assert.ok(Math.abs(mapped.longitudeMicro - 1e6 * Number(cell('lon'))) < 300, cell('name'));
          }
        }
      }
      assert.equal(compared, 225);
      assert.deepEqual(missing, ['The Upper', 'Catmose Club', 'Exton Park']);
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile(rutland),
  'the table counts 7 supermarkets, 36 named public parks, 30 playgrounds; Rutland alone is covered',
  async (extract) => {
    const home = openTestHome();
    try {
      const { release } = await home.ingest([extract]);
      const table = openAmenities(release);
      const oakham = { latitudeDegrees: 52.6706, longitudeDegrees: -0.7273 };
      const county = { ...oakham, radiusMetres: 40_000 };
      assert.equal(table.countWithin('supermarket', county), 7);
      assert.equal(table.countWithin('park', county), 36);
      assert.equal(table.countWithin('playground', county), 30);
      assert.ok(table.covers(oakham, 3_000));
      assert.ok(!table.covers(oakham, 10_000), 'Leicestershire is near');
      assert.ok(
        !table.covers({ latitudeDegrees: 52.6519, longitudeDegrees: -0.4803 }),
        'Stamford is not in it',
      );
    } finally {
      home.remove();
    }
  },
);

const newport = 'data/places/newport/newport-2023-06-13.with-header.osm.pbf';
const newportPostcodes = 'data/places/newport/postcodes.csv';
const box = { west: -3.0768, east: -2.9252, north: 51.5935, south: 51.5247 };

/** Walks round the circle: a way of its own, in which nothing of the table is used. */
function leavesBox(latitude: number, longitude: number, metres: number): boolean {
  const arc = metres / 6_371_008.8;
  const radians = Math.PI / 180;
  return Array.from({ length: 720 }, (_, at) => at * 0.5 * radians).some((bearing) => {
    const from = latitude * radians;
    const to = Math.asin(Math.sin(from) * Math.cos(arc) + Math.cos(from) * Math.sin(arc) * Math.cos(bearing));
    const turn = Math.atan2(
      Math.sin(bearing) * Math.sin(arc) * Math.cos(from),
      Math.cos(arc) - Math.sin(from) * Math.sin(to),
    );
    const [north, east] = [to / radians, longitude + turn / radians];
    return north < box.south || north > box.north || east < box.west || east > box.east;
  });
}

testWith(
  realFiles(newport, newportPostcodes),
  'Newport: of 3,661 postcodes a circle is covered exactly where it lies on the map, by the Severn as well',
  async (place) => {
    const home = openTestHome();
    try {
      const { release } = await home.ingest([place(newport)]);
      const table = openAmenities(release);
      const [header = [], ...rows] = firstRows(
        readFileSync(place(newportPostcodes)),
        Number.POSITIVE_INFINITY,
        'utf-8',
      );
      assert.equal(rows.length, 3_661);
      const covered = new Map<number, number>();
      for (const metres of [800, 1_600, 3_000, 5_000]) {
        for (const row of rows) {
          const latitude = Number(row[header.indexOf('latitude')]);
          const longitude = Number(row[header.indexOf('longitude')]);
          const isCovered = table.covers({ latitudeDegrees: latitude, longitudeDegrees: longitude }, metres);
          assert.equal(isCovered, !leavesBox(latitude, longitude, metres), `${row[0]} ${metres}`);
          if (isCovered) covered.set(metres, (covered.get(metres) ?? 0) + 1);
        }
      }
      assert.deepEqual(
        [...covered],
        [
          [800, 1_442],
          [1_600, 653],
          [3_000, 130],
        ],
      );
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile('data/places/isle-of-wight/isle-of-wight-2015-01-01.osm.pbf'),
  'the Isle of Wight is covered by its coastline; the mainland within the bounds of the header is not',
  async (extract) => {
    const home = openTestHome();
    try {
      const { release } = await home.ingest([extract]);
      const table = openAmenities(release);
      const at = (latitudeDegrees: number, longitudeDegrees: number) => ({
        latitudeDegrees,
        longitudeDegrees,
      });
      assert.ok(table.covers(at(50.7005, -1.2945), 3_000), 'Newport on the island');
      assert.ok(table.covers(at(50.596, -1.206), 3_000), 'Ventnor, towards the Channel');
      assert.ok(table.countWithin('hospital', { ...at(50.7005, -1.2945), radiusMetres: 3_000 }) > 0);
      for (const [name, place] of Object.entries({
        Lymington: at(50.7585, -1.5423),
        Gosport: at(50.795, -1.117),
        Southsea: at(50.785, -1.085),
      }))
        assert.ok(!table.covers(place), name);
    } finally {
      home.remove();
    }
  },
);
