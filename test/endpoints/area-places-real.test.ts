// GET /area/places on real files of Rutland (NaPTAN of July 2026, OpenStreetMap of July 2022) against a plain reading of the
// publisher's rows, and of a list of the map's named things that was made without this program.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { areaPlaces } from '../../src/endpoints/area-places.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { kindsOf } from '../../src/sources/openstreetmap/passes.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { openTestHome } from '../ingest/home.ts';
import { realFiles, testWith } from '../requirements.ts';
import { madeDirectory } from './made-postcodes.ts';

const files = {
  postcodes: 'data/places/oakham/postcodes.csv',
  stops: 'data/places/oakham/268Stops.csv',
  map: 'data/area/osm_rutland-latest.osm.pbf',
  named: 'data/area/osm_rutland_named_pois.csv',
} as const;

type Row = (column: string) => string;

function rowsOf(file: string): readonly Row[] {
  const [header = [], ...rows] = firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'utf-8');
  return rows.map((row) => (column) => row[header.indexOf(column)] ?? '');
}

/** The list has the middle of an outline with its first node counted twice. */
const listedWithinMetres = 40;
/** Marked as private on the map, which the list does not say. */
const isPrivate = new Set(['The Upper', 'Catmose Club']);

const radii = [400, 800, 1_600] as const;
/** Every so many of the postcodes. */
const step = 23;

testWith(
  realFiles(...Object.values(files)),
  'of real stops and things on the map, a circle lists those of the files that lie in it, and no others',
  async (place) => {
    const home = openTestHome();
    try {
      const { postcodes, stops, map, named } = files;
      const directory = madeDirectory(
        rowsOf(place(postcodes)).map((row) => ({
          postcode: row('postcode'),
          country: 'england',
          point: [Number(row('latitude')), Number(row('longitude'))],
        })),
      );
      const { release } = await home.ingest([
        home.put('ONSPD_NOV_2025_UK.csv', directory),
        place(stops),
        place(map),
      ]);
      const list = async (postcode: string, radius: number, kind: string) => {
        const params = new URLSearchParams({
          postcode,
          radius: String(radius),
          kinds: kind,
          limit: '500',
        });
        const prepared = areaPlaces.prepare(params);
        assert.ok(prepared.kind === 'prepared', JSON.stringify(prepared));
        const outcome = await prepared.run({ release, today: 20_772 });
        assert.ok(outcome.kind === 'answered');
        const { places, total, kinds } = JSON.parse(outcome.json);
        assert.equal(places.length, total ?? 0);
        return { places, isKnown: kinds[kind].total !== null };
      };

      const busStops = rowsOf(place(stops)).filter(
        (row) => /^BC[TSQ]$/.test(row('StopType')) && /^(active)?$/i.test(row('Status')),
      );
      const things = rowsOf(place(named)).flatMap((row) => {
        const keys = ['amenity', 'shop', 'leisure', 'healthcare', 'name'].filter((key) => row(key) !== '');
        const kinds = kindsOf(new Map(keys.map((key) => [key, row(key)] as const)));
        // Of a park the nearest node counts, which the list does not have.
        return [...kinds]
          .filter((kind) => kind !== 'park' && !isPrivate.has(row('name')))
          .map((kind) => ({ is: `${kind} ${row('name')}`, row }));
      });
      const compared = { stops: 0, things: 0, circles: 0 };
      for (const [number, home] of rowsOf(place(postcodes)).entries()) {
        if (number % step !== 0) continue;
        const metresTo = (latitude: string, longitude: string) =>
          distanceMetres(
            Number(home('latitude')),
            Number(home('longitude')),
            Number(latitude),
            Number(longitude),
          );
        for (const radius of radii) {
          const near = await list(home('postcode'), radius, 'stops');
          type Stop = { code: string; name: string; distanceMetres: number };
          const told = new Map<string, Stop>(near.places.map((stop: Stop) => [stop.code, stop]));
          for (const row of busStops) {
            const metres = metresTo(row('Latitude'), row('Longitude'));
            const stop = told.get(row('ATCOCode'));
            // Points are kept in millionths of a degree, which are up to a tenth of a metre.
            if (Math.abs(metres - radius) > 1) assert.equal(stop !== undefined, metres <= radius);
            if (stop === undefined) continue;
            assert.equal(stop.name, row('CommonName'));
            assert.ok(Math.abs(stop.distanceMetres - metres) <= 1, `${home('postcode')} ${stop.code}`);
            told.delete(stop.code);
            compared.stops += 1;
          }
          assert.deepEqual([...told.keys()], [], `${home('postcode')} ${radius}`);

          const around = await list(home('postcode'), radius, 'amenities');
          if (!around.isKnown) continue;
          compared.circles += 1;
          type Thing = { category: string; name: string | null };
          const listed = new Set(
            around.places
              .filter(({ name, category }: Thing) => name !== null && category !== 'park')
              .map(({ name, category }: Thing) => `${category} ${name}`),
          );
          const within = (metres: number) =>
            things.filter(({ row }) => metresTo(row('lat'), row('lon')) <= metres).map(({ is }) => is);
          const surely = within(radius - listedWithinMetres);
          assert.deepEqual(
            surely.filter((is) => !listed.has(is)),
            [],
            `${home('postcode')} ${radius}`,
          );
          const perhaps = new Set(within(radius + listedWithinMetres));
          assert.deepEqual(
            [...listed].filter((is) => !perhaps.has(String(is))),
            [],
            `${home('postcode')} ${radius}`,
          );
          compared.things += surely.length;
        }
      }
      assert.ok(
        compared.stops > 500 && compared.things > 500 && compared.circles > 50,
        JSON.stringify(compared),
      );
    } finally {
      home.remove();
    }
  },
);
