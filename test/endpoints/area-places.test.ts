// GET /area/places: what lies around a postcode against looking at every row of the tables, against the figures of
// /area/statistics, page by page, and where nobody knows.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { areaPlaces } from '../../src/endpoints/area-places.ts';
import { areaStatistics } from '../../src/endpoints/area-statistics.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { readBack } from '../../src/tables/amenities/amenities-builder.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes, type PostcodeRow } from '../../src/tables/postcodes/postcodes.ts';
import { openSchools, schoolNations } from '../../src/tables/schools/schools.ts';
import { openStops } from '../../src/tables/transport/stops.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { openTestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { madeDirectory } from './made-postcodes.ts';

const root = path.join(import.meta.dirname, '../..');

let rig: Rig;
let key: string;
let sample: Release;
let town: Release;
before(async () => {
  rig = await openRig({ publicUrl: 'https://data.example.org' });
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000_000 }));
  const stores = openHome(rig.home, layouts);
  sample = stores.releases.openCurrent();
  town = stores.sandbox.openCurrent();
});
after(() => rig.close());

type Kind = { total: number | null; lacking: string | null };
type Place = {
  kind: string;
  category: string;
  name: string | null;
  code: string | null;
  latitude: number;
  longitude: number;
  distanceMetres: number;
  phase?: string;
  rating?: string | null;
};
type Answer = {
  postcode: string;
  radiusMetres: number;
  kinds: Record<string, Kind>;
  total: number | null;
  returned: number;
  offset: number;
  places: Place[];
};

async function run(endpoint: Endpoint, release: Release, params: Record<string, string>) {
  const prepared = endpoint.prepare(new URLSearchParams(params));
  assert.ok(prepared.kind === 'prepared', JSON.stringify(params));
  const outcome = await prepared.run({ release, today: 20_772 });
  assert.ok(outcome.kind === 'answered', JSON.stringify(params));
  return { data: JSON.parse(outcome.json), outcome };
}

/** All pages as one list. */
async function listOf(release: Release, params: Record<string, string>): Promise<Answer> {
  const places: Place[] = [];
  for (;;) {
    const page = { ...params, limit: '500', offset: String(places.length) };
    const { data } = await run(areaPlaces, release, page);
    places.push(...data.places);
    if (places.length === (data.total ?? 0)) return { ...data, places };
  }
}

const inUse = (release: Release) =>
  openPostcodes(release)
    .areas()
    .flatMap((area) => [...openPostcodes(release).inArea(area)])
    .filter(({ terminated }) => terminated === null);

type Seen = {
  readonly kind: string;
  readonly category: string;
  readonly name: string | null;
  readonly metres: number;
};

/** Everything in the circle, by looking at every row of every table. */
function lookAround(release: Release, { point }: PostcodeRow, radius: number): readonly Seen[] {
  assert.ok(point !== null);
  const from = (latitude: number, longitude: number) =>
    distanceMetres(point.latitudeDegrees, point.longitudeDegrees, latitude, longitude);
  const schools = schoolNations.flatMap((nation) =>
    openSchools(release)
      .allOf(nation)
      .map((school) => ({
        kind: 'school',
        category: [
          ...(school.teachesPrimary ? ['primary'] : []),
          ...(school.teachesSecondary ? ['secondary'] : []),
        ].join('-and-'),
        name: school.name,
        metres: from(school.point.latitudeDegrees, school.point.longitudeDegrees),
      })),
  );
  const stops = openStops(release);
  const stations = [...stops.stations()].map(({ kind, name, latitudeMicro, longitudeMicro }) => ({
    kind: 'station',
    category: kind,
    name,
    metres: from(latitudeMicro / 1e6, longitudeMicro / 1e6),
  }));
  const busStops = [...stops.busStops()].map(({ named, latitudeMicro, longitudeMicro }) => ({
    kind: 'stop',
    category: named?.type === 'BCT' ? 'bus-on-street' : 'bus-bay',
    name: named?.name ?? null,
    metres: from(latitudeMicro / 1e6, longitudeMicro / 1e6),
  }));
  const amenities = [...readBack(release)]
    .flatMap(({ found }) => found)
    .filter(({ kind }) => kind !== 'cycle-hire')
    .map((mapped) => {
      const nodes =
        mapped.kind === 'park' ? [...mapped.outline] : [mapped.latitudeMicro, mapped.longitudeMicro];
      const metres = nodes.flatMap((micro, at) =>
        at % 2 === 1 ? [] : [from(micro / 1e6, (nodes[at + 1] ?? 0) / 1e6)],
      );
      return {
        kind: 'amenity',
        category: mapped.kind,
        name: mapped.name || null,
        metres: Math.min(...metres),
      };
    });
  return [...schools, ...stations, ...busStops, ...amenities].filter(({ metres }) => metres <= radius);
}

test('a list has exactly what looking at every row finds, nearest first, at its place', async () => {
  const releases = [sample, town] as const;
  const postcodes = releases.map((release) => inUse(release).filter(({ point }) => point !== null));
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1),
      fc.nat(),
      fc.integer({ min: 100, max: 3_200 }),
      async (which, number, radius) => {
        const release = releases[which] ?? assert.fail();
        const place = postcodes[which]?.at(number % (postcodes[which]?.length ?? 1)) ?? assert.fail();
        const { kinds, places, total } = await listOf(release, {
          postcode: place.postcode,
          radius: String(radius),
        });
        const plural = { school: 'schools', station: 'stations', stop: 'stops', amenity: 'amenities' };
        const isKnown = ({ kind, category }: Seen) =>
          kinds[plural[kind as keyof typeof plural]]?.total !== null &&
          !(kind === 'station' && !openStops(release).covers.has(category));
        const expected = lookAround(release, place, radius).filter(isKnown);
        const write = ({ kind, category, name }: Pick<Seen, 'kind' | 'category' | 'name'>, metres: number) =>
          `${kind} ${category} ${name} ${metres}`;
        assert.deepEqual(
          places.map((one) => write(one, one.distanceMetres)).sort(),
          expected.map((one) => write(one, Math.round(one.metres))).sort(),
        );
        const isAnyKnown = Object.values(kinds).some((kind) => kind.total !== null);
        assert.equal(total, isAnyKnown ? places.length : null);
        for (const [kind, { total: own }] of Object.entries(kinds))
          assert.equal(
            own ?? 0,
            places.filter((one) => plural[one.kind as keyof typeof plural] === kind).length,
          );
        for (const [at, one] of places.entries()) {
          found.add(one.kind);
          assert.ok(at === 0 || (places[at - 1]?.distanceMetres ?? 0) <= one.distanceMetres);
          const { latitudeDegrees = 0, longitudeDegrees = 0 } = place.point ?? {};
          const metres = distanceMetres(latitudeDegrees, longitudeDegrees, one.latitude, one.longitude);
          assert.equal(Math.round(metres), one.distanceMetres);
        }
      },
    ),
    { numRuns: 60 },
  );
  assert.deepEqual([...found].sort(), ['amenity', 'school', 'station', 'stop']);
});

/** Figure of /area/statistics → the radius of its circle, and what a list there has to have as many of. */
const figures: Readonly<Record<string, readonly [number, (place: Place) => boolean]>> = {
  'schools.primary': [1_600, ({ kind, category }) => kind === 'school' && category.startsWith('primary')],
  'schools.secondary': [3_200, ({ kind, category }) => kind === 'school' && category.endsWith('secondary')],
  'transport.tubeStations': [1_600, ({ category }) => category === 'tube'],
  'transport.railStations': [3_000, ({ category }) => category === 'rail'],
  ...Object.fromEntries(
    Object.entries({
      supermarkets: 'supermarket',
      convenienceStores: 'convenience-store',
      restaurants: 'restaurant',
      cafes: 'cafe',
      takeaways: 'takeaway',
      pubsAndBars: 'pub-or-bar',
      gps: 'gp',
      pharmacies: 'pharmacy',
      dentists: 'dentist',
      hospitals: 'hospital',
      parks: 'park',
      playgrounds: 'playground',
      gyms: 'gym',
      libraries: 'library',
      postOffices: 'post-office',
      banks: 'bank',
    }).map(([figure, category]) => [
      `amenities.${figure}`,
      [
        figure === 'parks' ? 1_600 : figure === 'hospitals' ? 3_000 : 800,
        (place: Place) => place.kind === 'amenity' && place.category === category,
      ],
    ]),
  ),
};

test('counted within the same circle, a list has as many as /area/statistics says, and is null where that is', async () => {
  let compared = 0;
  for (const release of [sample, town]) {
    const postcodes = inUse(release).filter((_, index) => index % 7 === 0);
    for (const { postcode } of postcodes) {
      const { data } = await run(areaStatistics, release, { postcode });
      const lists = new Map<number, Answer>();
      for (const radius of [800, 1_600, 3_000, 3_200])
        lists.set(radius, await listOf(release, { postcode, radius: String(radius) }));
      for (const [figure, [radius, isCounted]] of Object.entries(figures)) {
        const [object = '', member = ''] = figure.split('.');
        const list = lists.get(radius) ?? assert.fail();
        const kind = object === 'transport' ? 'stations' : object;
        const count = list.places.filter(isCounted).length;
        const isNull = list.kinds[kind]?.total === null;
        // Of the Underground a place outside Great Britain knows that it has none.
        assert.equal(isNull ? null : count, data[object][member], `${postcode} ${figure}`);
        if (!isNull && count > 0) compared += 1;
      }
    }
  }
  assert.ok(compared > 100, `${compared} figures that are not 0`);
});

test('following Link gives every place once, in the order of one long page, and ends', async () => {
  const { key: test } = await rig.customer({ mode: 'test' });
  const first = '/api/v1/area/places?limit=7&radius=1500&postcode=zz11aa&kinds=stops,amenities';
  const whole = await listOf(town, { postcode: 'ZZ1 1AA', radius: '1500', kinds: 'stops,amenities' });
  const followed: Place[] = [];
  for (let url: string | undefined = first, pages = 0; url !== undefined; pages += 1) {
    // A test key has the limits of Basic.
    rig.clock.nowMs += pages % 9 === 8 ? 60_000 : 0;
    const reply = await rig.get(url, test);
    assert.equal(reply.statusCode, 200);
    followed.push(...reply.json().data.places);
    const link: string | undefined = reply.headers.link?.toString();
    const next: string | undefined =
      link && /^<https:\/\/data\.example\.org(\/[^>]+)>; rel="next"$/.exec(link)?.[1];
    assert.equal(next === undefined, link === undefined, `${link}`);
    url = next;
    assert.ok(pages < 200);
  }
  assert.deepEqual(followed, whole.places);
  assert.ok(whole.places.length > 14);
  const past = await run(areaPlaces, town, { postcode: 'ZZ1 1AA', offset: '100000' });
  assert.deepEqual([past.data.places, past.data.returned, past.outcome.nextPage], [[], 0, undefined]);
  assert.ok(past.data.total > 0);
});

test('as CSV comes the same page, what is unknown empty, with the address of the next', async () => {
  const query = 'postcode=NP10 8WA&radius=2000&limit=5';
  const { places }: Answer = (await rig.get(`/api/v1/area/places?${query}`, key)).json().data;
  const reply = await rig.get(`/api/v1/area/places?${query}`, key, { accept: 'text/csv' });
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
  assert.match(String(reply.headers.link), /[?&]offset=5\b.*>; rel="next"$/);
  const [titles = '', ...rows] = reply.body.trimEnd().split('\r\n');
  assert.equal(
    titles,
    'kind,category,name,code,latitude,longitude,distanceMetres,phase,rating,framework,inspectionDate',
  );
  assert.equal(rows.length, 5);
  for (const [at, row] of rows.entries()) {
    const place = places[at] ?? assert.fail();
    assert.ok(row.startsWith(`${place.kind},${place.category},`), row);
    assert.ok(row.includes(`,${place.latitude},${place.longitude},${place.distanceMetres},`), row);
  }
});

test('only the kinds that are asked for are listed and told', async () => {
  const { data } = await run(areaPlaces, town, {
    postcode: 'ZZ1 1AA',
    kinds: 'Stations, schools',
    radius: '3200',
  });
  assert.deepEqual(Object.keys(data.kinds), ['schools', 'stations']);
  assert.deepEqual(new Set(data.places.map(({ kind }: Place) => kind)), new Set(['school', 'station']));
});

test('the day in the header is not newer than any extract that the map was put together from', async () => {
  for (const postcode of ['PO33 2RX', 'LE15 6QU', 'NP10 8WA']) {
    const { headers } = await rig.get(`/api/v1/area/places?postcode=${postcode}&kinds=amenities`, key);
    assert.equal(headers['x-data-as-of'], '2015-01-01', postcode);
  }
});

test('a kind that nobody knows of is null with the reason, told in the header, and free where no other is asked for', async () => {
  const reply = await rig.get('/api/v1/area/places?postcode=NP10 8WA&kinds=stops,schools&radius=800', key);
  const { kinds } = reply.json().data;
  assert.deepEqual(kinds.stops, { total: null, lacking: 'bus stops in this area are not loaded' });
  assert.ok(kinds.schools.total > 0);
  assert.match(
    String(reply.headers['x-data-coverage']),
    /^sample, partial; stops: bus stops in this area are not loaded$/,
  );
  assert.equal(reply.headers['x-credits-charged'], '1');
  const none = await rig.get('/api/v1/area/places?postcode=NP10 8WA&kinds=stops', key);
  assert.equal(none.statusCode, 200);
  assert.match(String(none.headers['x-data-coverage']), /^none; stops: /);
  assert.equal(none.headers['x-credits-charged'], '0');
  assert.equal(none.json().billing.creditsCharged, 0);
});

test('words about stations that are left out mean none that are listed', async () => {
  const reply = await rig.get('/api/v1/area/places?postcode=SW1A 1AA&kinds=stations', key);
  const { kinds, places }: Answer = reply.json().data;
  assert.ok(places.some(({ category }) => category === 'tube'));
  assert.ok(places.every(({ category }) => category !== 'metro'));
  assert.equal(
    kinds.stations?.lacking,
    'tram, light rail and metro stations other than the Underground are not loaded in full, so they are left out',
  );
});

test('in Northern Ireland and for a postcode without a point it is said why, kind by kind', async () => {
  const home = openTestHome();
  try {
    const made = madeDirectory([
      { postcode: 'BT1 1AA', country: 'northernIreland', point: [54.6, -5.93] },
      { postcode: 'ZZ1 1AB', country: 'england' },
      { postcode: 'ZZ1 1AD', country: 'england', point: [54.18, 0.91], terminated: '202001' },
    ]);
    const { release } = await home.ingest([
      home.put('ONSPD_NOV_2025_UK.csv', made),
      ...['naptan.csv', 'map.osm.pbf'].map((name) => path.join(root, 'data/sandbox', name)),
    ]);
    const belfast = (await run(areaPlaces, release, { postcode: 'BT1 1AA' })).data;
    const lackingOf = (data: Answer) =>
      Object.values(data.kinds).map(({ total, lacking }) => [total, lacking]);
    const naptan = 'the list of stations and stops (NaPTAN) covers Great Britain, not Northern Ireland';
    assert.deepEqual(lackingOf(belfast), [
      [null, 'there is no list of schools to load for this nation'],
      [null, naptan],
      [null, naptan],
      [null, 'the circle reaches beyond what the loaded map covers'],
    ]);
    const nowhere = (await run(areaPlaces, release, { postcode: 'ZZ1 1AB' })).data;
    assert.deepEqual([nowhere.latitude, nowhere.longitude, nowhere.total], [null, null, null]);
    assert.equal(belfast.total, null);
    assert.deepEqual(lackingOf(nowhere), Array(4).fill([null, 'this postcode has no grid reference']));
    const prepared = areaPlaces.prepare(new URLSearchParams({ postcode: 'ZZ1 1AD' }));
    assert.ok(prepared.kind === 'prepared');
    const gone = await prepared.run({ release, today: 20_772 });
    assert.ok(gone.kind === 'refused');
    assert.deepEqual([gone.code, gone.extras.terminated], ['POSTCODE_NOT_FOUND', '2020-01']);
  } finally {
    home.remove();
  }
});

test('bad parameters are refused by name; what is out of bounds is clamped but for the radius', async () => {
  for (const [query, status, code, field] of [
    ['', 400, 'MISSING_POSTCODE', 'postcode'],
    ['postcode=nope', 400, 'INVALID_POSTCODE', 'postcode'],
    ['postcode=NP10 8WA&kinds=pubs', 400, 'INVALID_PARAMETER', 'kinds'],
    ['postcode=NP10 8WA&radius=99', 400, 'INVALID_PARAMETER', 'radius'],
    ['postcode=NP10 8WA&radius=3201', 400, 'INVALID_PARAMETER', 'radius'],
    ['postcode=NP10 8WA&limit=ten', 400, 'INVALID_PARAMETER', 'limit'],
    ['postcode=ZZ1 1AA', 404, 'POSTCODE_NOT_FOUND', undefined],
  ] as const) {
    const reply = await rig.get(`/api/v1/area/places?${query}`, key);
    const { error } = reply.json();
    assert.deepEqual([reply.statusCode, error.code, error.field], [status, code, field], query);
  }
  const { data } = await run(areaPlaces, town, { postcode: 'ZZ1 1AA', limit: '0', offset: '-3' });
  assert.deepEqual([data.returned, data.offset], [1, 0]);
});

test('whatever is sent, the answer is in the envelope and never a fault of the service', async () => {
  const name = fc.constantFrom('postcode', 'kinds', 'radius', 'limit', 'offset', 'x');
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('NP10 8WA', 'schools', 'stops,,stops', '800', '1e3', '9007199254740993'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (pairs) => {
      const reply = await rig.get(`/api/v1/area/places?${new URLSearchParams(pairs)}`, key);
      assert.ok([200, 400, 404].includes(reply.statusCode), `${reply.statusCode}`);
      assert.equal(reply.json().success, reply.statusCode === 200);
    }),
    { numRuns: 200 },
  );
});
