// GET /crime/by-postcode where little or nothing is published: Northern Ireland, Scotland, the Channel Islands, the Isle
// of Man. Each has its own answer, and none is a 0.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatMonth, parseMonth } from '../../src/uk/calendar.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

let home: TestHome;
let rig: Rig;
let key: string;

const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
/** As published: Northern Ireland has points, but never an LSOA or an outcome. */
const street = (month: string, force: string, at: string, count: number) =>
  `${[titles, ...Array.from({ length: count }, (_, index) => `,${month},${force},${force},${at},On or near Quay ${index % 7},,,${index % 3 === 0 ? 'Drugs' : 'Burglary'},,`)].join('\n')}\n`;

const belfast: MadePostcode = { postcode: 'BT1 5GS', country: 'northernIreland', point: [54.597, -5.9301] };
const psni = 'Police Service of Northern Ireland';
const lastOfNorthernIreland = parseMonth('2023-07') ?? 0;
const newest = parseMonth('2024-12') ?? 0;

before(async () => {
  home = openTestHome();
  const files: string[] = [];
  for (let month = newest - 23; month <= newest; month += 1) {
    const text = formatMonth(month);
    const put = (force: string, rows: string) => files.push(home.put(`${text}-${force}-street.csv`, rows));
    put('city', street(text, 'City of London Police', '-0.093562,51.519917', 60));
    // In Scotland the transport police alone publishes.
    put('btp', street(text, 'British Transport Police', '-3.190000,55.952000', 60));
    if (month <= lastOfNorthernIreland)
      put('northern-ireland', street(text, psni, '-5.930000,54.597000', 70));
  }
  const postcodes: readonly MadePostcode[] = [
    belfast,
    { postcode: 'JE2 3AB', country: 'channelIslands' },
    { postcode: 'GY1 1AA', country: 'channelIslands' },
    { postcode: 'IM1 1AA', country: 'isleOfMan' },
    { postcode: 'EH1 1AA', country: 'scotland', point: [55.952, -3.19] },
  ];
  files.push(home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(postcodes)));
  const { release } = await home.ingest(files);
  rig = await openRig({ live: () => release });
  ({ key } = await rig.customer());
});
after(async () => {
  await rig.close();
  home.remove();
});

const ask = async (query: string) => {
  const reply = await rig.get(`/api/v1/crime/by-postcode?${query}`, key);
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() };
};

test('Northern Ireland is answered up to its last month, and the months after it are absent', async () => {
  const { status, data, headers } = await ask('postcode=BT1 5GS&months=24&includeRaw=true');
  assert.equal(status, 200);
  assert.equal(headers['x-credits-charged'], '1');
  assert.deepEqual([data.policeForce, data.referenceMonth, data.monthsRequested], [psni, '2023-07', 24]);
  assert.deepEqual(
    data.monthlyTotals,
    Object.fromEntries(['01', '02', '03', '04', '05', '06', '07'].map((month) => [`2023-${month}`, 70])),
  );
  assert.equal(data.rawCrimes.length, 70);
  assert.deepEqual(
    data.crimeCategories.map(({ category, outcomes }: { category: string; outcomes: object }) => [
      category,
      outcomes,
    ]),
    [
      ['burglary', {}],
      ['drugs', {}],
    ],
  );
});

test('within the gap Northern Ireland has stopped, and its last month is told', async () => {
  for (const months of [1, 12, 17]) {
    const { status, error, headers } = await ask(`postcode=BT1 5GS&months=${months}`);
    assert.equal(status, 404);
    assert.deepEqual(
      [error.code, error.reason, error.policeForce, error.lastMonth],
      ['NO_CRIME_DATA', 'force-stopped', psni, '2023-07'],
    );
    assert.match(error.message, /2024-12, as its last month is 2023-07; .*, which `months=18` reaches\.$/);
    assert.equal(headers['x-credits-charged'], '0');
  }
  assert.equal((await ask('postcode=BT1 5GS&months=18')).status, 200);
});

test('Scotland, the Channel Islands and the Isle of Man each have a reason of their own, uncharged', async () => {
  const reasons: Record<string, string> = {
    'EH1 1AA': 'scotland',
    'JE2 3AB': 'channel-islands',
    'GY1 1AA': 'channel-islands',
    'IM1 1AA': 'isle-of-man',
  };
  for (const [postcode, reason] of Object.entries(reasons)) {
    for (const more of ['', '&months=24&radius=5000', '&category=drugs&includeRaw=true']) {
      const { status, error, headers } = await ask(`postcode=${postcode}${more}`);
      assert.deepEqual([status, error.code, error.reason], [404, 'NO_CRIME_DATA', reason], postcode);
      assert.equal(headers['x-credits-charged'], '0');
    }
  }
  // Not even where the transport police published dozens at the very place.
  const { error } = await ask('postcode=EH1 1AA');
  assert.match(error.message, /British Transport Police/);
});

type Asked = {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly error: Record<string, string>;
};

/** A release of its own, with Belfast and these files. */
async function askOther(files: Readonly<Record<string, string>>, query: string): Promise<Asked> {
  const bare = openTestHome();
  try {
    const all = { 'ONSPD.csv': madeDirectory([belfast]), ...files };
    const { release } = await bare.ingest(Object.entries(all).map(([name, text]) => bare.put(name, text)));
    const other = await openRig({ live: () => release });
    try {
      const customer = await other.customer();
      const reply = await other.get(`/api/v1/crime/by-postcode?${query}`, customer.key);
      return { status: reply.statusCode, headers: reply.headers, error: reply.json().error };
    } finally {
      await other.close();
    }
  } finally {
    bare.remove();
  }
}

test('an archive of after its last month has no file of Northern Ireland: it has stopped, it is not just missing', async () => {
  const files = { 'city.csv': street('2025-09', 'City of London Police', '-0.093562,51.519917', 60) };
  const { error } = await askOther(files, 'postcode=BT1 5GS');
  assert.deepEqual([error.reason, error.policeForce, error.lastMonth], ['force-stopped', psni, '2023-07']);
});

test('an archive of before its last month without Northern Ireland is one that lacks it', async () => {
  const files = { 'city.csv': street('2023-03', 'City of London Police', '-0.093562,51.519917', 60) };
  const { error } = await askOther(files, 'postcode=BT1 5GS');
  assert.deepEqual(
    [error.reason, error.policeForce, 'lastMonth' in error],
    ['force-not-loaded', psni, false],
  );
});

test('without crime data at all the service is unavailable, promises no time, and charges nothing', async () => {
  const { status, error, headers } = await askOther({}, 'postcode=BT1 5GS');
  assert.deepEqual([status, error.code], [503, 'SERVICE_UNAVAILABLE']);
  assert.equal(headers['retry-after'], undefined);
  assert.equal(headers['x-credits-charged'], '0');
});
