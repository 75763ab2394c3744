// The amenities of a place: what the fictional map has around its postcodes, and null where nothing is known.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { amenities, describeAmenities } from '../../../src/endpoints/area-statistics/amenities.ts';
import type { Release } from '../../../src/release/reader.ts';
import { openAmenities } from '../../../src/tables/amenities/amenities.ts';
import { readBack } from '../../../src/tables/amenities/amenities-builder.ts';
import { openPostcodes, type PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

const inSandbox = (name: string) => path.join(import.meta.dirname, '../../../data/sandbox', name);
let home: TestHome;
let bare: Release;
let release: Release;
before(async () => {
  home = openTestHome();
  bare = (await home.ingest([inSandbox('postcodes.csv')])).release;
  release = (await home.ingest([inSandbox('map.osm.pbf')])).release;
});
after(() => home.remove());

const placeOf = (text: string): PostcodeRow => {
  const postcode = parsePostcode(text);
  const row = postcode === undefined ? undefined : openPostcodes(release).find(postcode);
  return row ?? assert.fail(text);
};
const figuresOf = (text: string) => {
  const { basis, ...figures } = describeAmenities(placeOf(text), release);
  return { basis, figures };
};

test('the centre has each thing once, and what is closed, private or unnamed not at all', () => {
  const { figures, basis } = figuresOf('ZZ1 2AD');
  assert.deepEqual(figures, {
    supermarkets: 2,
    convenienceStores: 4,
    restaurants: 3,
    cafes: 3,
    takeaways: 3,
    pubsAndBars: 6,
    gps: 1,
    pharmacies: 3,
    dentists: 3,
    hospitals: 1,
    parks: 3,
    playgrounds: 1,
    gyms: 2,
    libraries: 1,
    postOffices: 1,
    banks: 3,
    nearestSupermarketMetres: 169,
    nearestParkMetres: 151,
    nearestGpMetres: 130,
  });
  assert.deepEqual(
    basis.map(({ fields, radiusMetres, period }) => [fields.length, radiusMetres, period]),
    [
      [14, 800, '2026-11-01'],
      [1, 1_600, '2026-11-01'],
      [1, 3_000, '2026-11-01'],
      [3, 5_000, '2026-11-01'],
    ],
  );
  assert.equal(basis[0]?.source, 'OpenStreetMap, © OpenStreetMap contributors');
});

test('every postcode’s figures are those of looking at every object, or null by the cells', () => {
  const all = [...readBack(release)].flatMap(({ found }) => found);
  const table = openAmenities(release);
  let given = 0;
  for (const row of openPostcodes(release).inArea('ZZ')) {
    const { point } = row;
    if (point === null) continue;
    const near = (kind: string) =>
      all
        .filter((mapped) => mapped.kind === kind)
        .map((mapped) => {
          const nodes =
            mapped.kind === 'park' ? [...mapped.outline] : [mapped.latitudeMicro, mapped.longitudeMicro];
          return Math.min(
            ...nodes.flatMap((micro, at) =>
              at % 2 === 1
                ? []
                : [
                    distanceMetres(
                      point.latitudeDegrees,
                      point.longitudeDegrees,
                      micro / 1e6,
                      (nodes[at + 1] ?? 0) / 1e6,
                    ),
                  ],
            ),
          );
        });
    const count = (kind: string, radiusMetres: number) =>
      table.covers(point, radiusMetres) ? near(kind).filter((metres) => metres <= radiusMetres).length : null;
    const nearest = (kind: string) => {
      const metres = Math.min(...near(kind));
      return metres <= 5_000 && table.covers(point, metres) ? Math.round(metres) : null;
    };
    const { figures } = figuresOf(row.postcode);
    assert.equal(figures.cafes, count('cafe', 800), row.postcode);
    assert.equal(figures.pubsAndBars, count('pub-or-bar', 800), row.postcode);
    assert.equal(figures.hospitals, count('hospital', 3_000), row.postcode);
    assert.equal(figures.parks, count('park', 1_600), row.postcode);
    assert.equal(figures.nearestGpMetres, nearest('gp'), row.postcode);
    assert.equal(figures.nearestParkMetres, nearest('park'), row.postcode);
    given += figures.cafes === null ? 0 : 1;
  }
  assert.ok(given > 40, `${given}`);
});

test('where a circle reaches beyond the map its figure is null, where it does not a number', () => {
  const edge = figuresOf('ZZ3 1AE');
  assert.equal(typeof edge.figures.cafes, 'number');
  assert.equal(edge.figures.parks, null);
  assert.equal(edge.figures.hospitals, null);
  assert.deepEqual(
    edge.basis.map(({ radiusMetres }) => radiusMetres),
    [800, 5_000],
  );
  assert.equal(figuresOf('ZZ3 1AA').figures.cafes, null);
});

test('nothing is known of a postcode without a point, or without a map', () => {
  const unknown = [figuresOf('ZZ2 9ZZ'), { figures: describeAmenities(placeOf('ZZ1 2AD'), bare), basis: [] }];
  for (const { figures, basis } of unknown) {
    const { basis: _, ...numbers } = { basis, ...figures };
    for (const [name, figure] of Object.entries(numbers)) assert.equal(figure, null, name);
    assert.deepEqual(basis, []);
  }
});

test('the answer has the shape it promises, and each field says what it is', () => {
  const written = amenities.write(describeAmenities(placeOf('ZZ1 1AA'), release));
  assert.deepEqual(Object.keys(JSON.parse(written)), amenities.required);
  const { properties } = amenities.schema;
  assert.ok(typeof properties === 'object' && properties !== null);
  for (const [name, schema] of Object.entries(properties)) {
    const description = JSON.stringify(schema);
    if (name !== 'basis')
      assert.match(description, /OpenStreetMap objects with|Metres in a straight line/, name);
    if (name !== 'basis') assert.match(description, /Null if/, name);
  }
});

test('the fictional map lies in the North Sea', () => {
  for (const { found, extract } of readBack(release)) {
    assert.equal(extract.region, 'zedbury');
    for (const mapped of found) {
      const [latitude = 0, longitude = 0] =
        mapped.kind === 'park' ? mapped.outline : [mapped.latitudeMicro, mapped.longitudeMicro];
      assert.ok(latitude > 54.1e6 && latitude < 54.3e6 && longitude > 0.8e6 && longitude < 1e6);
    }
  }
});
