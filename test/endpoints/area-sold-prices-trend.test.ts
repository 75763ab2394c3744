// GET /area/sold-prices/trend: every month of the period, with the quartiles that sorting the sales of /area/sold-prices
// gives; and what is told where there are none.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { areaSoldPrices } from '../../src/endpoints/area-sold-prices.ts';
import { areaSoldPricesTrend } from '../../src/endpoints/area-sold-prices-trend.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { parseDay } from '../../src/uk/calendar.ts';
import { openRig, type Rig, withSamples } from '../rig.ts';
import { bulkCsv, openSalesHome, row } from '../sources/price-paid/files.ts';

let rig: Rig;
let key: string;
let releases: readonly Release[];
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000_000 }));
  const stores = openHome(rig.home, layouts);
  releases = [stores.releases.openCurrent(), stores.sandbox.openCurrent()];
});
after(() => rig.close());

const ask = async (query: string, headers: Record<string, string> = {}) => {
  const reply = await rig.get(`/api/v1/area/sold-prices/trend?${query}`, key, headers);
  return { status: reply.statusCode, headers: reply.headers, text: reply.body, reply };
};

type Month = {
  month: string;
  count: number | null;
  lowerQuartile: number | null;
  medianPrice: number | null;
  upperQuartile: number | null;
};
type Sale = { price: number; date: string };

/** The rig's clock. */
const today = parseDay('2026-11-15') ?? 0;

async function answerOf(endpoint: Endpoint, release: Release, query: URLSearchParams) {
  const prepared = endpoint.prepare(query);
  assert.ok(prepared.kind === 'prepared', String(query));
  const outcome = await prepared.run({ release, today });
  assert.ok(outcome.kind === 'answered', String(query));
  return JSON.parse(outcome.json);
}

/** All pages of the list of sales. */
async function salesOf(release: Release, query: URLSearchParams): Promise<readonly Sale[]> {
  const sales: Sale[] = [];
  for (;;) {
    const page = new URLSearchParams(query);
    page.set('limit', '500');
    page.set('offset', String(sales.length));
    const { properties, totalResults } = await answerOf(areaSoldPrices, release, page);
    sales.push(...properties);
    if (sales.length === totalResults) return sales;
  }
}

/** Of a month's sales, by sorting them. */
function quartilesOf(sales: readonly Sale[]) {
  const prices = sales.map(({ price }) => price).sort((a, b) => a - b);
  const at = (quarters: number) => {
    const place = (prices.length - 1) * quarters;
    const [low = 0, high = 0] = [prices[Math.floor(place / 4)], prices[Math.ceil(place / 4)]];
    return low + ((high - low) * (place % 4)) / 4;
  };
  return prices.length === 0
    ? { lowerQuartile: null, medianPrice: null, upperQuartile: null }
    : { lowerQuartile: at(1), medianPrice: at(2), upperQuartile: at(3) };
}

/** "2024-11" to "2026-11", both included. */
function monthsBetween(from: string, to: string): readonly string[] {
  const months: string[] = [];
  for (let [year = 0, month = 0] = from.split('-').map(Number); ; month += 1) {
    if (month > 12) [year, month] = [year + 1, 1];
    const text = `${year}-${String(month).padStart(2, '0')}`;
    if (text > to) return months;
    months.push(text);
  }
}

const months = fc.integer({ min: 1, max: 360 }).map((count) => ({ months: String(count) }));
const filters = fc.constantFrom(
  ...['D', 'S', 'T', 'F', 'O'].map((type) => ({ type })),
  ...['0', '100000', '250000'].map((minPrice) => ({ minPrice })),
  ...['99999', '300000', '5000000'].map((maxPrice) => ({ maxPrice })),
  ...['true', 'false'].map((newBuild) => ({ newBuild })),
  ...['A', 'B'].map((category) => ({ category })),
  ...['road', 'HIGH', 'lane', 'nowhere at all'].map((street) => ({ street })),
);
/** Some months and up to two filters. */
const wishes = fc
  .tuple(months, fc.array(filters, { maxLength: 2 }))
  .map(([period, some]) => Object.assign({}, period, ...some));
const places = [
  [{ area: 'PO' }, { outcode: 'PO30' }, { sector: 'PO33 2' }, { outcode: 'PO33' }],
  [{ area: 'ZZ' }, { outcode: 'ZZ1' }, { sector: 'ZZ1 1' }, { postcode: 'ZZ1 1AA' }],
];

test('of any filter every month is there, with the quartiles of the sales that the list has', async () => {
  let withSales = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(1), fc.nat(3), wishes, async (which, place, wish) => {
      const release = releases[which] ?? assert.fail();
      const query = new URLSearchParams({ ...wish, ...places[which]?.[place] });
      const data = await answerOf(areaSoldPricesTrend, release, query);
      const sales = await salesOf(release, query);
      const byMonth = Map.groupBy(sales, ({ date }) => date.slice(0, 7));
      const asOf = release.findDataset('price-paid')?.asOf ?? assert.fail();
      const isFact = sales.length > 0 || release.findDataset('price-paid')?.extent !== 'sample';
      assert.equal(data.totalResults, sales.length);
      assert.equal(data.to, '2026-11-15');
      assert.deepEqual(
        data.months,
        monthsBetween(data.from.slice(0, 7), '2026-11').map((month) => ({
          month,
          count: byMonth.get(month)?.length ?? (isFact && month <= asOf.slice(0, 7) ? 0 : null),
          ...quartilesOf(byMonth.get(month) ?? []),
        })),
      );
      withSales += Math.min(sales.length, 1);
    }),
    { numRuns: 200 },
  );
  assert.ok(withSales > 40, `${withSales} had sales`);
});

test('what was asked for is repeated as the list repeats it', async () => {
  const query = 'area=po&months=9999&street=High';
  const { text } = await ask(query);
  const list = (await rig.get(`/api/v1/area/sold-prices?${query}`, key)).json().data;
  const { months, from, to, ...told } = JSON.parse(text).data;
  assert.deepEqual(told, {
    area: list.area,
    postcode: list.postcode,
    street: list.street,
    period: list.period,
    totalResults: list.totalResults,
  });
  assert.deepEqual([from, to, months.length], ['1996-11-15', '2026-11-15', 361]);
});

test('as CSV come the same months, what is not known empty', async () => {
  const { text } = await ask('area=PO&months=60');
  const table = await ask('area=PO&months=60', { accept: 'text/csv' });
  assert.equal(table.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(table.headers['x-credits-charged'], '1');
  const [titles, ...rows] = table.text.trimEnd().split('\r\n');
  assert.equal(titles, 'month,count,lowerQuartile,medianPrice,upperQuartile');
  const months: Month[] = JSON.parse(text).data.months;
  assert.deepEqual(
    rows,
    months.map((one) => [one.month, one.count, one.lowerQuartile, one.medianPrice, one.upperQuartile].join()),
  );
  assert.ok(months.some(({ count }) => count === null) && months.some(({ count }) => count !== null));
});

test('where the data cannot have a sale, no month has a count, and nothing is charged', async () => {
  for (const [query, why] of [
    ['area=EH', 'Scotland'],
    ['area=BT', 'Northern Ireland'],
    ['area=ZZ', 'fictional'],
    ['area=QQ', 'no place'],
    ['area=AL', 'no sale in AL is loaded'],
    ['area=PO', 'the loaded sales in PO end on 2026-05-22'],
  ] as const) {
    const { status, headers, text } = await ask(`${query}&months=3`);
    assert.equal(status, 200, query);
    assert.match(String(headers['x-data-coverage']), new RegExp(`^none; .*${why}`));
    assert.equal(headers['x-credits-charged'], '0');
    const { months, totalResults } = JSON.parse(text).data;
    assert.equal(totalResults, 0);
    assert.deepEqual(
      months.map(({ month, ...figures }: Month) => [month, Object.values(figures)]),
      ['2026-08', '2026-09', '2026-10', '2026-11'].map((month) => [month, [null, null, null, null]]),
    );
  }
});

test('each area is known to its own newest sale: months after it have no count, the day and the coverage are its own, and what begins after it is free', async (t) => {
  const home = openSalesHome();
  t.after(() => home.remove());
  const sales = [
    row(1, { postcode: 'SW1V 1AA', date: '2020-01-10 00:00', price: '500000' }),
    row(2, { postcode: 'SW1V 1AB', date: '2020-02-28 00:00', price: '700000' }),
    row(3, { postcode: 'EC1V 1AA', date: '2024-11-18 00:00', price: '600000' }),
  ];
  await home.ingest([home.put('pp-part.csv', bulkCsv(sales))]);
  const own = await openRig({ live: () => home.store.openCurrent() });
  t.after(() => own.close());
  const { key: ownKey } = await own.customer({ limits: { minute: null } });
  const get = async (path: string, accept = 'application/json') => {
    const { headers, body } = await own.get(`/api/v1/area/sold-prices${path}`, ownKey, { accept });
    return {
      told: headers['x-data-coverage'],
      asOf: headers['x-data-as-of'],
      charged: headers['x-credits-charged'],
      body,
    };
  };

  const stale = await get('/trend?area=SW&months=83');
  assert.deepEqual([stale.asOf, stale.charged], ['2020-02-28', '1']);
  assert.equal(
    stale.told,
    'partial; loaded: 2 sales of postcode area SW, to 2020-02-28; the complete register is not loaded',
  );
  const { months } = JSON.parse(stale.body).data;
  assert.deepEqual(
    months.filter(({ count }: Month) => count !== null).map(({ month, count }: Month) => [month, count]),
    [
      ['2019-12', 0],
      ['2020-01', 1],
      ['2020-02', 1],
    ],
  );
  const table = (await get('/trend?area=SW&months=83', 'text/csv')).body.trim().split(/\r?\n/);
  assert.deepEqual(
    table.slice(1).map((line) => line.split(',')[1]),
    months.map(({ count }: Month) => (count === null ? '' : String(count))),
  );

  for (const path of [
    '/trend?area=SW&months=60',
    '?area=SW&months=60',
    '?outcode=SW1V&months=60&include=trend',
  ]) {
    for (const accept of ['application/json', 'text/csv']) {
      const late = await get(path, accept);
      assert.deepEqual(
        [late.told, late.asOf, late.charged],
        ['none; the loaded sales in SW end on 2020-02-28, before the period begins', '2020-02-28', '0'],
        path,
      );
    }
  }
  assert.ok(
    JSON.parse((await get('/trend?area=SW&months=60')).body).data.months.every(
      ({ count }: Month) => count === null,
    ),
  );
  const listed = await get('?area=EC&months=24');
  assert.deepEqual([listed.asOf, listed.charged], ['2024-11-18', '1']);
  assert.match(String(listed.told), /^partial; loaded: 1 sale of postcode area EC, to 2024-11-18;/);
  const { datasets } = (await own.get('/api/v1/datasets')).json().data;
  assert.equal(
    datasets[0].coverage['England and Wales'],
    '3 sales of postcode areas EC, SW (to 2020-02-28), to 2024-11-18; the complete register is not loaded',
  );
});

test('of the sample, too, an area is known to its own newest sale', async () => {
  const { headers, text } = await ask('area=EC&months=36');
  assert.equal(headers['x-data-as-of'], '2024-11-18');
  assert.equal(headers['x-data-coverage'], 'sample, partial; the loaded sales in EC end on 2024-11-18');
  const { months } = JSON.parse(text).data;
  for (const { month, count } of months) assert.equal(count === null, month > '2024-11', month);
});

test('a filter that finds nothing counts 0 and is charged where the register is whole; of a sample nothing is known, and it is free', async (t) => {
  const whole = await openRig({ live: (real) => withSamples(real, []) });
  t.after(() => whole.close());
  const { key: ofWhole } = await whole.customer();
  const path = '/api/v1/area/sold-prices/trend?area=PO&months=36&street=nowhere at all';
  const found = await whole.get(path, ofWhole);
  assert.equal(found.headers['x-credits-charged'], '1');
  const { months } = found.json().data;
  assert.ok(months.some(({ count }: Month) => count === 0));
  assert.ok(months.every(({ medianPrice }: Month) => medianPrice === null));
  const ofSample = await rig.get(path, key);
  assert.equal(ofSample.headers['x-credits-charged'], '0');
  assert.ok(ofSample.json().data.months.every(({ count }: Month) => count === null));
});

test('bad parameters are refused by the codes of the list', async () => {
  for (const [query, status, code] of [
    ['', 400, 'MISSING_AREA_OR_POSTCODE'],
    ['street=high', 400, 'MISSING_AREA_OR_POSTCODE'],
    ['area=P1', 400, 'INVALID_AREA'],
    ['postcode=nope', 400, 'INVALID_AREA'],
    ['area=PO&type=X', 400, 'INVALID_PROPERTY_TYPE'],
    ['area=PO&months=abc', 400, 'INVALID_PARAMETER'],
    ['sector=PO', 400, 'INVALID_PARAMETER'],
  ] as const) {
    const { reply } = await ask(query);
    assert.deepEqual([reply.statusCode, reply.json().error.code], [status, code], query);
  }
  const unknown = await rig.get('/api/v1/area/sold-prices/trend?area=PO', 'dd_live_nobody');
  assert.deepEqual([unknown.statusCode, unknown.json().error.code], [401, 'AUTHENTICATION_REQUIRED']);
});

test('whatever is sent, the answer is in the envelope and never a fault of the service', async () => {
  const name = fc.constantFrom(
    'area',
    'postcode',
    'outcode',
    'sector',
    'street',
    'months',
    'type',
    'minPrice',
    'x',
  );
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('PO', 'po30', '-1', '1e9', '%00', 'PO30 1', '999999999999'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (pairs) => {
      const { status, reply } = await ask(String(new URLSearchParams(pairs)));
      assert.ok(status === 200 || status === 400, `${status}`);
      assert.equal(reply.json().success, status === 200);
    }),
    { numRuns: 200 },
  );
});
