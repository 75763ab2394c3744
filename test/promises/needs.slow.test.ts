// Promise: what an endpoint says of its needs is so. A release with every dataset loses them one after another, as an
// operator's does who has not loaded the file; exactly the fields that the endpoints name are null then.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bundledFolder, sandbox } from '../../src/cli/bundled/bundled.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { exampleParams } from '../../src/contract/examples.ts';
import { findLost } from '../../src/contract/missing-datasets.ts';
import { datasetsReadBy, type Holding, type Need } from '../../src/contract/needs.ts';
import { type DatasetName, datasetNames } from '../../src/datasets.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { statisticalAreas } from '../../src/endpoints/postcodes/areas.ts';
import { type Field, fieldsOf } from '../../src/http/docs/fields.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import type { Release } from '../../src/release/reader.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig } from '../rig.ts';
import { nisraCsv } from '../sources/census/files.ts';
import { contactBook, contactRow, welshBook, welshRow } from '../sources/schools/desk.ts';

let home: TestHome;
let whole: Release;
let answered: readonly Told[];
/** The files of each dataset. */
const filesOf = new Map<DatasetName, readonly string[]>();

const zone = 'N20999001';

/** The town's postcodes, one in Northern Ireland, and one so far out that the map does not reach it. */
function directory(): string {
  const text = readFileSync(path.join(bundledFolder, 'sandbox/postcodes.csv'), 'utf8').trimEnd();
  const [english = ''] = text.split('\n').filter((line) => line.startsWith('"ZZ1 1AA"'));
  const outward = english.replaceAll('ZZ1', 'ZZ6').replace(',54.180581,0.909995,', ',51.519917,-0.093562,');
  const northern = english
    .replaceAll('ZZ1', 'ZZ5')
    .replaceAll('E92000001', 'N92000002')
    .replaceAll('E01999001', zone)
    .replaceAll('E06000999', 'N09000003')
    .replaceAll('E23000999', 'N23000009');
  return `${[text, outward, northern].join('\n')}\n`;
}

/** The town's, and one where the map does not reach. */
function docks(): string {
  const list = JSON.parse(readFileSync(path.join(bundledFolder, 'sandbox/bikepoint.json'), 'utf8'));
  return JSON.stringify([...list, { ...list[0], id: 'BikePoints_9999', lat: 51.519917, lon: -0.093562 }]);
}

const ages = nisraCsv(
  'Age',
  Array.from({ length: 86 }, (_, age) => [zone, age, age === 85 ? '85 and over' : String(age), 1]),
);
const sizes = nisraCsv(
  'Household Size - 8 Categories',
  Array.from({ length: 8 }, (_, at) => [
    zone,
    at + 1,
    at === 0 ? '1 person' : at === 7 ? '8 or more people' : `${at + 1} people`,
    3,
  ]),
);
const activity = nisraCsv('Economic Activity - 7 Categories A', [
  [zone, -8, 'No code required', 20],
  [zone, 1, 'Economically active (excluding full-time students): Employee', 10],
  [zone, 2, 'Economically active (excluding full-time students): Self-employed', 3],
  [zone, 3, 'Economically active (excluding full-time students): Unemployed', 1],
  [zone, 4, 'Economically active and a full-time student: In employment', 2],
  [zone, 5, 'Economically active and a full-time student: Unemployed', 1],
  [zone, 6, 'Economically inactive: Retired', 13],
]);

let made = 0;
const build = (paths: readonly string[]) => {
  made += 1;
  return runIngest({
    paths,
    sources,
    derivations,
    store: home.store,
    base: undefined,
    id: `made-${made}`,
    // So that a town of a few areas can be compared.
    kind: 'sandbox',
    atMs: Date.UTC(2026, 10, 15, 12, made),
    progress: noProgress,
  });
};

before(async () => {
  home = openTestHome();
  const own = {
    'ONSPD_NOV_2025_UK.csv': directory(),
    'names.csv': `LAD25CD,LAD25NM\nE06000999,Zedbury\nW06000999,Zedborth\nS12000999,Zedhaven\n`,
    'ages.csv': ages,
    'sizes.csv': sizes,
    'activity.csv': activity,
    'bikepoint.json': docks(),
    'scotland.xlsx': contactBook([
      contactRow(5_900_001, 'Zedhaven Primary School', 'ZZ4 1AA', { primary: 'Yes' }),
    ]),
    'wales.ods': welshBook([
      welshRow(9992001, 'Ysgol Gynradd Zedborth', 'Primary', 'Infants & Juniors', 'ZZ3 1AA'),
    ]),
  };
  const paths = [
    ...sandbox.files
      .filter((file) => !['sandbox/postcodes.csv', 'sandbox/bikepoint.json'].includes(file))
      .map((file) => path.join(bundledFolder, file)),
    ...Object.entries(own).map(([name, content]) => home.put(name, content)),
  ];
  const report = await build(paths);
  for (const { dataset, files } of report.sources) {
    filesOf.set(dataset, [...new Set(files.map(({ name }) => name.split(' > ')[0] ?? name))]);
  }
  whole = report.release;
  answered = await askAll(whole);
});
after(() => home.remove());

/** Every eighth postcode of the release is asked for where one is a parameter; else the example call. */
const calls = () => {
  const postcodes = [...openPostcodes(whole).inArea('ZZ')]
    .map(({ postcode }) => postcode)
    .filter((postcode, index) => index % 8 === 0 || /^ZZ[56]/.test(postcode));
  return endpoints.flatMap((endpoint) => {
    const example = (exampleParams(endpoint, 'sandbox') ?? []).map(([name, value]) => [name, String(value)]);
    const isOfPlaces = ['/area/statistics', '/area/places', '/crime/by-postcode'].includes(endpoint.path);
    return (isOfPlaces ? postcodes : [undefined]).map((postcode) => {
      const query = new URLSearchParams(Object.fromEntries(example));
      if (postcode !== undefined) query.set('postcode', postcode);
      // Members that come only where they are asked for need datasets too.
      if (endpoint.path === '/area/sold-prices') query.set('include', 'positions');
      return { endpoint, url: `/api/v1${endpoint.path}?${query}` };
    });
  });
};

const isGiven = (value: unknown) =>
  value !== null && !/^(Unavailable|Unknown|Not (available|compared): .*)$/.test(String(value));

/** "crime.score" → whether there is one; members of the items of a list have one path together. */
function leavesOf(value: unknown, place: string, leaves = new Map<string, boolean>()): Map<string, boolean> {
  if (Array.isArray(value)) for (const item of value) leavesOf(item, place, leaves);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = place === '' ? name : `${place}.${name}`;
      if (name === 'basis') leavesOfBasis(member, at, leaves);
      else leavesOf(member, at, leaves);
    }
  } else leaves.set(place, leaves.get(place) === true || isGiven(value));
  return leaves;
}

/** What a basis says of figures that are not given goes with them; what else it lacks is told apart by dataset. */
function leavesOfBasis(entries: unknown, place: string, leaves: Map<string, boolean>): void {
  assert.ok(Array.isArray(entries));
  for (const { dataset, geographyCode, geographyName } of entries) {
    if (geographyCode !== null) leaves.set(`${place}.geographyName (${dataset})`, geographyName !== null);
  }
}

type Told = 'refused' | ReadonlyMap<string, boolean>;

async function askAll(release: Release): Promise<readonly Told[]> {
  const rig = await openRig({ live: () => release });
  try {
    const { key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 10_000 });
    const told: Told[] = [];
    for (const { endpoint, url } of calls()) {
      const reply = await rig.get(url, key);
      const { data, ...top } = reply.json();
      const answer =
        endpoint.envelope === 'data' ? data : { current: top.current, rateChanges: top.rateChanges };
      told.push(reply.statusCode === 200 ? leavesOf(answer, '') : 'refused');
    }
    return told;
  } finally {
    await rig.close();
  }
}

type Loss = {
  readonly lost: ReadonlySet<string>;
  /** What a basis said of figures that are lost themselves. */
  readonly withThem: ReadonlySet<string>;
};

function lostBetween(had: Told, has: Told): Loss {
  if (had === 'refused') return { lost: new Set(), withThem: new Set() };
  if (has === 'refused') return { lost: new Set(['every answer']), withThem: new Set() };
  const gone = [...had].filter(([leaf, given]) => given && has.get(leaf) !== true).map(([leaf]) => leaf);
  const isWithThem = (leaf: string) => leaf.includes(' ') && !has.has(leaf);
  return {
    lost: new Set(gone.filter((leaf) => !isWithThem(leaf)).map(fieldOf)),
    withThem: new Set(gone.filter(isWithThem).map(fieldOf)),
  };
}

const fieldOf = (leaf: string) => leaf.replace(/ .*$/, '');
const covers = (field: string, leaf: string) => leaf === field || leaf.startsWith(`${field}.`);
const fieldsIn = ({ fields }: Pick<Need, 'fields'>) => (fields === 'every answer' ? [fields] : fields);

/** Holds what the calls lost against what the needs say. */
async function compare(
  without: Release,
  needsOf: (endpoint: Endpoint) => readonly Pick<Need, 'fields' | 'where'>[],
) {
  const has = await askAll(without);
  const lostOf = new Map<Endpoint, string[]>();
  for (const [index, { endpoint, url }] of calls().entries()) {
    const had = answered[index] ?? assert.fail();
    const { lost, withThem } = lostBetween(had, has[index] ?? assert.fail());
    const needs = needsOf(endpoint);
    for (const leaf of lost) {
      assert.ok(
        needs.some((need) => fieldsIn(need).some((field) => covers(field, leaf))),
        `${url} lost ${leaf}, which no need names`,
      );
    }
    lostOf.set(endpoint, [...(lostOf.get(endpoint) ?? []), ...lost, ...withThem]);
    if (had === 'refused' || lost.has('every answer')) continue;
    // Without a `where` no place keeps it.
    for (const field of needs.filter(({ where }) => where === undefined).flatMap(fieldsIn)) {
      const given: readonly string[] = [...had]
        .filter(([, isThere]) => isThere)
        .map(([leaf]) => fieldOf(leaf));
      const kept: readonly string[] = given.filter(
        (leaf) => covers(field, leaf) && !lost.has(leaf) && !withThem.has(leaf),
      );
      assert.deepEqual(kept, [], `${url} kept ${field}`);
    }
  }
  for (const [endpoint, lost] of lostOf) {
    for (const field of needsOf(endpoint).flatMap(fieldsIn)) {
      assert.ok(
        lost.some((leaf) => covers(field, leaf)),
        `${field} of ${endpoint.path} was never lost`,
      );
    }
  }
}

test('the release that everything is taken from has every dataset, and every call is answered in one place or another', () => {
  assert.deepEqual(whole.datasets.map(({ name }) => name).sort(), [...datasetNames].sort());
  const served = new Set(
    calls().flatMap(({ endpoint }, index) => (answered[index] === 'refused' ? [] : [endpoint])),
  );
  assert.deepEqual([...served], [...endpoints]);
});

for (const dataset of datasetNames) {
  test(`without ${dataset}, exactly the fields are null that the endpoints say need it`, async () => {
    const kept = [...filesOf].flatMap(([name, files]) => (name === dataset ? [] : files));
    const { release } = await build(kept.filter((file) => !dependsOn(file, dataset)));
    assert.equal(release.findDataset(dataset), undefined);
    await compare(release, (endpoint) =>
      endpoint.datasets.includes(dataset)
        ? [{ fields: 'every answer' }]
        : endpoint.needs.filter((need) => need.dataset === dataset && need.holding === undefined),
    );
    const told = findLost(endpoints, whole, release).find(({ name }) => name === dataset);
    assert.deepEqual(
      new Set(told?.fields.map(({ endpoint }) => endpoint)),
      new Set(endpoints.filter((one) => datasetsReadBy(one).includes(dataset)).map(({ path: own }) => own)),
    );
  });
}

/** Lists of schools without coordinates are refused where their postcodes are not loaded. */
const dependsOn = (file: string, dataset: DatasetName) =>
  dataset === 'postcodes' && /wales\.ods|scotland\.xlsx|gias\.csv/.test(file);

test('postcodes without statistical areas take exactly the fields with them that the endpoints say need those', async () => {
  const areas = /"[EWSN](01|20)999\d{3}"|"S01\d{6}"/g;
  const bare = home.put('bare/ONSPD_NOV_2025_UK.csv', directory().replace(areas, '"E99999999"'));
  const kept = [...filesOf].flatMap(([name, files]) => (name === 'postcodes' ? [] : files));
  const { release } = await build([...kept, bare]);
  await compare(release, ({ needs }) => needs.filter(({ holding }) => holding === statisticalAreas));
  const lost = findLost(endpoints, whole, release);
  assert.deepEqual(
    lost.map(({ name, what, publication }) => [name, what, publication]),
    [['postcodes', 'statistical areas (LSOA)', 'ONS Postcode Directory (ONSPD)']],
  );
  assert.deepEqual(lost[0]?.fills, [
    'crime of /area/statistics',
    'population, populationDensity, medianAge, households, averageHouseholdSize, employmentRate in demographics of /area/statistics',
    'lsoa of /postcodes/lookup',
  ]);
  assert.deepEqual(findLost(endpoints, release, whole), []);
  assert.deepEqual(findLost(endpoints, release, release), []);
});

const isCensus = (name: DatasetName) => name.startsWith('census-');
const lookUp = /oa22-dz22/;
const seen = new Set<Holding | undefined>();

/** Which tables are taken away: each alone, the two from which the size of households comes, all but one of each census. */
const taken: readonly RegExp[] = [
  ...['ts001', 'ts006', 'ts007a', 'ts017', 'ts041', 'ts066', 'uv101b', 'uv103', 'uv406', 'uv601'].map(
    (name) => new RegExp(name),
  ),
  ...['ages', 'sizes', 'activity'].map((name) => new RegExp(`${name}\\.csv`)),
  /ts017|ts041/,
  /^(?!.*(ts006|uv601|ages\.csv))/,
];

for (const table of taken) {
  test(`of the tables of the censuses without ${table}, exactly the figures are null that the endpoints say need them`, async () => {
    const all = [...filesOf].flatMap(([name, files]) => files.map((file) => ({ name, file })));
    const kept = all.filter(({ name, file }) => !isCensus(name) || lookUp.test(file) || !table.test(file));
    assert.ok(kept.length < all.length);
    const { release } = await build(kept.map(({ file }) => file));
    const isLacking = ({ holding }: Need) => holding?.isIn(release) === false;
    await compare(release, ({ needs }) => needs.filter(isLacking));
    for (const { holding } of endpoints.flatMap(({ needs }) => needs.filter(isLacking))) seen.add(holding);
  });
}

test('every part of a dataset that a need names was taken away', () => {
  const all = endpoints.flatMap(({ needs }) => needs.flatMap(({ holding }) => holding ?? []));
  assert.deepEqual(new Set(all), seen.add(statisticalAreas));
});

test('every publication that a need names is one of the list of sources', () => {
  const known = new Set(sources.map(({ dataset, source }) => `${dataset}: ${source}`));
  for (const { dataset, holding } of endpoints.flatMap(({ needs }) => needs)) {
    if (holding !== undefined)
      assert.ok(known.has(`${dataset}: ${holding.publication}`), holding.publication);
  }
});

test('every field that a need names is one of the answer', () => {
  for (const { path: own, needs, answer } of endpoints) {
    const known = new Set<string>();
    const look = ({ name, fields }: Field, within: string) => {
      known.add(`${within}${name}`);
      for (const field of fields) look(field, `${within}${name}.`);
    };
    for (const field of fieldsOf(answer.schema)) look(field, '');
    for (const field of needs.flatMap(fieldsIn)) {
      if (field !== 'every answer') assert.ok(known.has(field), `${own}: ${field}`);
    }
  }
});
