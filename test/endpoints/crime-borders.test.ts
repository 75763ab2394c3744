// GET /crime/by-postcode where the circle crosses into the area of another force: what is not loaded of that is told.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import type { Release } from '../../src/release/reader.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { openHomeWithSample, openTestHome, type TestHome } from '../ingest/home.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

async function ask(query: string, release: Release) {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared');
  return prepared.run({ release, today: 20_772 });
}

async function shortageOf(query: string, release: Release) {
  const outcome = await ask(query, release);
  assert.ok(outcome.kind === 'answered');
  return outcome.grounds.shortage;
}

const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
const street = (month: string, force: string, rows = 100) =>
  titles + `,${month},${force},${force},0.1,51.2,On or near X,E01024000,X 001A,Drugs,,\n`.repeat(rows);

const areas = {
  'Kent Police': 'E23000032',
  'Surrey Police': 'E23000031',
  'Sussex Police': 'E23000033',
  'Essex Police': 'E23000028',
} as const;
type Force = keyof typeof areas;
const forces = ['Kent Police', 'Surrey Police', 'Sussex Police', 'Essex Police'] as const;

type Placed = { readonly postcode: string; readonly force: Force; readonly point: readonly [number, number] };
const letters = 'ABDEFGHJLNPQRSTUWXYZ';
const placed: readonly Placed[] = fc
  .sample(
    fc.tuple(
      fc.constantFrom(...forces),
      fc.integer({ min: 51_000_000, max: 51_150_000 }),
      fc.integer({ min: -100_000, max: 150_000 }),
    ),
    { numRuns: 300, seed: 1 },
  )
  .map(([force, latitude, longitude], at) => ({
    postcode: `TN${1 + Math.floor(at / 100)} ${Math.floor(at / 20) % 5}A${letters[at % 20]}`,
    force,
    point: [latitude / 1e6, longitude / 1e6],
  }));

const nameIn =
  /also reaches into the area of ([^,]+), whose data is not loaded in usable form(?: for ([^;]+))?/g;

test('every force with a postcode in the circle is told if months of the answer are not loaded of it, and no other', async (t) => {
  const files = [
    home.put('k1.csv', street('2024-11', 'Kent Police')),
    home.put('k2.csv', street('2024-12', 'Kent Police')),
    home.put('b1.csv', street('2024-11', 'British Transport Police')),
    home.put('b2.csv', street('2024-12', 'British Transport Police')),
    home.put('s1.csv', street('2024-11', 'Surrey Police')),
    home.put('s2.csv', street('2024-12', 'Surrey Police')),
    home.put('x2.csv', street('2024-12', 'Sussex Police')),
    home.put(
      'ONSPD_NOV_2025_UK.csv',
      madeDirectory(
        placed.map(({ postcode, force, point }) => ({
          postcode,
          country: 'england',
          point,
          policeArea: areas[force],
        })),
      ),
    ),
  ];
  // As a version made it that worked out whose ground it is at the first call.
  const { release: older } = await home.ingest(files, undefined, []);
  const other = openTestHome();
  t.after(() => other.remove());
  const { release } = await other.ingest(files);
  assert.deepEqual(
    [release, older].map((made) => made.has('crime-ground')),
    [true, false],
  );
  const whole = placed.filter(({ force }) => force === 'Kent Police' || force === 'Surrey Police');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...whole),
      fc.integer({ min: 100, max: 5_000 }),
      fc.integer({ min: 1, max: 2 }),
      async ({ postcode, point }, radius, months) => {
        const near = new Set(
          placed
            .filter(({ point: other }) => distanceMetres(...point, ...other) <= radius)
            .map(({ force }) => force),
        );
        const expected = [
          ...(near.has('Essex Police') ? [['Essex Police', undefined]] : []),
          ...(near.has('Sussex Police') && months === 2 ? [['Sussex Police', '2024-11']] : []),
        ];
        const query = `postcode=${postcode}&radius=${radius}&months=${months}`;
        const shortage = await shortageOf(query, release);
        assert.equal(await shortageOf(query, older), shortage);
        assert.deepEqual(
          [...(shortage ?? '').matchAll(nameIn)].map(([, name, which]) => [name, which]),
          expected,
        );
        assert.equal(shortage?.startsWith('partial; ') ?? false, expected.length > 0);
      },
    ),
    { numRuns: 300 },
  );
});

test('Scotland publishes nothing, which a circle across the border says; a postcode that was given up tells nothing', async () => {
  const made: readonly MadePostcode[] = [
    { postcode: 'CA6 5AA', country: 'england', point: [55.0, -3.05], policeArea: 'E23000002' },
    { postcode: 'DG16 5AA', country: 'scotland', point: [55.01, -3.05], authority: 'S12000006' },
    { postcode: 'CA6 5AB', country: 'england', point: [55.0, -2.9], policeArea: 'E23000002' },
    {
      postcode: 'DG16 5AB',
      country: 'scotland',
      point: [55.0, -2.9],
      authority: 'S12000006',
      terminated: '201001',
    },
  ];
  const { release } = await home.ingest([
    home.put('c.csv', street('2024-12', 'Cumbria Constabulary')),
    home.put('b.csv', street('2024-12', 'British Transport Police')),
    home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(made)),
  ]);
  assert.equal(
    await shortageOf('postcode=CA6 5AA&months=1', release),
    'partial; the circle also reaches into the area of Police Scotland, whose data is not loaded in usable form',
  );
  assert.equal(await shortageOf('postcode=CA6 5AA&months=1&radius=1000', release), undefined);
  assert.equal(await shortageOf('postcode=CA6 5AB&months=1', release), undefined);
});

test('the bundled City of London says whose crimes its circles lack', async () => {
  home.remove();
  home = await openHomeWithSample();
  const release = home.store.openCurrent();
  for (const query of ['postcode=EC2Y 8DL', 'postcode=EC2Y 8DL&radius=5000'])
    assert.equal(
      await shortageOf(query, release),
      'partial; the sample does not have crimes in the circle that Metropolitan Police Service and British Transport Police reported',
    );
  assert.equal(
    await shortageOf('postcode=NP10 8WA', release),
    'partial; no data of British Transport Police, whose crimes lie on railways in every area, is loaded',
  );
});

test('with the postcodes of the sample and files of the City alone, its circles lack the Metropolitan Police', async () => {
  home.remove();
  home = await openHomeWithSample();
  const { release } = await home.ingest([
    home.put('c.csv', street('2024-12', 'City of London Police')),
    home.put('b.csv', street('2024-12', 'British Transport Police')),
  ]);
  assert.equal(
    await shortageOf('postcode=EC2Y 8DL&months=1', release),
    'partial; the circle also reaches into the area of Metropolitan Police Service, whose data is not loaded in usable form',
  );
  const both = await home.ingest([home.put('m.csv', street('2024-12', 'Metropolitan Police Service'))]);
  assert.equal(await shortageOf('postcode=EC2Y 8DL&months=1', both.release), undefined);
});
