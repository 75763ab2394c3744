// Promise: what is wrong with the question is told before what is wrong with the balance. Every 400 that an endpoint lists
// comes on an empty balance too, and says what to send.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '../../src/endpoints/index.ts';
import { type ErrorCode, errors } from '../../src/errors.ts';
import { assertCall } from '../consequences.ts';
import { openRig, type Rig, takenBy } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const home = 'postcode=PO33 2RX&authorityCode=E06000046&address=1 High Street&lat=51.501&lon=-0.142';

/** Queries that any endpoint with the code must refuse by it. */
const provocations: Partial<Record<ErrorCode, readonly string[]>> = {
  MISSING_POSTCODE: ['', 'postcode=', 'address=1 High Street'],
  INVALID_POSTCODE: ['postcode=nonsense&address=1 High Street'],
  MISSING_ADDRESS: ['postcode=SW1A 1AA', 'postcode=SW1A 1AA&address='],
  FLAT_ONLY_ADDRESS: ['postcode=SW1A 1AA&address=Flat 2', 'postcode=SW1A 1AA&address=7'],
  ORGANISATION_OR_AGENT_NAME: ['postcode=SW1A 1AA&address=Zed Lettings Ltd'],
  PROPERTY_LEVEL_COUNTRY_UNSUPPORTED: ['BT1 1AA', 'JE2 3AB', 'GY1 1AA', 'IM1 1AA', 'EH1 1YZ', 'ZE1 0AA'].map(
    (postcode) => `postcode=${postcode}&address=1 High Street`,
  ),
  MISSING_AUTHORITY_CODE: ['', 'authorityCode='],
  INVALID_TAX_YEAR: [`${home}&taxYear=2026`, `${home}&taxYear=2026-28`],
  INVALID_MONTHS: ['postcode=SW1A 1AA&months=0', 'postcode=SW1A 1AA&months=x'],
  MISSING_AREA_OR_POSTCODE: ['', 'street=High', 'area=&postcode=', 'months=12&type=D'],
  INVALID_AREA: ['area=123', 'postcode=nonsense'],
  INVALID_PROPERTY_TYPE: ['area=PO&type=Q'],
  INVALID_DATE_FORMAT: ['startDate=2025-02-30&from=2025-02-30', 'endDate=x&to=x'],
  INVALID_LIMIT: ['limit=0', 'limit=x'],
};
/** Which parameter of an endpoint can be unreadable, where one can. */
const unreadable: Record<string, string> = {
  '/account/usage': 'by=hour',
  '/area/sold-prices': 'area=PO&minPrice=1e3',
  '/council-tax/authorities': 'limit=x',
  '/crime/by-postcode': 'postcode=SW1A 1AA&radius=x',
  '/postcodes/near': 'lat=51.5&lon=x',
  '/postcodes/complete': 'q=',
};

for (const endpoint of endpoints) {
  const { path, errors: codes, credits } = endpoint;
  test(`${path}: every 400 comes on an empty balance too, free, with what to send`, async () => {
    const rich = await rig.customer({ credits: 10 });
    for (const code of codes.filter((one) => errors[one].status === 400)) {
      const own = unreadable[path];
      const queries =
        code === 'INVALID_PARAMETER' ? (own === undefined ? [] : [own]) : (provocations[code] ?? []);
      assert.ok(queries.length > 0 || code === 'INVALID_PARAMETER', `nothing here provokes ${code}`);
      for (const query of queries.map((all) => takenBy(endpoint, all))) {
        for (const { key, accountId } of [await rig.customer({ credits: 0 }), rich]) {
          const call = { url: `/api/v1${path}?${query}`, headers: { 'x-api-key': key } };
          const reply = await assertCall(rig, accountId, call, {
            status: 400,
            code,
            headers: { 'x-credits-charged': '0' },
            log: [{ path, status: 400, credits: 0 }],
            figures: { [`requests_total{endpoint="${path}",status="400"}`]: 1 },
          });
          const { error } = reply.json();
          assert.match(error.message, /^[A-Z`].*\.$/s);
          if (error.field !== undefined && !query.includes(`${error.field}=`)) continue;
          if (error.field !== undefined)
            assert.ok(error.message.includes(`\`${error.field}\``), error.message);
        }
      }
    }
    if (credits === 0) return;
    const { key: poor } = await rig.customer({ credits: 0 });
    const { statusCode } = await rig.get(`/api/v1${path}?${takenBy(endpoint, home)}`, poor);
    assert.equal(statusCode, 402, 'a good question is told that the balance is empty');
  });
}

test('an empty balance is told what fills it: a date where it renews, nothing of a refresh where it does not', async () => {
  const { key: monthly } = await rig.customer({ plan: 'basic', credits: 0 });
  const { key: trial } = await rig.customer({ plan: 'trial', credits: 0 });
  const messageFor = async (key: string) => (await rig.get('/api/v1/bank-rates', key)).json().error.message;
  assert.match(await messageFor(monthly), /monthly refresh on 2026-12-15\.$/);
  assert.match(await messageFor(trial), /do not renew/);
  assert.doesNotMatch(await messageFor(trial), /refresh/);
});
