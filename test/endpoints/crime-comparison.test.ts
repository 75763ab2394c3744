// compare=true of GET /crime/by-postcode: force and nation are what one counts by hand in the files, months that a force did not
// publish are in nobody's sum, and what is not known is null with a sentence that says why.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import type { Release } from '../../src/release/reader.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { forceCategoriesPart } from '../../src/tables/crime/force-categories.ts';
import { formatMonth, parseMonth } from '../../src/uk/calendar.ts';
import { crimeCategories, findForceOfArea, territorialForces, transportPolice } from '../../src/uk/police.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

type Totals = {
  readonly total: number | null;
  readonly monthlyTotals: Readonly<Record<string, number>> | null;
  readonly byCategory: Readonly<Record<string, number>> | null;
};
type Told = {
  readonly policeForce: string;
  readonly totalCrimes: number;
  readonly monthlyTotals: Readonly<Record<string, number>>;
  readonly comparison: {
    readonly months: readonly string[];
    readonly here: { readonly byCategory: Readonly<Record<string, number>> };
    readonly force: Totals & { readonly name: string };
    readonly nation: Totals & {
      readonly name: string;
      readonly forces: readonly string[];
      readonly missing: readonly string[];
    };
    readonly lacking: readonly string[];
  };
};

async function ask(release: Release, query: string): Promise<Told> {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared', query);
  const outcome = await prepared.run({ release, today: 20_772 });
  assert.ok(outcome.kind === 'answered', query);
  return JSON.parse(outcome.json);
}

const newest = parseMonth('2025-06') ?? 0;
const months = Array.from({ length: 5 }, (_, at) => newest - 4 + at);

/** A row of a file as it is made up; `place` is false where the police gave none. */
type Row = {
  readonly month: number;
  readonly force: string;
  readonly slug: string;
  readonly hasPlace: boolean;
};

const areasOf = [
  ...Array.from({ length: 39 }, (_, at) => `E230000${String(at + 1).padStart(2, '0')}`),
  'W15000001',
  'W15000002',
].flatMap((area) => {
  const force = findForceOfArea(area);
  return force === undefined || force === 'Greater Manchester Police' ? [] : [{ area, force }];
});
/** Thirty of the forces of England and Wales, far from each other, so that a circle has crimes of one of them. */
const loaded = areasOf.slice(0, 30).map(({ area, force }, at) => ({
  area,
  force,
  point: [51 + Math.floor(at / 6) / 2, -2 + (at % 6) / 2] as const,
}));

/** Of most months of most forces more rows than make a month; of some none. */
const made: readonly Row[] = fc
  .sample(
    fc.tuple(
      ...loaded.flatMap(({ force }) =>
        months.map((month) =>
          fc.record({
            force: fc.constant(force),
            month: fc.constant(month),
            isAbsent: fc.nat(99).map((chance) => chance < 4),
            rows: fc.array(
              fc.record({
                slug: fc.constantFrom(...crimeCategories.map(({ slug }) => slug)),
                hasPlace: fc.nat(9).map((chance) => chance > 0),
              }),
              { minLength: 60, maxLength: 75 },
            ),
          }),
        ),
      ),
    ),
    { numRuns: 1, seed: 7 },
  )
  .flat()
  .flatMap(({ force, month, isAbsent, rows }) =>
    isAbsent && month !== newest ? [] : rows.map((row) => ({ ...row, force, month })),
  );

const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const typeOf = new Map(crimeCategories.map(({ slug, name }) => [slug, name]));

function csvOf(force: string, month: number): string {
  const [latitude = 0, longitude = 0] = loaded.find((one) => one.force === force)?.point ?? [51.5, -0.1];
  const rows = made.filter((row) => row.force === force && row.month === month);
  const lines = rows.map(({ slug, hasPlace }) => {
    const where = hasPlace ? `${longitude},${latitude},On or near A Street` : ',,No Location';
    return `,${formatMonth(month)},${force},${force},${where},,,${typeOf.get(slug)},,`;
  });
  return `${[titles, ...lines].join('\n')}\n`;
}

const postcodeAt = (at: number) => `ZZ${1 + Math.floor(at / 10)} 1A${'ABDEFGHJLN'.charAt(at % 10)}`;
const directory = madeDirectory(
  loaded.map(
    ({ area, point }, at): MadePostcode => ({
      postcode: postcodeAt(at),
      country: 'england',
      point,
      policeArea: area,
    }),
  ),
);

let home: TestHome;
let rig: Rig;
let key: string;
let release: Release;
before(async () => {
  home = openTestHome();
  const files = loaded.flatMap(({ force }, at) =>
    months
      .filter((month) => made.some((row) => row.force === force && row.month === month))
      .map((month) => home.put(`${formatMonth(month)}-force${at}-street.csv`, csvOf(force, month))),
  );
  ({ release } = await home.ingest([...files, home.put('ONSPD_NOV_2025_UK.csv', directory)]));
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000 }));
});
after(async () => {
  await rig.close();
  home.remove();
});

/** By hand, in the rows themselves. */
function countByHand(forces: readonly string[], wanted: readonly number[]) {
  const rows = made.filter(({ force, month }) => forces.includes(force) && wanted.includes(month));
  const counts = (some: readonly Row[]) =>
    Object.fromEntries(
      Array.from(
        Map.groupBy(some, ({ slug }) => slug),
        ([slug, own]) => [slug, own.length],
      ),
    );
  return {
    total: rows.length,
    monthlyTotals: Object.fromEntries(
      wanted.map((month) => [formatMonth(month), rows.filter((row) => row.month === month).length]),
    ),
    byCategory: counts(rows.filter(({ hasPlace }) => hasPlace)),
  };
}

const totalsOf = ({ total, monthlyTotals, byCategory }: Totals) => ({ total, monthlyTotals, byCategory });

test('force and nation are what is counted by hand in the files, for any force and any months', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(loaded.length - 1), fc.integer({ min: 1, max: 5 }), async (at, count) => {
      const force = loaded[at]?.force ?? '';
      const published = (name: string, month: number) =>
        made.some((row) => row.force === name && row.month === month);
      const wanted = months.slice(-count).filter((month) => published(force, month));
      const { comparison, totalCrimes, policeForce } = await ask(
        release,
        `postcode=${postcodeAt(at)}&months=${count}&compare=true`,
      );
      assert.equal(policeForce, force);
      assert.deepEqual(comparison.months, wanted.map(formatMonth));
      assert.equal(comparison.force.name, force);
      const byHand = countByHand([force], wanted);
      assert.deepEqual(totalsOf(comparison.force), byHand);
      // Nobody else reports within the circle.
      assert.deepEqual(comparison.here.byCategory, byHand.byCategory);
      assert.equal(
        totalCrimes,
        Object.values(byHand.byCategory).reduce((sum, own) => sum + own, 0),
      );
      const whole = territorialForces.filter((name) => wanted.every((month) => published(name, month)));
      assert.deepEqual(comparison.nation.forces, whole);
      assert.deepEqual(
        comparison.nation.missing,
        territorialForces.filter((name) => !whole.includes(name)),
      );
      assert.equal(comparison.nation.name, 'England and Wales');
      if (whole.length < territorialForces.length / 2) {
        assert.deepEqual(totalsOf(comparison.nation), { total: null, monthlyTotals: null, byCategory: null });
        assert.match(comparison.lacking.join(), /too few to speak for it/);
        return;
      }
      told += 1;
      assert.deepEqual(totalsOf(comparison.nation), countByHand(whole, wanted));
      assert.deepEqual(comparison.lacking, []);
    }),
    { numRuns: 120 },
  );
  assert.ok(told > 20 && told < 100, `${told} of 120 had a nation, so that both are seen`);
});

test('a release that was made before forces were counted has their totals, and says why categories are null', async () => {
  const own = openTestHome();
  try {
    const files = loaded.map(({ force }, at) =>
      own.put(`${formatMonth(newest)}-force${at}-street.csv`, csvOf(force, newest)),
    );
    const before = derivations.filter(({ part }) => part !== forceCategoriesPart.part);
    const older = await own.ingest([...files, own.put('ONSPD_NOV_2025_UK.csv', directory)], sources, before);
    const { comparison } = await ask(older.release, `postcode=${postcodeAt(0)}&months=1&compare=true`);
    const byHand = countByHand([loaded[0]?.force ?? ''], [newest]);
    assert.deepEqual(totalsOf(comparison.force), { ...byHand, byCategory: null });
    assert.equal(comparison.nation.byCategory, null);
    assert.match(comparison.lacking.join(), /the next load counts them/);
  } finally {
    own.remove();
  }
});

const get = async (query: string, withKey: string) => {
  const reply = await rig.get(`/api/v1/crime/by-postcode?${query}`, withKey);
  return { status: reply.statusCode, ...reply.json() };
};

test('around a bundled place the force has its months, and the sentences say what the sample lacks', async () => {
  const { data } = await get('postcode=NP10 8WA&months=24&compare=true', key);
  const { comparison }: Told = data;
  assert.equal(comparison.force.name, 'Gwent Police');
  assert.equal(comparison.months.length, 24);
  for (const month of comparison.months) {
    const [force = 0, here = 0] = [comparison.force.monthlyTotals?.[month], data.monthlyTotals[month]];
    assert.ok(force > 1_000 && here < force, `${month}: ${here} of ${force}`);
  }
  assert.equal(comparison.force.byCategory, null);
  assert.deepEqual(totalsOf(comparison.nation), { total: null, monthlyTotals: null, byCategory: null });
  assert.equal(comparison.lacking.length, 2);
});

test('in the fictional town months that a force did not publish are in no sum, and it counts as missing', async () => {
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const { data: welsh } = await get('postcode=ZZ3 1AA&compare=true&points=true', testKey);
  const { comparison }: Told = welsh;
  assert.deepEqual(
    Object.entries(welsh.monthCoverage).flatMap(([month, state]) => (state === 'missing' ? [month] : [])),
    ['2026-03', '2026-09'],
  );
  assert.deepEqual(comparison.months, Object.keys(welsh.monthlyTotals));
  assert.deepEqual(Object.keys(comparison.force.monthlyTotals ?? {}), Object.keys(welsh.monthlyTotals));
  assert.deepEqual(comparison.nation.forces, ['Zedborth Police', 'Zedbury Constabulary'].toSorted());
  const { data: english } = await get('postcode=ZZ1 1AA&compare=true', testKey);
  assert.deepEqual(english.comparison.nation.missing, ['Zedborth Police']);
  assert.equal(english.comparison.nation.forces.includes(transportPolice), false);
});

test('without compare the answer is the contract’s; a table has no comparison; one category is not compared', async () => {
  const { data } = await get('postcode=EC2Y 8DL', key);
  assert.equal('comparison' in data || 'monthCoverage' in data, false);
  const csv = (query: string) => rig.get(`/api/v1/crime/by-postcode?${query}`, key, { accept: 'text/csv' });
  const [plain, compared] = [await csv('postcode=EC2Y 8DL'), await csv('postcode=EC2Y 8DL&compare=true')];
  assert.equal(compared.body, plain.body);
  const refused = await get('postcode=EC2Y 8DL&compare=true&category=burglary', key);
  assert.equal(refused.status, 400);
  assert.equal(refused.error.code, 'INVALID_PARAMETER');
  assert.equal(refused.error.field, 'compare');
});
