// GET /area/statistics on the fictional town, the bundled sample and a made-up nation: what the contract has, every
// figure of crime against a plain count, and null wherever nothing is known.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readExampleAnswers } from '../../src/contract/examples.ts';
import { describeCrime } from '../../src/endpoints/area-statistics/crime.ts';
import { areaStatistics } from '../../src/endpoints/area-statistics.ts';
import { findFiles } from '../../src/ingest/files.ts';
import { firstRows, readCsv } from '../../src/ingest/read/csv.ts';
import { Release, readShared } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { formatMonth, parseMonth } from '../../src/uk/calendar.ts';
import { crimeGroupOf, findForceOfArea, slugOfCategory } from '../../src/uk/police.ts';
import type { Answers } from '../../web/api/answers.ts';
import { openHomeWith, openTestHome, type TestHome } from '../ingest/home.ts';
import { realFile, testWith } from '../requirements.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  const limits = { minute: null, day: null, month: null };
  ({ key } = await rig.customer({ limits, credits: 1_000_000 }));
});
after(() => rig.close());

const ask = async (query: string, withKey: string | undefined = key) => {
  const reply = await rig.get(`/api/v1/area/statistics?${query}`, withKey);
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() };
};
// A test key has the limits of Basic, so that each question comes from another customer.
const inTown = async (query: string) => ask(query, (await rig.customer({ mode: 'test' })).key);

type Area = Answers['/area/statistics'];
type Crime = {
  overall: string;
  score: number | null;
  last12Months: number | null;
  changeVsPreviousYear: number | null;
  breakdown: Record<string, number | null>;
  comparedToNational: string;
  basis: readonly {
    fields: readonly string[];
    dataset: string;
    period: string;
    geographyCode: string;
    comparison?: Readonly<Record<string, number>>;
  }[];
};

function answerOf(
  postcode: string,
  release: Release,
): { [K in keyof Area]: Record<string, unknown> } & { crime: Crime } {
  const prepared = areaStatistics.prepare(new URLSearchParams({ postcode }));
  assert.ok(prepared.kind === 'prepared');
  const outcome = prepared.run({ release, today: 20_772 });
  assert.ok(!(outcome instanceof Promise) && outcome.kind === 'answered');
  return JSON.parse(outcome.json);
}

const sum = (numbers: Iterable<number | null>) =>
  [...numbers].reduce<number>((all, one) => all + (one ?? 0), 0);

test('the five objects have the members of the contract, and basis beside them', async () => {
  for (const { data } of [await ask('postcode=ec2y8dn'), await inTown('postcode=ZZ1 1AA')]) {
    assert.deepEqual(Object.keys(data), ['demographics', 'amenities', 'crime', 'schools', 'transport']);
    assert.deepEqual(Object.keys(data.demographics), [
      'population',
      'populationDensity',
      'medianAge',
      'households',
      'averageHouseholdSize',
      'employmentRate',
      'medianIncome',
      'basis',
    ]);
    assert.deepEqual(Object.keys(data.crime), [
      'overall',
      'score',
      'last12Months',
      'changeVsPreviousYear',
      'breakdown',
      'comparedToNational',
      'basis',
    ]);
    assert.deepEqual(Object.keys(data.crime.breakdown), [
      'violent',
      'burglary',
      'vehicleCrime',
      'antisocial',
      'other',
    ]);
    assert.deepEqual(Object.keys(data.schools), [
      'averageRating',
      'primary',
      'secondary',
      'ofstedOutstanding',
      'topSchools',
      'basis',
    ]);
    assert.deepEqual(Object.keys(data.transport), [
      'tubeStations',
      'railStations',
      'busRoutes',
      'cycleHireStations',
      'averageCommuteToCity',
      'trafficLevel',
      'basis',
    ]);
  }
});

test('a test key is answered in full, and the documented example is that answer', async () => {
  const { status, data, billing } = await inTown('postcode=ZZ1 1AA');
  assert.deepEqual([status, billing.mode, billing.creditsCharged], [200, 'sandbox', 0]);
  const unknown = Object.entries<object>(data).flatMap(([name, object]) =>
    Object.entries(object).flatMap(([field, value]) => (value === null ? [`${name}.${field}`] : [])),
  );
  // A circle that reaches beyond the town's map, and the one figure that nobody publishes.
  assert.deepEqual(unknown, ['amenities.hospitals', 'transport.averageCommuteToCity']);
  assert.deepEqual(data, (await readExampleAnswers())['/area/statistics'], 'run: npm run docs');
});

test('every figure that is given has a basis, and nothing else has', async () => {
  const town = openHome(rig.home, layouts).sandbox.openCurrent();
  const rows = [...openPostcodes(town).inArea('ZZ')].filter(({ terminated }) => terminated === null);
  const live = openHome(rig.home, layouts).releases.openCurrent();
  const answers = [
    ...rows.map(({ postcode }) => answerOf(postcode, town)),
    ...['EC2Y 8DN', 'PO30 1UD', 'M1 1AE', 'AB10 1AB'].map((postcode) => answerOf(postcode, live)),
  ];
  for (const data of answers) {
    for (const [name, { basis, ...figures }] of Object.entries(data)) {
      const isGiven = (value: unknown): boolean => {
        if (Array.isArray(value)) return value.length > 0;
        if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
        return value !== null && value !== 'Unavailable' && value !== 'Unknown';
      };
      const given = Object.keys(figures).filter((field) => isGiven(figures[field]));
      // Where there is no comparison its text says why.
      const expected = given.filter((field) => field !== 'comparedToNational' || figures.score !== null);
      const told = new Set((basis as Crime['basis']).flatMap(({ fields }) => fields));
      assert.deepEqual([...told].sort(), expected.sort(), name);
    }
  }
});

const folder = path.join(import.meta.dirname, '../../data/sandbox');
type Incident = { month: string; force: string; lsoa: string; type: string };

async function readArchive(file: string): Promise<readonly Incident[]> {
  const incidents: Incident[] = [];
  const found = await findFiles([file]);
  try {
    for (const item of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
      if (item.form !== 'text' || !item.name.endsWith('-street.csv')) continue;
      let header: readonly string[] | undefined;
      await readCsv(item.open(), { file: item.name, encoding: 'utf-8' }, (row) => {
        const cells = row.texts();
        const titles = header;
        header ??= cells;
        if (titles === undefined) return;
        const cell = (title: string) => cells[titles.indexOf(title)] ?? '';
        const [month, force] = [cell('Month'), cell('Reported by')];
        incidents.push({ month, force, lsoa: cell('LSOA code'), type: cell('Crime type') });
      });
    }
  } finally {
    found.close();
  }
  return incidents;
}

test("the town's crime is a plain recount of its archive: year, groups, change, rank and rate", async () => {
  const town = openHome(rig.home, layouts).sandbox.openCurrent();
  const incidents = await readArchive(path.join(folder, 'police.zip'));
  const between = (lsoa: string, from: string, to: string) =>
    incidents.filter((item) => item.lsoa === lsoa && item.month >= from && item.month <= to);
  const [header = [], ...census] = firstRows(
    readFileSync(path.join(folder, 'census2021-ts001-lsoa.csv')),
    Number.POSITIVE_INFINITY,
    'utf-8',
  );
  const residents = new Map(
    census.map((row) => [row[header.indexOf('geography code')] ?? '', Number(row[3])] as const),
  );
  const ofZedbury = [...residents].filter(([code]) => code.startsWith('E'));
  const rateOf = ([code, people]: readonly [string, number]) =>
    (1000 * between(code, '2025-10', '2026-09').length) / people;
  const rates = ofZedbury.map(rateOf).sort((a, b) => a - b);
  const pooled =
    (1000 * sum(ofZedbury.map(([code]) => between(code, '2025-10', '2026-09').length))) /
    sum(ofZedbury.map(([, people]) => people));
  let compared = 0;
  for (const { postcode, lsoaCode, terminated } of openPostcodes(town).inArea('ZZ')) {
    if (terminated !== null || lsoaCode === null || !lsoaCode.startsWith('E01')) continue;
    const { crime } = answerOf(postcode, town);
    const year = between(lsoaCode, '2025-10', '2026-09');
    const before = between(lsoaCode, '2024-10', '2025-09').length;
    assert.equal(crime.last12Months, year.length);
    assert.equal(sum(Object.values(crime.breakdown)), year.length);
    for (const [group, count] of Object.entries(crime.breakdown)) {
      const own = year.filter(({ type }) => crimeGroupOf(slugOfCategory(type)) === group);
      assert.equal(count, own.length, group);
    }
    const change = Math.round((1000 * (year.length - before)) / before) / 10;
    assert.equal(crime.changeVsPreviousYear, before < 20 ? null : change);
    const rate = rateOf([lsoaCode, residents.get(lsoaCode) ?? 0]);
    assert.equal(crime.score, Math.round((100 * rates.indexOf(rate)) / (rates.length - 1)) / 10);
    assert.match(
      crime.comparedToNational,
      new RegExp(`\\(${rate.toFixed(1)} against ${pooled.toFixed(1)} per 1,000 residents, year to 2026-09`),
    );
    assert.deepEqual(crime.basis[0]?.period, '2025-10 to 2026-09');
    assert.equal(crime.basis[0]?.geographyCode, lsoaCode);
    compared += 1;
  }
  assert.ok(compared > 20);
});

test('a table says what crime is compared with, in words and numbers', async () => {
  const { body } = await rig.get('/api/v1/area/statistics?postcode=NP10 8WA', key, { accept: 'text/csv' });
  assert.match(
    body,
    /"?Not national \((\d+) of 43 forces are loaded\): .*""forcesLoaded"":\1,""forcesOfNation"":43/,
  );
});

test('no crime figure where there is no whole year, and the text says why', async () => {
  const town: Record<string, RegExp> = {
    'ZZ3 1AA': /in the year to 2026-08, the loaded data of Zedborth Police lacks all or part of 2026-03\./,
    'ZZ4 1AA': /Police Scotland does not publish/,
    'ZZ2 9ZZ': /do not have the statistical area/,
  };
  const live: Record<string, RegExp> = {
    'AB10 1AB': /Police Scotland does not publish/,
    'BN1 1JE': /no data of Sussex Police is loaded/,
  };
  for (const [cases, question] of [
    [town, inTown],
    [live, ask],
  ] as const) {
    for (const [postcode, why] of Object.entries(cases)) {
      const { status, data } = await question(`postcode=${encodeURIComponent(postcode)}`);
      assert.equal(status, 200);
      const { overall, comparedToNational, breakdown, basis, ...figures } = data.crime;
      assert.match(comparedToNational, why);
      assert.deepEqual([overall, basis], ['Unavailable', []]);
      const values = [...Object.values(figures), ...Object.values(breakdown)];
      assert.ok(
        values.every((value) => value === null),
        postcode,
      );
    }
  }
});

/** Every number of an answer, wherever it stands. */
const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

test('datasets that are not loaded give nulls, never zeros', async () => {
  const home = openTestHome();
  try {
    const { release } = await home.ingest([path.join(folder, 'postcodes.csv')]);
    for (const postcode of ['ZZ1 1AA', 'ZZ3 1AA', 'ZZ4 1AA', 'ZZ2 9ZZ']) {
      const data = answerOf(postcode, release);
      assert.deepEqual(numbersIn(data), [], postcode);
      assert.deepEqual([data.crime.overall, data.transport.trafficLevel], ['Unavailable', 'Unknown']);
      assert.match(data.crime.comparedToNational, /no crime is loaded/);
    }
  } finally {
    home.remove();
  }
});

const loadFile = (file: string) => {
  const bytes = readFileSync(file);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
};

test('a release whose areas were ranked by another version, or not at all, says so instead of guessing', () => {
  const whole = openHome(rig.home, layouts).sandbox.openCurrent();
  const { derived } = whole.manifest;
  assert.deepEqual(
    derived.map(({ part }) => part),
    ['completions', 'crime-force-categories', 'crime-ground', 'crime-rates'],
  );
  const others = derived.map((made) => ({ ...made, version: made.version + 1 }));
  for (const manifest of [
    { ...whole.manifest, derived: [] },
    { ...whole.manifest, derived: others },
  ]) {
    const { crime } = answerOf('ZZ1 1AA', new Release(whole.dir, manifest, layouts, loadFile));
    assert.deepEqual([crime.overall, crime.score, crime.last12Months], ['Unavailable', null, null]);
    assert.match(crime.comparedToNational, /by another version of this service; the next load does it anew/);
  }
});

test('every refusal has the code of the contract and costs nothing', async () => {
  const cases: Record<string, [status: number, code: string, more?: object]> = {
    '': [400, 'MISSING_POSTCODE', { field: 'postcode' }],
    'postcode=': [400, 'MISSING_POSTCODE'],
    'postcode=EC2Y': [400, 'INVALID_POSTCODE', { field: 'postcode' }],
    'postcode=ZZ9 9ZZ': [404, 'POSTCODE_NOT_FOUND'],
    'postcode=ZZ1 2ZZ': [404, 'POSTCODE_NOT_FOUND', { terminated: '2019-05' }],
  };
  for (const [query, [status, code, more = {}]] of Object.entries(cases)) {
    const reply = await inTown(query);
    assert.deepEqual([reply.status, reply.error.code], [status, code], query);
    assert.deepEqual({ ...reply.error, ...more }, reply.error, query);
    assert.equal(reply.headers['x-credits-charged'], '0');
  }
  const live = await ask('postcode=ZZ1 1AA');
  assert.deepEqual([live.status, live.error.code], [404, 'POSTCODE_NOT_FOUND']);
  const stranger = await rig.get('/api/v1/area/statistics?postcode=EC2Y 8DN');
  assert.deepEqual([stranger.statusCode, stranger.json().error.code], [401, 'UNAUTHORIZED']);
  const { key: poor } = await rig.customer({ credits: 0 });
  const refused = await ask('postcode=EC2Y 8DN', poor);
  assert.deepEqual([refused.status, refused.error.code], [402, 'INSUFFICIENT_CREDITS']);
});

test('the headers have the oldest date behind the answer and every publisher once', async () => {
  const { headers } = await inTown('postcode=ZZ1 1AA');
  assert.equal(headers['x-data-as-of'], '2021-03-21');
  const publishers = String(headers['x-data-source']).split(', ');
  assert.ok(publishers.includes('data.police.uk') && publishers.includes('Ofsted'));
  assert.deepEqual([...new Set(publishers)], publishers);
});

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const newest = parseMonth('2026-09') ?? 0;

type Town = {
  lsoa: string;
  postcode: string;
  forceArea: string;
  residents: number;
  now: number;
  before: number;
};

/** Official files of made-up LSOAs: postcodes, residents, and 24 months of crime by a force each. */
function putNation(home: TestHome, towns: readonly Town[], forceNames: Readonly<Record<string, string>>) {
  const [header = [], first = []] = firstRows(readFileSync(path.join(folder, 'postcodes.csv')), 2, 'utf-8');
  const postcodeRow = ({ lsoa, postcode, forceArea }: Town) =>
    header.map((title, at) => {
      if (/^pcd/.test(title)) return postcode;
      if (title === 'lsoa21cd') return lsoa;
      return title === 'pfa23cd' ? forceArea : (first[at] ?? '');
    });
  // Each LSOA has a place of its own.
  const incident = ({ lsoa, forceArea }: Town, month: number) =>
    `,${formatMonth(month)},${forceNames[forceArea]},X,0.${lsoa.slice(3)},54.1,On or near X,${lsoa},X 001A,Drugs,,`;
  // Spread over the months of each year, the odd ones into its last.
  const timesIn = (all: number, back: number) => Math.floor(all / 12) + (back % 12 === 0 ? all % 12 : 0);
  const street = Array.from({ length: 24 }, (_, back) => {
    const rows = towns.flatMap((town) =>
      Array.from({ length: timesIn(back < 12 ? town.now : town.before, back) }, () =>
        incident(town, newest - back),
      ),
    );
    return home.put(`${formatMonth(newest - back)}-street.csv`, `${[streetTitles, ...rows].join('\n')}\n`);
  });
  const ts001 =
    '"date","geography","geography code","Residence type: Total; measures: Value","Residence type: Lives in a household; measures: Value","Residence type: Lives in a communal establishment; measures: Value"';
  const census = towns.map(({ lsoa, residents }) => `"2021","X","${lsoa}",${residents},${residents},0`);
  return {
    postcodes: home.put(
      'postcodes-2026-08-31.csv',
      `${[header, ...towns.map(postcodeRow)].map((row) => row.join()).join('\n')}\n`,
    ),
    census: home.put('census2021-ts001-lsoa.csv', `${[ts001, ...census].join('\n')}\n`),
    street,
  };
}

const letters = 'ABDEFGHJLNPQRSTUWXYZ';
const townAt = (
  at: number,
  now: number,
  before: number,
  residents: number,
  forceArea = 'E23000006',
): Town => ({
  lsoa: `E01${String(100_000 + at).padStart(6, '0')}`,
  postcode: `ZZ${1 + Math.floor(at / 400)} ${at % 9}${letters[Math.floor(at / 9) % 20]}${letters[Math.floor(at / 180) % 20]}`,
  forceArea,
  residents,
  now,
  before,
});

test('from 1,000 areas on there is a score, the rank of the rate among all that are covered; below, only counts', async () => {
  const home = openTestHome();
  try {
    // Greater Manchester publishes nothing; the rows in its area are of another force.
    const towns = Array.from({ length: 1_100 }, (_, at) =>
      townAt(
        at,
        (at * 7) % 97,
        (at * 7) % 61,
        900 + ((at * 13) % 2_000),
        at % 11 === 0 ? 'E23000005' : 'E23000006',
      ),
    );
    const names = { E23000005: 'Cheshire Constabulary', E23000006: 'Cheshire Constabulary' };
    const { postcodes, census, street } = putNation(home, towns, names);
    const { release: uncounted } = await home.ingest([postcodes, ...street]);
    const withoutCensus = answerOf(towns[1]?.postcode ?? '', uncounted).crime;
    assert.deepEqual(
      [withoutCensus.overall, withoutCensus.score, withoutCensus.last12Months],
      ['Unavailable', null, 7],
    );
    assert.match(withoutCensus.comparedToNational, /census.*is not loaded/);
    const { release } = await home.ingest([census]);
    const covered = towns.filter(({ forceArea }) => forceArea === 'E23000006');
    assert.equal(covered.length, 1_000);
    const rateOf = ({ now, residents }: Town) => (1000 * now) / residents;
    const rates = covered.map(rateOf);
    const pooled =
      (1000 * sum(covered.map(({ now }) => now))) / sum(covered.map(({ residents }) => residents));
    const seen = new Set<string>();
    for (const town of towns) {
      const { crime } = answerOf(town.postcode, release);
      if (town.forceArea === 'E23000005') {
        assert.match(
          crime.comparedToNational,
          /Greater Manchester Police has published no street-level crime after 2019-06/,
        );
        assert.equal(crime.last12Months, null);
        continue;
      }
      const rate = rateOf(town);
      const below = rates.filter((other) => other < rate).length;
      const equal = rates.filter((other) => other === rate).length;
      const score = Math.round((100 * (below + (equal - 1) / 2)) / 999) / 10;
      const words = ['Very low', 'Low', 'Average', 'High', 'Very high', 'Very high'];
      assert.deepEqual([crime.score, crime.overall], [score, words[Math.floor(score / 2)]]);
      assert.equal(crime.last12Months, town.now);
      const change =
        town.before < 20 ? null : Math.round((1000 * (town.now - town.before)) / town.before) / 10;
      assert.equal(crime.changeVsPreviousYear, change);
      const percent = Math.round(100 * (rate / pooled - 1));
      const difference =
        Math.abs(percent) <= 5
          ? 'about the same as'
          : `${Math.abs(percent)}% ${percent < 0 ? 'below' : 'above'}`;
      const figures = `${rate.toFixed(1)} against ${pooled.toFixed(1)} per 1,000 residents, year to 2026-09, 1,000 areas`;
      assert.ok(
        crime.comparedToNational.startsWith(
          `Not national (1 of 43 forces is loaded): ${difference} the average of the loaded areas of Cheshire Constabulary (${figures}).`,
        ),
        crime.comparedToNational,
      );
      const oneDecimal = (value: number) => Math.round(10 * value) / 10;
      assert.deepEqual(
        crime.basis.map(({ dataset, comparison }) => [dataset, comparison]),
        [
          [
            'crime',
            {
              areas: 1_000,
              forcesLoaded: 1,
              forcesOfNation: 43,
              rate: oneDecimal(rate),
              averageRate: oneDecimal(pooled),
              percentile: oneDecimal((100 * (below + (equal - 1) / 2)) / 999),
            },
          ],
          ['census-england-wales', undefined],
        ],
      );
      assert.equal(/Visitors inflate/.test(crime.comparedToNational), town.residents < 1_000 || score >= 9.5);
      seen.add(crime.overall).add(difference.replace(/\d+/, 'N'));
    }
    assert.deepEqual([...seen].sort(), [
      'Average',
      'High',
      'Low',
      'N% above',
      'N% below',
      'Very high',
      'Very low',
      'about the same as',
    ]);
  } finally {
    home.remove();
  }
});

test('one area fewer than 1,000, and the counts stand alone', async () => {
  const home = openTestHome();
  try {
    const towns = Array.from({ length: 999 }, (_, at) => townAt(at, 10 + (at % 50), 30, 1_500));
    const { postcodes, census, street } = putNation(home, towns, { E23000006: 'Cheshire Constabulary' });
    const { release } = await home.ingest([postcodes, census, ...street]);
    const { crime } = answerOf(towns[7]?.postcode ?? '', release);
    assert.deepEqual([crime.overall, crime.score, crime.last12Months], ['Unavailable', null, 17]);
    assert.match(crime.comparedToNational, /needs at least 1,000 areas .* and 999 are loaded/);
    assert.deepEqual(
      crime.basis.flatMap(({ fields }) => fields),
      ['last12Months', 'breakdown', 'changeVsPreviousYear'],
    );
  } finally {
    home.remove();
  }
});

test('two years are compared by place, by the newest code of each, and the documentation says so and why', async () => {
  const home = openTestHome();
  try {
    const town = townAt(7, 1_320, 1_200, 1_500);
    const { postcodes, street } = putNation(home, [town], { E23000006: 'Cheshire Constabulary' });
    // The year before, the same places had a code that has been given up since.
    const recoded = street.map((file, back) =>
      back < 12
        ? file
        : home.put(
            path.basename(file),
            readFileSync(file, 'utf8').replaceAll(`,${town.lsoa},`, ',E01999999,'),
          ),
    );
    const { release } = await home.ingest([postcodes, ...recoded]);
    const { crime } = answerOf(town.postcode, release);
    assert.deepEqual([crime.last12Months, crime.changeVsPreviousYear], [1_320, 10]);
  } finally {
    home.remove();
  }
  const page = (await rig.get('/docs/reference/area-statistics.md')).body;
  assert.match(page, /counts for the LSOA that the newest loaded month gives the point/);
  assert.match(page, /adding up the codes of the files gives another figure/);
});

test('a postcode without a point has no circle and no figure of one', async () => {
  const { status, data } = await inTown('postcode=ZZ2 9ZZ');
  assert.equal(status, 200);
  assert.deepEqual(numbersIn([data.amenities, data.schools, data.transport, data.crime]), []);
  assert.deepEqual(data.schools.topSchools, []);
});

test('where the police publish nothing by area there is no figure, whatever lies in the tables', () => {
  const town = openHome(rig.home, layouts).sandbox.openCurrent();
  const [row] = openPostcodes(town).inArea('ZZ');
  assert.ok(row !== undefined);
  const cases = {
    Scotland: /Police Scotland does not publish/,
    'Northern Ireland': /Northern Ireland have no statistical area/,
    'Channel Islands': /not published for the Channel Islands/,
    'Isle of Man': /not published for the Isle of Man/,
  } as const;
  for (const nation of ['Scotland', 'Northern Ireland', 'Channel Islands', 'Isle of Man'] as const) {
    const { overall, last12Months, comparedToNational } = describeCrime({ ...row, nation }, town);
    assert.deepEqual([overall, last12Months], ['Unavailable', null]);
    assert.match(comparedToNational, cases[nation]);
  }
  assert.notEqual(describeCrime(row, town).last12Months, null);
});

test('the City of London has figures, and they say how many of its crimes name no place', async () => {
  const { data } = await ask('postcode=EC2Y 8DN');
  const { last12Months, breakdown, changeVsPreviousYear, comparedToNational } = data.crime;
  assert.ok(last12Months > 0);
  assert.equal(sum(Object.values<number>(breakdown)), last12Months);
  assert.equal(typeof changeVsPreviousYear, 'number');
  assert.match(comparedToNational, / 9\.6% of the crimes of City of London Police in the year have no place/);
});

test('slow: only what is compared with every force of the nation is called national, and any other text begins with how many there are', async () => {
  const areas = [
    ...Array.from({ length: 39 }, (_, at) => `E23${String(at + 1).padStart(6, '0')}`),
    ...Array.from({ length: 4 }, (_, at) => `W15${String(at + 1).padStart(6, '0')}`),
  ];
  const names = Object.fromEntries(areas.map((code) => [code, findForceOfArea(code) ?? assert.fail(code)]));
  const comparedWith = async (count: number) => {
    const home = openTestHome();
    try {
      // 12 or more a month in every force, so that no month is too small.
      const towns = Array.from({ length: 1_032 }, (_, at) =>
        townAt(at, 60, 60, 1_500, areas[at % count] ?? assert.fail()),
      );
      const { postcodes, census, street } = putNation(home, towns, names);
      const { release } = await home.ingest([postcodes, census, ...street]);
      const { comparedToNational: text, basis } = answerOf(towns[0]?.postcode ?? '', release).crime;
      assert.equal(basis[0]?.comparison?.forcesLoaded, count);
      assert.equal(text.startsWith(`Not national (${count} of 43 forces are loaded): `), count < 43, text);
      return /the average of (.*) \(/.exec(text)?.[1] ?? text;
    } finally {
      home.remove();
    }
  };
  assert.equal(await comparedWith(43), 'England and Wales');
  assert.equal(await comparedWith(41), 'England and Wales without South Wales Police and Dyfed-Powys Police');
  assert.equal(await comparedWith(20), 'the loaded areas of 20 forces');
  assert.equal(
    await comparedWith(2),
    'the loaded areas of Cumbria Constabulary and Metropolitan Police Service',
  );
});

testWith(
  realFile('data/police/2024-12.zip'),
  'slow: of the real archive, areas of Leicestershire have their counts and a silent force has none',
  async (archive) => {
    const home = await openHomeWith(archive);
    try {
      const incidents = (await readArchive(archive)).filter(
        ({ month, lsoa }) => month.startsWith('2024') && lsoa !== '',
      );
      const byLsoa = Map.groupBy(incidents, ({ lsoa }) => lsoa);
      const own = incidents.filter(({ force }) => force === 'Leicestershire Police');
      const lsoas = [...new Set(own.map(({ lsoa }) => lsoa))].slice(0, 400);
      // A stray of Leicestershire's may lie in the area of a force that publishes nothing.
      const towns = lsoas.map((lsoa, at) => ({
        ...townAt(at, 0, 0, 1_500, at % 10 === 0 ? 'E23000005' : 'E23000021'),
        lsoa,
      }));
      const { postcodes } = putNation(home, towns, {});
      const { release } = await home.ingest([postcodes]);
      for (const { postcode, lsoa, forceArea } of towns) {
        const { crime } = answerOf(postcode, release);
        if (forceArea === 'E23000005') {
          assert.match(
            crime.comparedToNational,
            /Greater Manchester Police has published no street-level crime after 2019-06/,
          );
          assert.equal(crime.last12Months, null);
          continue;
        }
        const rows = byLsoa.get(lsoa) ?? [];
        assert.equal(crime.last12Months, rows.length);
        for (const [group, count] of Object.entries(crime.breakdown)) {
          const ofGroup = rows.filter(({ type }) => crimeGroupOf(slugOfCategory(type)) === group);
          assert.equal(count, ofGroup.length, `${lsoa} ${group}`);
        }
        assert.match(
          crime.comparedToNational,
          /2\.9% of the crimes of Leicestershire Police .* have no place/,
        );
        // Of 2023 the archive has one month.
        assert.equal(crime.changeVsPreviousYear, null);
      }
    } finally {
      home.remove();
    }
  },
);

test('the date in the headers is of data that gave a figure, and each basis names its dataset', async () => {
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const dayOf = new Map<string, string>(
    datasets.map(({ name, asOf }: { name: string; asOf: string }) => [name, asOf]),
  );
  const { headers, data } = await ask('postcode=NP10 8WA');
  const behind = Object.values<{ basis: readonly { dataset: string }[] }>(data).flatMap(({ basis }) =>
    basis.map(({ dataset }) => dayOf.get(dataset)),
  );
  assert.equal(headers['x-data-as-of'], behind.sort()[0]);
  assert.ok(!behind.includes(dayOf.get('traffic')), 'traffic of the Isle of Wight says nothing of Newport');
});

test('the header names no publisher of whom nothing is loaded', async () => {
  for (const postcode of ['PO33 2RX', 'NP10 8WA']) {
    const { headers, data } = await ask(`postcode=${postcode}`);
    assert.ok(data.demographics.medianIncome > 0);
    const publishers = String(headers['x-data-source']).split(', ');
    assert.deepEqual([publishers.includes('HMRC'), publishers.includes('ONS')], [false, true], postcode);
  }
});

test('figures that are null because a table is not loaded are named in the coverage with the table, and no others', async () => {
  const asked = async (postcode: string, names: readonly string[]) => {
    const lacking = await openRig({ live: (real) => without(real, names) });
    try {
      const { key: other } = await lacking.customer();
      const { headers, body } = await lacking.get(`/api/v1/area/statistics?postcode=${postcode}`, other);
      return { told: headers['x-data-coverage'], data: JSON.parse(body).data };
    } finally {
      await lacking.close();
    }
  };
  const ofSample = 'table TS066 (employmentRate)';
  const { told, data } = await asked('NP10 8WA', ['income']);
  assert.equal(told, `sample, partial; not loaded: ${ofSample}, income (medianIncome)`);
  assert.equal(data.demographics.medianIncome, null);
  // Traffic of another place is loaded; without it there would be none here either.
  const two = await asked('NP10 8WA', ['income', 'traffic']);
  assert.equal(
    two.told,
    `sample, partial; not loaded: ${ofSample}, income (medianIncome), traffic (trafficLevel)`,
  );
  // Of schools in Wales no grades are published, whatever is loaded.
  assert.equal(
    (await asked('NP10 8WA', ['ofsted', 'cycle-hire'])).told,
    `sample, partial; not loaded: ${ofSample}`,
  );
  const uncounted = await asked('NP10 8WA', ['census-england-wales']);
  assert.equal(
    uncounted.told,
    'sample, partial; not loaded: census-england-wales (overall, score, population, populationDensity, medianAge, households, averageHouseholdSize, employmentRate)',
  );
});

test('pictures without a figure are named in the coverage, and a place of which nothing is known is free', async () => {
  const part = await ask('postcode=EC2Y 8DN');
  assert.equal(
    part.headers['x-data-coverage'],
    'sample, partial; what is loaded gives no figures of amenities and schools for this place; not loaded: table TS066 (employmentRate), cycle-hire (cycleHireStations)',
  );
  assert.equal(part.headers['x-credits-charged'], '1');
  const whole = await ask('postcode=NP10 8WA');
  assert.equal(whole.headers['x-data-coverage'], 'sample, partial; not loaded: table TS066 (employmentRate)');
  const bare = await openRig({ live: onlyPostcodes });
  try {
    const { key: other } = await bare.customer();
    const { statusCode, headers, json } = await bare.get('/api/v1/area/statistics?postcode=NP10 8WA', other);
    assert.equal(headers['x-data-coverage'], 'none; no loaded dataset has figures for this place');
    assert.deepEqual(
      [statusCode, headers['x-credits-charged'], json().billing.creditsCharged],
      [200, '0', 0],
    );
  } finally {
    await bare.close();
  }
});

function without({ dir, manifest }: Release, names: readonly string[]): Release {
  const gone = manifest.datasets.filter(({ name }) => names.includes(name)).flatMap(({ parts }) => parts);
  const parts = Object.fromEntries(Object.entries(manifest.parts).filter(([name]) => !gone.includes(name)));
  const datasets = manifest.datasets.filter(({ name }) => !names.includes(name));
  return new Release(dir, { ...manifest, datasets, parts }, layouts, readShared);
}

function onlyPostcodes({ dir, manifest }: Release): Release {
  const datasets = manifest.datasets.filter(({ name }) => name === 'postcodes');
  const names = datasets.flatMap(({ parts }) => parts);
  const parts = Object.fromEntries(Object.entries(manifest.parts).filter(([name]) => names.includes(name)));
  return new Release(dir, { ...manifest, datasets, parts, derived: [] }, layouts, readShared);
}
