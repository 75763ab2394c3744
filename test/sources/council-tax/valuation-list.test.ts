// Councils' valuation lists as they come: every council with its own columns.

import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openValuations } from '../../../src/tables/valuations.ts';
import { formatDay } from '../../../src/uk/calendar.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const csv = (...rows: readonly string[]) => `${rows.join('\n')}\n`;

/** "address band reference uprn date" of every entry, in order. */
function entries(postcode: string): readonly string[] {
  const parsed = parsePostcode(postcode);
  assert.ok(parsed);
  return openValuations(home.store.openCurrent())
    .entriesOf(parsed)
    .map(({ address, band, reference, uprn, effective }) =>
      [address, band, reference, uprn || '', effective === undefined ? '' : formatDay(effective)]
        .join('|')
        .replace(/\|+$/, ''),
    );
}

test('address columns of any number and name, in their order, become one line', async () => {
  const shapes: readonly (readonly [string, string])[] = [
    ['ADDR,POSTCODE,BAND', '"FLAT 1, 17 PEAR TREE STREET, OXMERE",AB1 1AA,F'],
    ['PROPREF,UPRN,ADDRESS,POSTCODE,CT_BAND', '1,2,"FLAT 1, 17 PEAR TREE STREET, OXMERE, AB1 1AA",ab11aa,f'],
    [
      'ADDR1,ADDR2,ADDR3,ADDR4,ADDR5,POSTCODE,LAT,LNG,BAND',
      'FLAT 1,17 PEAR TREE STREET,,OXMERE,,AB1 1AA,1,2,F',
    ],
    ['BAND,ADDR2,ADDR1,ADDR3,POSTCODE', 'F,17  PEAR TREE STREET, FLAT 1 ,OXMERE,AB1 1AA'],
    [
      '"UPRN              ",Address Line 1,Address Line 2,Post Code,Council Tax Band',
      '"12  ",FLAT 1,"17 PEAR TREE STREET, OXMERE",AB1  1AA,Band F',
    ],
    ['ADDR1,ADDR2,ADDR3,ADDR4,ORDID,POSTCODE,BAND', 'FLAT 1,17 PEAR TREE STREET,OXMERE,,77,AB1 1AA,F'],
  ];
  for (const [header, row] of shapes) {
    await home.ingest([home.put('list-202610.csv', csv(header, row))]);
    assert.equal(
      entries('AB1 1AA')[0]?.split('|').slice(0, 2).join('|'),
      'FLAT 1, 17 PEAR TREE STREET, OXMERE|F',
      header,
    );
    assert.equal(entries('AB1 1AA').length, 1);
  }
});

test('reference, UPRN and effective date are kept where the list has them', async () => {
  await home.ingest([
    home.put(
      'list-202610.csv',
      csv(
        'property_ref,uprn,addr1,addr2,postcode,band,band_from',
        'LS/1,72000001,1 MILL LANE,OXMERE,AB1 1AA,A,01.04.1993',
        'LS/2,,2 MILL LANE,OXMERE,AB1 1AA,H,2004-09-12',
        'LS/3,x,10 MILL LANE,OXMERE,AB1 1AA,I,soon',
      ),
    ),
  ]);
  assert.deepEqual(entries('ab11aa'), [
    '1 MILL LANE, OXMERE|A|LS/1|72000001|1993-04-01',
    '2 MILL LANE, OXMERE|H|LS/2||2004-09-12',
    '10 MILL LANE, OXMERE|I|LS/3',
  ]);
  assert.deepEqual(entries('AB1 1AB'), []);
  assert.deepEqual(entries('ZZ1 1AA'), []);
});

test('deleted entries and rows that cannot be used are left out, counted, with their places', async () => {
  const { sources } = await home.ingest([
    home.put(
      'list-202610.csv',
      csv(
        'ADDR,POSTCODE,BAND,STATUS,END_DATE',
        '1 MILL LANE,AB1 1AA,A,LIVE,',
        '2 MILL LANE,AB1 1AA,A,DELETED,',
        '3 MILL LANE,AB1 1AA,A,,2020-01-01',
        '4 MILL LANE,AB1 1AA,,LIVE,',
        '5 MILL LANE,AB1 1AA,J,LIVE,',
        '6 MILL LANE,NOWHERE,A,LIVE,',
        '7 MILL LANE,,A,LIVE,',
        ',AB1 1AA,A,LIVE,',
        '9 MILL LANE,AB1 1AA,A,PENDING,',
        '"1,  Mill Lane",AB1 1AA,A,LIVE,',
        '10 MILL LANE,AB1 1AA',
      ),
    ),
  ]);
  assert.deepEqual(entries('AB1 1AA'), ['1 MILL LANE|A']);
  assert.deepEqual(
    Object.fromEntries(sources[0]?.rejected.map(({ reason, places }) => [reason, places]) ?? []),
    {
      'deleted entry': ['list-202610.csv:3', 'list-202610.csv:4'],
      'no band A to I': ['list-202610.csv:5', 'list-202610.csv:6'],
      'not a postcode': ['list-202610.csv:7'],
      'neither postcode nor UPRN': ['list-202610.csv:8'],
      'no address': ['list-202610.csv:9'],
      'status is not known': ['list-202610.csv:10'],
      'fewer fields than the header': ['list-202610.csv:12'],
      'same entry twice': ['AB1 1AA 1, Mill Lane'],
    },
  );
  assert.deepEqual([sources[0]?.read, sources[0]?.kept], [11, 1]);
});

test('of several bands of one property the newest counts; two that cannot be told apart stay', async () => {
  await home.ingest([
    home.put(
      'list-202610.csv',
      csv(
        'PROPREF,ADDR,POSTCODE,BAND,EFFECTIVE DATE',
        '1,1 MILL LANE,AB1 1AA,A,01/04/1993',
        '1,1 MILL LANE,AB1 1AA,B,1 Jun 2010',
        '2,2 MILL LANE,AB1 1AA,C,2010-06-01',
        '2,2 MILL LANE,AB1 1AA,D,1993-04-01',
        '3,3 MILL LANE,AB1 1AA,E,',
        '4,3 MILL LANE,AB1 1AA,F,',
      ),
    ),
  ]);
  assert.deepEqual(
    entries('AB1 1AA').map((line) => line.split('|').slice(0, 2).join(' ')),
    ['1 MILL LANE B', '2 MILL LANE C', '3 MILL LANE E', '3 MILL LANE F'],
  );
});

test('a list without a column it needs is refused, with the columns it has', async () => {
  const refused = (content: string, expected: RegExp) =>
    assert.rejects(home.ingest([home.put('list-202610.csv', content)]), expected);
  await refused(
    csv('PROPREF,UPRN,ADDR1,POSTCODE', '1,2,X,AB1 1AA'),
    /list-202610\.csv: has no column for the band .* PROPREF, UPRN, ADDR1, POSTCODE/,
  );
  await refused(csv('PROPREF,ADDR1,BAND', '1,X,A'), /neither a column POSTCODE nor a column UPRN/);
  await refused(
    csv('UPRN,ADDR1,BAND', '1,X,A'),
    /has no column POSTCODE. Give it together with the ONS UPRN Directory/,
  );
  await refused(csv('ADDR1,POSTCODE,BAND'), /has a header and no rows\./);
  await refused(csv('ADDR1,POSTCODE,BAND', 'X,AB1 1AA,none'), /holds no home with a band A to I/);
  await refused(csv('UPRN,GRIDGB1E,PCDS', '1,2,AB1 1AA'), /has the postcodes of UPRNs/);
  await refused(csv('POSTCODE,BAND', 'AB1 1AA,A'), /not recognised/);
  assert.equal(home.store.currentId(), undefined);
});

test('a list is of the day in its name, else of its newest row, else of the day that is asked for', async () => {
  const rows = csv('ADDR,POSTCODE,BAND', '1 MILL LANE,AB1 1AA,A');
  const dated = csv('ADDR,POSTCODE,BAND,EFFECTIVE DATE', '1 MILL LANE,AB1 1AA,A,2019-04-01');
  const asOf = async (name: string, content: string, edition?: string) => {
    const own = openTestHome();
    try {
      const { release } = await own.ingest([own.put(name, content)], undefined, undefined, edition);
      return release.findDataset('valuations')?.asOf;
    } finally {
      own.remove();
    }
  };
  await assert.rejects(asOf('leeds.csv', rows), /does not state its day.* --edition/);
  assert.equal(await asOf('leeds.csv', rows, '2024-05-31'), '2024-05-31');
  assert.equal(await asOf('leeds-2024-06-30.csv', rows), '2024-06-30');
  assert.equal(await asOf('LEEDS_CTBANDS_ONSUD_202405.csv', rows), '2024-05-01');
  assert.equal(await asOf('leeds.csv', dated), '2019-04-01');
  assert.equal(await asOf('leeds-2024-06-30.csv', dated), '2024-06-30');
});

test('of several lists the oldest tells the day of the data, in whichever order they come', async () => {
  const asOf = () => home.store.openCurrent().findDataset('valuations')?.asOf;
  const list = (name: string, postcode: string) =>
    home.put(name, csv('ADDR,POSTCODE,BAND', `1 MILL LANE,${postcode},A`));
  await home.ingest([list('leeds-2024-06-30.csv', 'AB1 1AA')]);
  await home.ingest([list('york-2021-03-31.csv', 'AB2 1AA')]);
  assert.equal(asOf(), '2021-03-31');
  await home.ingest([list('hull-2025-01-31.csv', 'AB3 1AA')]);
  assert.equal(asOf(), '2021-03-31');
  await home.ingest([list('york-2025-03-31.csv', 'AB2 1AA')]);
  assert.equal(asOf(), '2024-06-30');
});

test('a list is the same in every edition, however its file writes the day', async () => {
  const names = [
    'leeds.csv',
    'leeds-2024-06-30.csv',
    'leeds_01.07.2024.csv',
    'leeds 202408.csv',
    'leeds September 2024.csv',
  ];
  for (const [index, name] of names.entries()) {
    const rows = csv('ADDR,POSTCODE,BAND,EFFECTIVE DATE', `${index} MILL LANE,AB1 1AA,A,2019-04-01`);
    await home.ingest([home.put(name, rows)]);
    assert.equal(entries('AB1 1AA').length, 1, name);
  }
});

test('postcodes that a list lacks are found by UPRN, whichever file comes first', async () => {
  const list = home.put(
    'z-list-202610.csv',
    csv(
      'property_ref,UPRN,addr1,addr2,band',
      '1,100,1 MILL LANE,OXMERE,A',
      '2,200,2 MILL LANE,OXMERE,B',
      '3,300,3 MILL LANE,OXMERE,C',
    ),
  );
  const directory = home.put(
    'a-directory.csv',
    csv(
      'UPRN,GRIDGB1E,GRIDGB1N,PCDS,OA21CD',
      '300,1,2,,E',
      '200,1,2,AB1 1AB,E',
      '150,1,2,AB1 1AA,E',
      '100,1,2,AB1 1AA,E',
    ),
  );
  for (const order of [
    [list, directory],
    [directory, list],
  ]) {
    const { sources, outcome } = await home.ingest(order);
    assert.deepEqual(entries('AB1 1AA'), ['1 MILL LANE, OXMERE|A|1|100']);
    assert.deepEqual(entries('AB1 1AB'), ['2 MILL LANE, OXMERE|B|2|200']);
    // The same files a second time are not read.
    const isFirst = order[0] === list;
    assert.equal(outcome, isFirst ? 'made' : 'nothing new');
    assert.deepEqual(
      sources[0]?.rejected,
      isFirst
        ? [{ reason: 'no postcode for its UPRN', count: 1, places: ['z-list-202610.csv:4'] }]
        : undefined,
    );
  }
});

test('another council is added; a new edition replaces its own list, and says what it takes out', async () => {
  const north = home.put(
    'NORTH_CTBANDS_ONSUD_202501.csv',
    csv('ADDR,POSTCODE,BAND', '1 MILL LANE,AB1 1AA,A', '2 MILL LANE,AB1 1AA,A'),
  );
  const south = home.put(
    'SOUTH_CTBANDS_OSOU_202501.csv',
    csv('ADDR,POSTCODE,BAND', '9 MILL LANE,AB1 1AA,C', '1 SEA ROAD,CD2 2AA,D'),
  );
  const newer = home.put(
    'NORTH_CTBANDS_ONSUD_202512.csv',
    csv('ADDR,POSTCODE,BAND', '1 MILL LANE,AB1 1AA,B'),
  );
  await home.ingest([north]);
  await home.ingest([south]);
  const { sources, release } = await home.ingest([newer]);
  assert.deepEqual(entries('AB1 1AA'), ['1 MILL LANE|B', '9 MILL LANE|C']);
  assert.deepEqual(entries('CD2 2AA'), ['1 SEA ROAD|D']);
  assert.deepEqual(sources[0]?.revised, [
    {
      reason: 'known home removed: the new list does not have it',
      count: 1,
      places: ['AB1 1AA 2 MILL LANE'],
    },
  ]);
  assert.deepEqual(
    openValuations(release)
      .lists.map(({ name }) => name)
      .sort(),
    ['NORTH', 'SOUTH'],
  );
  assert.equal(release.findDataset('valuations')?.rows, 3);
});

test('an older edition of a list never takes the place of a newer one, in whatever order or case they come', async () => {
  const put = (name: string, band: string) =>
    home.put(name, csv('ADDR,POSTCODE,BAND', `1 MILL LANE,AB1 1AA,${band}`));
  await home.ingest([put('Oxmere-2024-06-01.csv', 'B')]);
  await assert.rejects(
    home.ingest([put('oxmere-2019-06-01.csv', 'A')]),
    /the list of Oxmere is of 2019-06-01, but the newer one of 2024-06-01 is loaded/,
  );
  await home.ingest([put('elsewhere-2018-01-01.csv', 'C')]);
  assert.deepEqual(
    entries('AB1 1AA').toSorted(),
    ['1 MILL LANE|B', '1 MILL LANE|C'],
    'another council may be older',
  );
  await assert.rejects(home.ingest([put('oxmere-2023-06-01.csv', 'A')]), /of 2024-06-01 is loaded/);
  await home.ingest([put('OXMERE-2025-06-01.csv', 'D')]);
  assert.deepEqual(entries('AB1 1AA').toSorted(), ['1 MILL LANE|C', '1 MILL LANE|D']);
});

test('of two editions of one list the newer is read, in either order; parts of one list are joined', async () => {
  const list = (name: string, house: number, from: string) =>
    home.put(
      name,
      csv('AUTHORITY_CODE,ADDR,POSTCODE,BAND,BAND_FROM', `E06000999,${house} MILL LANE,AB1 1AA,A,${from}`),
    );
  for (const names of [
    ['first-2024-06-01.csv', 'second-2019-06-01.csv'],
    ['first-2019-06-01.csv', 'second-2024-06-01.csv'],
  ]) {
    const files = names.map((name, at) => list(name, at + 1, '1993-04-01'));
    const older = names.findIndex((name) => name.includes('2019'));
    const { passedOver } = await home.ingest(files);
    assert.deepEqual(
      passedOver.map(({ name }) => name),
      [files[older]],
    );
    assert.match(entries('AB1 1AA').join(), new RegExp(`^${2 - older} MILL LANE`));
    home.remove();
    home = openTestHome();
  }
  await home.ingest([list('odd-numbers.csv', 1, '2001-05-01'), list('even-numbers.csv', 2, '2019-02-03')]);
  assert.deepEqual(
    entries('AB1 1AA').map((entry) => entry.slice(0, 11)),
    ['1 MILL LANE', '2 MILL LANE'],
  );
  assert.equal(home.store.openCurrent().findDataset('valuations')?.asOf, '2019-02-03');
});

test('lists of the same homes are editions of one, whatever their files are called', async () => {
  const put = (name: string, band: string, homes: number) =>
    home.put(
      name,
      csv(
        'ADDR,POSTCODE,BAND',
        ...Array.from(
          { length: homes },
          (_, at) => `"${at + 1} MILL LANE, OXMERE",AB1 1A${'ABD'[at % 3]},${band}`,
        ),
      ),
    );
  const bands = () => new Set(entries('AB1 1AA').map((entry) => entry.split('|')[1]));
  await home.ingest([put('oxmere-2022-06-01.csv', 'H', 60)]);
  await assert.rejects(
    home.ingest([put('homes of the council 2020-06-01.csv', 'A', 70)]),
    /the list of oxmere is of 2020-06-01, but the newer one of 2022-06-01 is loaded/,
  );
  assert.deepEqual([...bands()], ['H']);
  const report = await home.ingest([put('homes of the council 2024-06-01.csv', 'B', 50)]);
  assert.deepEqual([...bands()], ['B']);
  assert.equal(report.sources[0]?.revised[0]?.count, 10);
  await assert.rejects(
    home.ingest([put('one-2025-01-01.csv', 'C', 60), put('other-2025-01-01.csv', 'D', 40)]),
    /one and other list the same homes/,
  );
  // Along a border some homes stand in both.
  await home.ingest([put('neighbours-2019-01-01.csv', 'E', 12)]);
  assert.deepEqual([...bands()].sort(), ['B', 'E']);
});

test('the sandbox list loads, with its authorities, without its deleted entries, band I in Wales alone', async () => {
  const file = path.join(import.meta.dirname, '../../../data/sandbox/valuation-list.csv');
  const { release, sources } = await home.ingest([file]);
  const table = openValuations(release);
  assert.deepEqual(table.lists.map(({ authority }) => authority).sort(), ['E06000999', 'W06000999']);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count }) => [reason, count]),
    [['deleted entry', 3]],
  );
  assert.ok(
    entries('ZZ1 1AA').includes(
      'FLAT 12A, ZENITH COURT, 11 HIGH STREET, ZEDBURY|D|ZED000021|999000000021|2008-11-20',
    ),
  );
  assert.ok(!entries('ZZ1 1AA').some((line) => line.startsWith('5 HIGH STREET')));
  assert.ok(entries('ZZ3 1AA').some((line) => line.startsWith('PLAS ZED, FFORDD ZED, ZEDBORTH|I')));
  assert.ok(!entries('ZZ1 1AA').some((line) => line.includes('|I|')));
});
