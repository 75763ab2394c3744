// GET /area/sold-prices on the bundled sample: every parameter, error and decision, and answers that a plain look
// at the sample's file confirms.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { list } from '../../src/contract/shape.ts';
import { addressLine, SalePage, salePage } from '../../src/endpoints/sold-prices/page.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { formatDay, monthsBefore, parseDay } from '../../src/uk/calendar.ts';
import { openRig, type Rig, withSamples } from '../rig.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000_000 }));
});
after(() => rig.close());

const ask = async (query: string, headers: Record<string, string> = {}) => {
  const reply = await rig.get(`/api/v1/area/sold-prices${query}`, key, headers);
  return { status: reply.statusCode, headers: reply.headers, body: reply.json(), text: reply.body };
};

type Sale = { address: string; postcode: string; price: number; date: string; propertyType: string };
type Row = Readonly<Record<string, string>>;

const columns = [
  ...['transactionId', 'price', 'date', 'postcode', 'propertyType', 'newBuild', 'estateType', 'paon'],
  ...['saon', 'street', 'locality', 'town', 'district', 'county', 'category'],
];
const lines = firstRows(
  readFileSync(path.join(import.meta.dirname, '../../data/sample/price-paid.csv')),
  Number.POSITIVE_INFINITY,
  'utf-8',
);
const sample: readonly Row[] = lines.map((cells) => {
  const row = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? '']));
  return { ...row, date: row.date?.slice(0, 10) ?? '', newBuild: String(row.newBuild === 'Y') };
});
/** The rig's clock. */
const today = parseDay('2026-11-15') ?? 0;

const areaOf = (row: Row) => /^[A-Z]+/.exec(row.postcode ?? '')?.[0];

test('the answer has the members of the contract, in its order, and nothing else', async () => {
  const { status, body, headers } = await ask('?area=po&months=36&limit=2');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['success', 'data', 'billing']);
  assert.deepEqual(Object.keys(body.data), [
    'area',
    'postcode',
    'street',
    'period',
    'totalResults',
    'returned',
    'offset',
    'summary',
    'properties',
  ]);
  assert.deepEqual(Object.keys(body.data.summary), [
    'averagePrice',
    'medianPrice',
    'priceRange',
    'byPropertyType',
  ]);
  assert.deepEqual(
    [
      body.data.area,
      body.data.postcode,
      body.data.street,
      body.data.period,
      body.data.returned,
      body.data.offset,
    ],
    ['PO', null, null, '36 months', 2, 0],
  );
  assert.equal(body.data.totalResults, 450);
  assert.equal(headers['x-data-source'], 'HM Land Registry');
  assert.equal(headers['x-credits-charged'], '1');
});

test('a sale is written as the contract has it', async () => {
  const { body } = await ask('?postcode=ec2y8dh&months=360&limit=500');
  assert.equal(body.data.postcode, 'EC2Y 8DH');
  assert.equal(body.data.area, 'EC');
  const sale = body.data.properties.find((one: Sale) => one.price === 525000 && one.date === '2021-06-01');
  assert.deepEqual(sale, {
    address: '505, BUNYAN COURT, BARBICAN, LONDON, EC2Y 8DH',
    postcode: 'EC2Y 8DH',
    price: 525000,
    date: '2021-06-01',
    propertyType: 'F',
    newBuild: false,
    estateType: 'Leasehold',
    street: 'BARBICAN',
    town: 'LONDON',
    district: 'CITY OF LONDON',
    county: 'GREATER LONDON',
  });
});

const place = { saon: '', paon: '', street: '', locality: '', town: 'RYDE', postcode: 'PO33 2JR' };
const addresses: readonly [Partial<typeof place>, string][] = [
  [{ paon: '12', street: 'HIGH STREET' }, '12 HIGH STREET, RYDE, PO33 2JR'],
  [{ paon: '139A', street: 'HIGH STREET' }, '139A HIGH STREET, RYDE, PO33 2JR'],
  [{ paon: '41 - 51', street: 'HIGH BRIDGE' }, '41 - 51 HIGH BRIDGE, RYDE, PO33 2JR'],
  [{ paon: 'ROSE COTTAGE', street: 'HIGH STREET' }, 'ROSE COTTAGE, HIGH STREET, RYDE, PO33 2JR'],
  [{ paon: 'MAXWELL COURT, 8', street: 'LOW ROAD' }, 'MAXWELL COURT, 8 LOW ROAD, RYDE, PO33 2JR'],
  [{ saon: 'FLAT 2', paon: '38', street: 'A ROAD' }, 'FLAT 2, 38 A ROAD, RYDE, PO33 2JR'],
  [{ saon: '1', paon: 'ST. JOHNS COTTAGES' }, '1, ST. JOHNS COTTAGES, RYDE, PO33 2JR'],
  [{ paon: '12', locality: 'SEAVIEW' }, '12, SEAVIEW, RYDE, PO33 2JR'],
  [{ paon: '12', street: 'HIGH STREET', locality: 'RYDE' }, '12 HIGH STREET, RYDE, PO33 2JR'],
  [{ paon: '12', street: 'HIGH STREET', locality: 'SEAVIEW', town: '' }, '12 HIGH STREET, SEAVIEW, PO33 2JR'],
  [{ street: 'HIGH STREET' }, 'HIGH STREET, RYDE, PO33 2JR'],
  [{ postcode: '' }, 'RYDE'],
  [{ town: '' }, 'PO33 2JR'],
  [{ town: '', postcode: '' }, ''],
];
for (const [parts, line] of addresses) {
  test(`address: ${line || 'nothing'}`, () => assert.equal(addressLine({ ...place, ...parts }), line));
}

const estateNames = { F: 'Freehold', L: 'Leasehold', U: null } as const;

/** One row as an object; the service writes pages straight from the columns. */
function saleAt({ segment, rows }: SalePage, index: number) {
  const row = rows[index] ?? assert.fail();
  const place = segment.place(row);
  const { street, town, district, county } = place;
  const postcode = segment.postcode(row);
  return {
    address: addressLine({ saon: segment.saon(row), paon: segment.paon(row), postcode, ...place }),
    postcode,
    price: segment.price(row),
    date: formatDay(segment.days[row] ?? assert.fail()),
    propertyType: segment.propertyType(row),
    newBuild: segment.isNewlyBuilt(row),
    estateType: estateNames[segment.estate(row)],
    street,
    town,
    district,
    county,
  };
}

test('a page written from the columns equals the same sales written one by one', () => {
  const release = openHome(rig.home, layouts).releases.openCurrent();
  for (const area of ['PO', 'EC']) {
    const segment = openSales(release).find(area);
    assert.ok(segment !== undefined);
    const rows = Uint32Array.from({ length: segment.length }, (_, row) => (row * 37) % segment.length);
    const page = new SalePage(segment, rows);
    const plain = Array.from(rows, (_, index) => saleAt(page, index));
    assert.equal(salePage.write(page), salePage.write(plain));
    assert.equal(
      salePage.write(page),
      list({ schema: {}, write: JSON.stringify, presence: 'required' }).write(plain),
    );
  }
});

const refusals: Readonly<Record<string, [query: string, code: string, field?: string]>> = {
  'no place': ['', 'MISSING_AREA_OR_POSTCODE'],
  'an empty place': ['?area=&postcode=', 'MISSING_AREA_OR_POSTCODE'],
  'a street alone': ['?street=high', 'MISSING_AREA_OR_POSTCODE'],
  'three letters': ['?area=ABC', 'INVALID_AREA', 'area'],
  'an outcode as area': ['?area=PO30', 'INVALID_AREA', 'area'],
  'a malformed postcode': ['?postcode=PO33', 'INVALID_AREA', 'postcode'],
  'a type that is none': ['?area=PO&type=X', 'INVALID_PROPERTY_TYPE', 'type'],
  'months that are no number': ['?area=PO&months=abc', 'INVALID_PARAMETER', 'months'],
  'a limit with a fraction': ['?area=PO&limit=1.5', 'INVALID_PARAMETER', 'limit'],
  'an offset that is no number': ['?area=PO&offset=x', 'INVALID_PARAMETER', 'offset'],
  'a price with an exponent': ['?area=PO&minPrice=1e3', 'INVALID_PARAMETER', 'minPrice'],
  'a price in words': ['?area=PO&maxPrice=lots', 'INVALID_PARAMETER', 'maxPrice'],
  'an unknown order': ['?area=PO&sort=size', 'INVALID_PARAMETER', 'sort'],
  'an unknown category': ['?area=PO&category=C', 'INVALID_PARAMETER', 'category'],
  'an unknown extra': ['?area=PO&include=trend,moon', 'INVALID_PARAMETER', 'include'],
  'a malformed outcode': ['?outcode=PO', 'INVALID_PARAMETER', 'outcode'],
  'a malformed sector': ['?sector=PO', 'INVALID_PARAMETER', 'sector'],
};
for (const [what, [query, code, field]] of Object.entries(refusals)) {
  test(`refused: ${what}`, async () => {
    const { status, body, headers } = await ask(query);
    assert.deepEqual([status, body.error.code, body.error.field], [400, code, field]);
    assert.equal(headers['x-credits-charged'], '0');
  });
}

test('without a key the answer is UNAUTHORIZED', async () => {
  const reply = await rig.get('/api/v1/area/sold-prices?area=PO');
  assert.deepEqual([reply.statusCode, reply.json().error.code], [401, 'UNAUTHORIZED']);
});

test('numbers out of bounds are moved to the bounds, and the period says so', async () => {
  const of = async (query: string) => (await ask(`?area=PO&${query}`)).body.data;
  assert.equal((await of('months=0')).period, '1 months');
  assert.equal((await of('months=-5')).period, '1 months');
  assert.equal((await of('months=9999')).period, '360 months');
  assert.equal((await of('months=36&limit=9999')).returned, 450);
  assert.equal((await of('months=36&limit=0')).returned, 1);
  assert.equal((await of('months=36&offset=-3')).offset, 0);
  assert.equal((await of('')).period, '24 months');
  assert.equal((await of('months=36')).returned, 100);
});

test('nothing found is a 200 with zeros: charged where the register is whole, free where only a sample of it is loaded', async (t) => {
  const whole = await openRig({ live: (real) => withSamples(real, []) });
  t.after(() => whole.close());
  const { key: ofWhole } = await whole.customer({ limits: { minute: null } });
  const queries = ['?area=PO&minPrice=5&maxPrice=4', '?postcode=PO33 2RW', '?area=PO&street=zzzz'];
  for (const [service, asker, coverage, charged] of [
    [whole, ofWhole, undefined, '1'],
    [rig, key, 'none; only a sample of the sales in PO is loaded', '0'],
  ] as const) {
    for (const query of queries) {
      const { statusCode, headers, ...reply } = await service.get(`/api/v1/area/sold-prices${query}`, asker);
      const { data, billing } = reply.json();
      assert.equal(statusCode, 200);
      assert.equal(headers['x-data-coverage'], coverage, query);
      assert.deepEqual(data.summary, {
        averagePrice: 0,
        medianPrice: 0,
        priceRange: { min: 0, max: 0 },
        byPropertyType: {},
      });
      assert.deepEqual([data.totalResults, data.returned, data.properties], [0, 0, []]);
      assert.equal(headers['x-credits-charged'], charged, query);
      assert.equal(String(billing.creditsCharged), charged, query);
    }
  }
});

test('a place that the register cannot have, or of which nothing is loaded, is an empty 200 that says why and is free', async () => {
  const cases: Record<string, string> = {
    '?area=EH': 'the register of sales covers England and Wales, not Scotland',
    '?area=bt': 'the register of sales covers England and Wales, not Northern Ireland',
    '?area=JE': 'the register of sales covers England and Wales, not the Channel Islands',
    '?area=GY': 'the register of sales covers England and Wales, not the Channel Islands',
    '?postcode=IM1 1AA': 'the register of sales covers England and Wales, not the Isle of Man',
    '?outcode=G12': 'the register of sales covers England and Wales, not Scotland',
    '?sector=AB10 1&months=360': 'the register of sales covers England and Wales, not Scotland',
    '?area=Q': 'no place has a postcode that begins with Q',
    '?area=XX': 'no place has a postcode that begins with XX',
    '?postcode=GIR0AA': 'no place has a postcode that begins with GIR',
    '?postcode=ZZ1 1AA': 'ZZ is the fictional area of test keys',
    '?area=SW': 'no sale in SW is loaded',
    '?area=TD': 'no sale in TD is loaded',
  };
  const { body: first } = await ask('?area=PO');
  let left = first.billing.creditsRemaining;
  for (const [query, why] of Object.entries(cases)) {
    for (const accept of ['application/json', 'text/csv']) {
      const { statusCode, headers, body } = await rig.get(`/api/v1/area/sold-prices${query}`, key, {
        accept,
      });
      assert.equal(statusCode, 200, query);
      assert.equal(headers['x-data-coverage'], `none; ${why}`, query);
      assert.equal(headers['x-credits-charged'], '0', query);
      assert.equal(headers['x-credits-remaining'], String(left), query);
      if (accept === 'text/csv') continue;
      const { data, billing } = JSON.parse(body);
      assert.deepEqual([data.totalResults, data.properties, billing.creditsCharged], [0, [], 0], query);
      left = billing.creditsRemaining;
    }
  }
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const inTown = await rig.get('/api/v1/area/sold-prices?area=SW', testKey);
  assert.match(String(inTown.headers['x-data-coverage']), /^none; a test key knows only .* ZZ$/);
  for (const query of ['postcode=ZZ4 1AA', 'outcode=ZZ4']) {
    const { headers } = await rig.get(`/api/v1/area/sold-prices?${query}`, testKey);
    assert.equal(
      headers['x-data-coverage'],
      'none; the register of sales covers England and Wales, not Scotland',
      query,
    );
  }
});

test('a period that begins after the newest loaded sale has no answer and costs nothing; one that reaches it is charged', async () => {
  for (const place of ['area=PO', 'outcode=PO33', 'postcode=PO33 2RX']) {
    const late = await ask(`?${place}&months=1`);
    assert.deepEqual([late.status, late.body.data.totalResults], [200, 0], place);
    assert.equal(
      late.headers['x-data-coverage'],
      'none; the loaded sales in PO end on 2026-05-22, before the period begins',
    );
    assert.equal(late.headers['x-credits-charged'], '0', place);
  }
  // On the rig's day, five months reach back to 2026-06-15 and six to 2026-05-15.
  assert.equal((await ask('?area=PO&months=5')).headers['x-credits-charged'], '0');
  const reaching = await ask('?area=PO&months=6');
  assert.deepEqual(
    [reaching.headers['x-credits-charged'], reaching.headers['x-data-coverage']],
    ['1', 'sample'],
  );
  assert.match(
    String((await ask('?area=EH&months=1')).headers['x-data-coverage']),
    /^none; .* not Scotland$/,
  );
});

test('what is free is free on an empty balance too; all else is 402, whatever a look-up would tell', async () => {
  const { key: poor } = await rig.customer({ credits: 0 });
  const ask = (query: string, accept?: string) =>
    rig.get(`/api/v1/area/sold-prices?${query}`, poor, accept === undefined ? {} : { accept });
  for (const query of [
    'area=EH',
    'area=XX',
    'area=BT',
    'area=SW',
    'postcode=EH1 1YZ',
    'area=PO&maxPrice=1',
  ]) {
    for (const accept of [undefined, 'text/csv']) {
      const { statusCode, headers } = await ask(query, accept);
      assert.deepEqual([statusCode, headers['x-credits-charged']], [200, '0'], query);
    }
  }
  for (const query of ['area=PO', 'postcode=PO33 2RX']) {
    assert.equal((await ask(query)).statusCode, 402, query);
  }
  for (const postcode of ['NP10 8WA', 'PO33 9ZZ', 'ZZ1 1AA']) {
    const { statusCode } = await rig.get(`/api/v1/area/statistics?postcode=${postcode}`, poor);
    assert.equal(statusCode, 402, postcode);
  }
});

test('an outcode and a sector are told apart, and what could be both is refused', async () => {
  const of = async (query: string) => {
    const { status, body } = await ask(query);
    return status === 200 ? (body.data.sector ?? body.data.outcode) : body.error;
  };
  assert.equal(await of('?outcode=po30'), 'PO30');
  assert.equal(await of('?outcode=PO 30'), 'PO30');
  assert.equal(await of('?sector=po30 1'), 'PO30 1');
  assert.equal(await of('?sector=po301'), 'PO30 1');
  assert.equal(await of('?sector=PO3 0'), 'PO3 0');
  for (const query of ['?sector=PO30', '?sector=M11', '?outcode=PO3 0', '?sector=PO 30']) {
    const { code, field, message } = await of(query);
    assert.equal(code, 'INVALID_PARAMETER', query);
    assert.match(message, new RegExp(`Send .${field}. as .*for example PO30`), query);
  }
});

test('an offset past the end leaves the total as it is', async () => {
  const { body } = await ask('?area=PO&months=36&offset=100000');
  assert.deepEqual([body.data.totalResults, body.data.returned, body.data.offset], [450, 0, 100_000]);
  assert.ok(body.data.summary.averagePrice > 0);
});

test('the postcode counts before the area, and the area echoes that of the postcode', async () => {
  const { body } = await ask('?area=M&postcode=PO33 2JR&months=360');
  assert.equal(body.data.area, 'PO');
  assert.ok(body.data.properties.every((sale: Sale) => sale.postcode === 'PO33 2JR'));
});

test('a street is a part of the name in any case, and its signs mean themselves', async () => {
  const upper = (await ask('?area=PO&months=36&street=ROAD')).body.data;
  const lower = (await ask('?area=PO&months=36&street=road')).body.data;
  assert.ok(upper.totalResults > 10);
  assert.deepEqual([lower.totalResults, lower.street], [upper.totalResults, 'road']);
  for (const odd of ['%25', '_', '.*', 'R%25D']) {
    assert.equal((await ask(`?area=PO&months=36&street=${odd}`)).body.data.totalResults, 0, odd);
  }
});

test('only the word true restricts to new builds', async () => {
  const total = async (value: string) =>
    (await ask(`?area=PO&months=36&newBuild=${value}`)).body.data.totalResults;
  assert.equal(await total('TRUE'), 17);
  for (const value of ['false', '1', 'yes', '']) assert.equal(await total(value), 450);
});

test('the lookback ends on the same date, included', async () => {
  rig.clock.nowMs = Date.UTC(2026, 10, 18, 12);
  const included = (await ask('?area=EC&months=24')).body.data;
  rig.clock.nowMs = Date.UTC(2026, 10, 19, 12);
  const excluded = (await ask('?area=EC&months=24')).body.data;
  rig.clock.nowMs = Date.UTC(2026, 10, 15, 12, 0, 10);
  assert.equal(included.properties.at(-1).date, '2024-11-18');
  assert.equal(
    included.totalResults - excluded.totalResults,
    sample.filter((row) => areaOf(row) === 'EC' && row.date === '2024-11-18').length,
  );
  assert.equal(formatDay(monthsBefore(parseDay('2026-03-31') ?? 0, 1)), '2026-02-28');
  assert.equal(formatDay(monthsBefore(parseDay('2024-03-31') ?? 0, 1)), '2024-02-29');
  assert.equal(formatDay(monthsBefore(parseDay('2026-01-31') ?? 0, 360)), '1996-01-31');
});

test('outcode, sector, category and order are extras that leave the rest as it is', async () => {
  const all = (await ask('?area=PO&months=36&limit=500')).body.data;
  const outcode = (await ask('?outcode=po33&months=36&limit=500')).body.data;
  assert.deepEqual([outcode.area, outcode.outcode, 'sector' in outcode], ['PO', 'PO33', false]);
  assert.deepEqual(
    outcode.properties,
    all.properties.filter(({ postcode }: Sale) => postcode.startsWith('PO33 ')),
  );
  const sector = (await ask('?sector=po332&months=36&limit=500')).body.data;
  assert.equal(sector.sector, 'PO33 2');
  assert.deepEqual(
    sector.properties,
    all.properties.filter(({ postcode }: Sale) => postcode.startsWith('PO33 2')),
  );
  const [a, b] = await Promise.all(
    ['A', 'b'].map(
      async (category) => (await ask(`?area=PO&months=36&category=${category}`)).body.data.totalResults,
    ),
  );
  assert.deepEqual([a, b], [450 - 66, 66]);
  const byPrice = (await ask('?area=PO&months=36&limit=500&sort=price&order=asc')).body.data.properties;
  assert.deepEqual(
    byPrice.map(({ price }: Sale) => price),
    all.properties.map(({ price }: Sale) => price).sort((x: number, y: number) => x - y),
  );
  const oldest = (await ask('?area=PO&months=36&limit=500&order=asc')).body.data.properties;
  assert.deepEqual(oldest, all.properties.toReversed());
});

test('trend and quartiles are those of all matches', async () => {
  const { data } = (await ask('?area=PO&months=36&limit=500&include=quartiles,trend')).body;
  const prices = data.properties.map(({ price }: Sale) => price).sort((x: number, y: number) => x - y);
  assert.deepEqual(data.summary.quartiles, { lower: quantile(prices, 0.25), upper: quantile(prices, 0.75) });
  const months = Map.groupBy(data.properties as Sale[], ({ date }) => date.slice(0, 7));
  const expected = [...months.keys()].sort().map((month) => {
    const own = months.get(month) ?? [];
    const types = Map.groupBy(own, ({ propertyType }) => propertyType);
    const facts = (sales: readonly Sale[]) => ({
      count: sales.length,
      medianPrice: quantile(
        sales.map(({ price }) => price).sort((x, y) => x - y),
        0.5,
      ),
    });
    const byPropertyType = Object.fromEntries([...types].map(([type, sales]) => [type, facts(sales)]));
    return { month, ...facts(own), byPropertyType };
  });
  assert.deepEqual(data.trend, expected);
  const street = (await ask('?area=PO&months=36&street=road&include=trend')).body.data;
  assert.equal(
    street.trend.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    street.totalResults,
  );
});

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

const filters = fc.record(
  {
    area: fc.constantFrom('PO', 'ec', 'Po'),
    postcode: fc.constantFrom(undefined, undefined, undefined, 'EC2Y 8DH', 'PO33 2JR', 'po30 5'),
    street: fc.constantFrom(undefined, undefined, 'road', 'BARBICAN', 'a', 'high street'),
    months: fc.integer({ min: 1, max: 80 }),
    type: fc.constantFrom(undefined, undefined, 'D', 's', 'T', 'F', 'O'),
    minPrice: fc.constantFrom(undefined, 0, 100_000, 250_000, 900_000),
    maxPrice: fc.constantFrom(undefined, 100, 250_000, 300_000, 99_999_999),
    newBuild: fc.constantFrom(undefined, 'true', 'false'),
    category: fc.constantFrom(undefined, undefined, 'A', 'B'),
    limit: fc.integer({ min: 1, max: 60 }),
  },
  { requiredKeys: ['area', 'months', 'limit'] },
);

test('any filters: rows satisfy them, pages join to the total, and the summary is that of all pages', async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const postcode = filter.postcode === 'po30 5' ? undefined : filter.postcode;
      const query = new URLSearchParams(
        Object.entries({ ...filter, postcode }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      );
      const area = postcode === undefined ? filter.area.toUpperCase() : postcode.slice(0, 2);
      const from = formatDay(monthsBefore(today, filter.months));
      const expected = sample.filter(
        (row) =>
          areaOf(row) === area &&
          (postcode === undefined || row.postcode === postcode) &&
          (row.date ?? '') >= from &&
          (filter.street === undefined || (row.street ?? '').includes(filter.street.toUpperCase())) &&
          (filter.type === undefined || row.propertyType === filter.type.toUpperCase()) &&
          Number(row.price) >= (filter.minPrice ?? 0) &&
          Number(row.price) <= (filter.maxPrice ?? Number.POSITIVE_INFINITY) &&
          (filter.newBuild !== 'true' || row.newBuild === 'true') &&
          (filter.category === undefined || row.category === filter.category),
      );
      const pages: Sale[] = [];
      let summary: Record<string, unknown> = {};
      for (let offset = 0; offset === 0 || offset < expected.length; offset += filter.limit) {
        const { body } = await ask(`?${query}&offset=${offset}`);
        assert.equal(body.data.totalResults, expected.length);
        assert.equal(body.data.returned, body.data.properties.length);
        pages.push(...body.data.properties);
        summary = body.data.summary;
      }
      const wanted = expected
        .toSorted((a, b) => compare(b.date, a.date) || compare(a.transactionId, b.transactionId))
        .map((row) => [row.date, Number(row.price), row.postcode, row.propertyType, row.street]);
      assert.deepEqual(
        pages.map((sale) => [
          sale.date,
          sale.price,
          sale.postcode,
          sale.propertyType,
          'street' in sale && sale.street,
        ]),
        wanted,
      );
      assert.deepEqual(summary, naiveSummary(pages));
    }),
    { numRuns: 120 },
  );
});

const compare = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0);

function naiveSummary(sales: readonly Sale[]) {
  const prices = sales.map(({ price }) => price).sort((a, b) => a - b);
  const mean = (values: readonly number[]) =>
    Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 100) / 100;
  const byType = Map.groupBy(sales, ({ propertyType }) => propertyType);
  return {
    averagePrice: prices.length === 0 ? 0 : mean(prices),
    medianPrice: prices.length === 0 ? 0 : quantile(prices, 0.5),
    priceRange: { min: prices[0] ?? 0, max: prices.at(-1) ?? 0 },
    byPropertyType: Object.fromEntries(
      [...byType].map(([type, own]) => [
        type,
        { count: own.length, avgPrice: mean(own.map(({ price }) => price)) },
      ]),
    ),
  };
}

test('a test key sees the fictional town, whose terminated postcode still has its sales', async () => {
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const get = async (query: string) =>
    (await rig.get(`/api/v1/area/sold-prices?${query}`, testKey)).json().data;
  assert.ok((await get('area=ZZ')).totalResults > 100);
  assert.ok((await get('postcode=ZZ1 1AA&months=360')).totalResults > 10);
  assert.ok((await get('postcode=ZZ1 2ZZ&months=360')).totalResults > 0);
  assert.equal((await ask('?area=ZZ&months=360')).body.data.totalResults, 0);
});

test('a caller that accepts CSV gets the page as CSV, charged alike, with an ETag of its own', async () => {
  const url = '/api/v1/area/sold-prices?area=PO&months=36&limit=50';
  const json = await rig.get(url, key, { accept: 'application/json' });
  for (const accept of ['text/csv', 'application/json;q=0.5, text/csv', 'text/html, TEXT/CSV;q=0.9']) {
    const csv = await rig.get(url, key, { accept });
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(csv.headers.vary, 'Origin, X-API-Key, Accept, Accept-Encoding');
    assert.equal(csv.headers['x-credits-charged'], '1');
    assert.notEqual(csv.headers.etag, json.headers.etag);
    const [names = [], ...rows] = firstRows(Buffer.from(csv.body), Number.POSITIVE_INFINITY, 'utf-8');
    const sales: Record<string, unknown>[] = json.json().data.properties;
    assert.deepEqual(names, Object.keys(sales[0] ?? {}));
    assert.deepEqual(
      rows,
      sales.map((sale) => Object.values(sale).map(String)),
    );
    const repeated = await rig.get(url, key, { accept, 'if-none-match': String(csv.headers.etag) });
    assert.equal(repeated.statusCode, 304);
  }
  for (const accept of ['*/*', 'text/csv;q=0', 'application/json, text/csv;q=0.5', 'text/html']) {
    const reply = await rig.get(url, key, { accept });
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8', accept);
    assert.equal(reply.headers.vary, 'Origin, X-API-Key, Accept, Accept-Encoding');
  }
});

test('an error is in the envelope whatever is accepted', async () => {
  const reply = await rig.get('/api/v1/area/sold-prices', key, { accept: 'text/csv' });
  assert.equal(reply.json().error.code, 'MISSING_AREA_OR_POSTCODE');
});

test('positions has each postcode of the page once, with the point that the directory has, and only where it is asked for', async () => {
  assert.ok(!('positions' in (await ask('?area=PO&months=360&limit=5')).body.data));
  const { status, body } = await ask('?area=PO&months=360&limit=60&include=positions');
  assert.equal(status, 200);
  const postcodes = body.data.properties
    .map(({ postcode }: Sale) => postcode)
    .filter((text: string) => text !== '');
  type Position = { postcode: string; latitude: number | null; longitude: number | null };
  const positions: readonly Position[] = body.data.positions;
  assert.deepEqual(
    positions.map(({ postcode }) => postcode),
    [...new Set(postcodes)],
  );
  let known = 0;
  for (const { postcode, latitude, longitude } of positions) {
    const reply = await rig.get(`/api/v1/postcodes/lookup?postcode=${encodeURIComponent(postcode)}`, key);
    const told = reply.statusCode === 200 ? reply.json().data : { latitude: null, longitude: null };
    assert.deepEqual(
      { latitude, longitude },
      { latitude: told.latitude, longitude: told.longitude },
      postcode,
    );
    if (latitude !== null) known += 1;
  }
  assert.ok(known > 0);
  const none = await ask('?area=PO&months=1&maxPrice=1&include=positions');
  assert.deepEqual(none.body.data.positions, []);
});
