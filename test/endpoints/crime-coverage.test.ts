// GET /crime/by-postcode where the data lacks something: what is said of months that are not loaded or came in part, and
// when outcomes came.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import { findFiles } from '../../src/ingest/files.ts';
import { readCsv } from '../../src/ingest/read/csv.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHomeWith, openTestHome } from '../ingest/home.ts';
import { realFile, testWith } from '../requirements.ts';
import { madeDirectory } from './made-postcodes.ts';

function run(query: string, release: Release) {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared');
  return prepared.run({ release, today: 20_772 });
}

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
const kentRow = (month: string) =>
  `,${month},Kent Police,Kent Police,0.521,51.272,On or near X,E01024000,Maidstone 001A,Drugs,,\n`;

/** Months of Kent with so many crimes each, beside a force that is loaded up to 2024-07, and crimes on railways in as many
 *  months unless others are named. */
async function askKent(
  months: Readonly<Record<string, number>>,
  query: string,
  onRailways: readonly string[] = Object.keys(months),
) {
  const home = openTestHome();
  try {
    const files = Object.entries(months).map(([month, count]) =>
      home.put(`${month}-kent-street.csv`, streetTitles + kentRow(month).repeat(count)),
    );
    const surrey = kentRow('2024-07').replaceAll('Kent', 'Surrey').repeat(60);
    const railways = onRailways.map((month) =>
      home.put(
        `${month}-btp-street.csv`,
        streetTitles +
          kentRow(month).replaceAll('Kent Police', 'British Transport Police').replace('51.272', '53.272'),
      ),
    );
    const directory = madeDirectory([
      { postcode: 'ME14 1XX', country: 'england', point: [51.272, 0.521], authority: 'E07000110' },
    ]);
    const { release } = await home.ingest([
      ...files,
      ...railways,
      home.put('2024-07-surrey-street.csv', streetTitles + surrey),
      home.put('ONSPD_NOV_2025_UK.csv', directory),
    ]);
    const coverage = release.findDataset('crime')?.coverage['United Kingdom'];
    return { outcome: await run(`postcode=ME14 1XX&${query}`, release), coverage };
  } finally {
    home.remove();
  }
}

test('of a force whose newer months are not loaded it is said what is loaded, never what was published', async () => {
  const { outcome } = await askKent({ '2024-01': 100 }, 'months=1');
  assert.ok(outcome.kind === 'refused');
  assert.equal(
    outcome.message,
    'No data of Kent Police is loaded for 2024-07; its newest loaded month is 2024-01, which `months=7` reaches.',
  );
  assert.deepEqual(outcome.extras, {
    reason: 'force-not-loaded',
    policeForce: 'Kent Police',
    lastMonthLoaded: '2024-01',
  });
  assert.match(outcome.grounds?.shortage ?? '', /^none; No data of Kent Police is loaded/);
  const { outcome: few } = await askKent({ '2024-01': 1000, '2024-07': 60 }, 'months=1');
  assert.ok(few.kind === 'refused');
  assert.equal(few.extras.reason, 'force-without-data');
  assert.match(few.message, /too few to be all; its newest loaded month is 2024-01, /);
});

test('whoever does what the message says of a force without data is answered, and is never sent out of reach', async () => {
  const lastMonths = ['2024-06', '2024-01', '2023-01', '2022-08', '2022-07', '2021-12'];
  const told = await Promise.all(
    lastMonths.map(async (month) => {
      const { outcome } = await askKent({ [month]: 100 }, 'months=1');
      assert.ok(outcome.kind === 'refused');
      const advised = /`(months=\d+)` reaches\.$/.exec(outcome.message)?.[1];
      if (advised === undefined) {
        assert.match(outcome.message, /ask for a place of another force\.$/);
        return undefined;
      }
      const { outcome: followed } = await askKent({ [month]: 100 }, advised);
      assert.equal(followed.kind, 'answered', month);
      return advised;
    }),
  );
  assert.deepEqual(told, ['months=2', 'months=7', 'months=19', 'months=24', undefined, undefined]);
});

test('a month of which a part was published is in the answer, and the coverage says so; so does a gap', async () => {
  const whole = { '2024-04': 200, '2024-05': 200, '2024-06': 200, '2024-07': 200 };
  const shortageOf = async (months: Readonly<Record<string, number>>, query: string) => {
    const { outcome, coverage } = await askKent(months, query);
    assert.ok(outcome.kind === 'answered');
    return { shortage: outcome.grounds.shortage, coverage, data: JSON.parse(outcome.json) };
  };
  assert.equal((await shortageOf(whole, 'months=4')).shortage, undefined);
  const partial = await shortageOf({ ...whole, '2024-06': 98 }, 'months=4');
  assert.equal(partial.shortage, 'partial; 2024-06 has 49% of the usual number of crimes of Kent Police');
  assert.equal(partial.data.monthlyTotals['2024-06'], 98);
  assert.match(partial.coverage ?? '', /partial: Kent Police 2024-06 \(49% of the usual number\)$/);
  // Less than half never reads as half.
  const most = await shortageOf(
    { '2024-04': 2001, '2024-05': 2001, '2024-06': 1000, '2024-07': 2001 },
    'months=4',
  );
  assert.equal(most.shortage, 'partial; 2024-06 has 49.9% of the usual number of crimes of Kent Police');
  // What the answer does not reach is not told.
  assert.equal((await shortageOf({ ...whole, '2024-06': 98 }, 'months=1')).shortage, undefined);
  const gap = await shortageOf(whole, 'months=5');
  assert.equal(gap.shortage, 'partial; no usable data of Kent Police is loaded for 2024-03');
  const long = await shortageOf(whole, 'months=24');
  assert.equal(long.shortage, 'partial; no usable data of Kent Police is loaded for 20 of 24 months');
});

test('months of the answer without crimes on railways are told; each lies in the area of another force', async () => {
  const months = { '2024-04': 200, '2024-05': 200, '2024-06': 200, '2024-07': 200 };
  const railways =
    'no data of British Transport Police, whose crimes lie on railways in every area, is loaded';
  const shortageOf = async (query: string, onRailways: readonly string[]) => {
    const { outcome } = await askKent(months, query, onRailways);
    assert.ok(outcome.kind === 'answered');
    return outcome.grounds.shortage;
  };
  assert.equal(await shortageOf('months=4', []), `partial; ${railways}`);
  assert.equal(await shortageOf('months=2', ['2024-04', '2024-06']), `partial; ${railways} for 2024-07`);
  assert.equal(await shortageOf('months=1', ['2024-07']), undefined);
});

test('outcomes whose month is not loaded are counted, null among the raw crimes, and told', async () => {
  const home = openTestHome();
  try {
    const solved = kentRow('2024-07').replace('Drugs,,', 'Drugs,Offender given a caution,');
    const directory = madeDirectory([
      { postcode: 'ME14 1XX', country: 'england', point: [51.272, 0.521], authority: 'E07000110' },
    ]);
    const rail = kentRow('2024-07').replaceAll('Kent Police', 'British Transport Police');
    const { release } = await home.ingest([
      home.put('2024-07-kent-street.csv', streetTitles + kentRow('2024-07').repeat(60) + solved.repeat(3)),
      home.put('2024-07-btp-street.csv', streetTitles + rail),
      home.put('ONSPD_NOV_2025_UK.csv', directory),
    ]);
    const ask = async (query: string) => {
      const outcome = await run(`postcode=ME14 1XX&months=1${query}`, release);
      assert.ok(outcome.kind === 'answered');
      return {
        shortage: outcome.grounds.shortage,
        data: JSON.parse(outcome.json).data ?? JSON.parse(outcome.json),
      };
    };
    const { shortage, data } = await ask('&includeRaw=true');
    assert.equal(data.crimeCategories[0].outcomes['Offender given a caution'], 3);
    assert.ok(
      data.rawCrimes.every(({ outcome_status }: { outcome_status: unknown }) => outcome_status === null),
    );
    assert.equal(
      shortage,
      'partial; 3 of the 64 raw crimes have an outcome whose month is not loaded, so their outcome_status is null; crimeCategories counts it',
    );
    assert.equal((await ask('')).shortage, undefined);
  } finally {
    home.remove();
  }
});

testWith(
  realFile('data/police/2024-12.zip'),
  'Dyfed-Powys of January 2024, a third of the usual, is partial',
  async (archive) => {
    const home = await openHomeWith(archive);
    try {
      const directory = madeDirectory([
        { postcode: 'SA31 1XX', country: 'england', point: [51.857, -4.31], authority: 'W06000010' },
      ]);
      const { release } = await home.ingest([home.put('ONSPD_NOV_2025_UK.csv', directory)]);
      const outcome = await run('postcode=SA31 1XX&months=12', release);
      assert.ok(outcome.kind === 'answered');
      assert.match(
        outcome.grounds.shortage ?? '',
        /2024-01 has 31\.1% of the usual number of crimes of Dyfed-Powys/,
      );
      assert.match(outcome.grounds.shortage ?? '', /no usable data .* for 11 of 12 months/);
    } finally {
      home.remove();
    }
  },
);

testWith(
  realFile('data/police/2019-10.zip'),
  'outcomes of an archive with its files of outcomes have the month of their latest row',
  async (archive, t) => {
    const home = await openHomeWith(archive);
    try {
      const directory = madeDirectory([
        { postcode: 'LE1 1XX', country: 'england', point: [52.6297, -1.1316], authority: 'E06000016' },
      ]);
      const { release } = await home.ingest([home.put('ONSPD_NOV_2025_UK.csv', directory)]);
      const outcome = await run('postcode=LE1 1XX&months=1&includeRaw=true&radius=2000', release);
      assert.ok(outcome.kind === 'answered');
      const latest = await readLatestOutcomes(archive);
      let dated = 0;
      const crimes = JSON.parse(outcome.json).rawCrimes;
      for (const { persistent_id: id, outcome_status: status } of crimes) {
        if (status === null) continue;
        assert.deepEqual(status, latest.get(id), id);
        dated += 1;
      }
      t.diagnostic(`${dated} of ${crimes.length} crimes have an outcome with its month`);
      assert.ok(dated > 500);
    } finally {
      home.remove();
    }
  },
);

/** Id → the row with the latest month, of equal ones the last. */
async function readLatestOutcomes(zip: string) {
  const latest = new Map<string, { category: string; date: string }>();
  const found = await findFiles([zip]);
  try {
    for (const file of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
      if (file.form !== 'text' || !file.name.endsWith('-outcomes.csv')) continue;
      await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (line) => {
        const [id, date, category] = [line.text(0), line.text(1), line.text(9)];
        if ((latest.get(id)?.date ?? '') <= date) latest.set(id, { category, date });
      });
    }
  } finally {
    await found.close();
  }
  return latest;
}
