// Terms that bind whoever uses the data: nothing under them is loaded before a person accepts them, and everything after.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { hourMs } from '../../src/time.ts';
import { parsePostcode } from '../../src/uk/postcode.ts';
import { type Desk, openDesk } from './desk.ts';
import { onspdId } from './editions.ts';

const belfast = (desk: Desk) =>
  openPostcodes(desk.release()).find(parsePostcode('BT1 1AA') ?? assert.fail())?.postcode;

test('what is under terms is left out until they are accepted, said in full once, and loaded then although no file has changed', async (context) => {
  const desk = await openDesk(context, 'onspd', 'price-paid');
  const first = await desk.update();
  assert.equal(first.status, 0, first.out + first.err);
  const sales = () => desk.release().findDataset('price-paid')?.extent;
  assert.equal(sales(), 'sample');
  assert.equal(belfast(desk), undefined);
  const postcodes = () => desk.release().findDataset('postcodes') ?? assert.fail();
  assert.equal(postcodes().extent, 'partial');
  assert.match(postcodes().coverage['Northern Ireland'] ?? '', /terms/);
  assert.match(postcodes().leftOut ?? '', /Northern Ireland/);
  const inFull = /Addresses in Price Paid Data belong to Royal Mail and Ordnance Survey/;
  assert.match(first.out, inFull);
  assert.match(first.out, /Postcodes of Northern Ireland \(BT\) belong to Land & Property Services/);

  desk.clock.nowMs += hourMs;
  const second = await desk.update();
  assert.equal(second.status, 0);
  assert.doesNotMatch(second.out, inFull);
  assert.match(
    second.out,
    /the terms "price-paid-addresses" .* left out: the publication\. .*--accept-licences price-paid-addresses`$/m,
  );
  assert.match(
    second.out,
    /the terms "northern-ireland-postcodes" .* left out: postcodes of Northern Ireland\. /m,
  );

  desk.clock.nowMs += hourMs;
  desk.publishers.forget();
  const third = await desk.update('--accept-licences', 'northern-ireland-postcodes');
  assert.equal(third.status, 0, third.out + third.err);
  assert.deepEqual(desk.publishers.sent(), [`https://www.arcgis.com/itemdata/${onspdId}/data.zip`]);
  assert.match(third.out, /onspd: its terms are accepted now/);
  assert.doesNotMatch(third.out, /terms "northern-ireland-postcodes"/i);
  assert.deepEqual([belfast(desk), postcodes().leftOut], ['BT1 1AA', undefined]);
  assert.doesNotMatch(postcodes().coverage['Northern Ireland'] ?? '', /terms/);
  assert.equal(sales(), 'sample');

  desk.clock.nowMs += hourMs;
  const fourth = await desk.update('--accept-licences', 'all');
  assert.equal(fourth.status, 0, fourth.out + fourth.err);
  assert.notEqual(sales(), 'sample');
  assert.doesNotMatch(fourth.out, /terms "/i);
  desk.publishers.forget();
  assert.equal((await desk.update('--accept-licences', 'all')).status, 0);
  assert.deepEqual(desk.publishers.sent(), []);
});

test('a run that prints JSON names the terms each time, and does not count as having told a person', async (context) => {
  const desk = await openDesk(context, 'price-paid');
  for (const _ of [1, 2]) {
    const ended = await desk.update('--json');
    const { termsNotAccepted } = JSON.parse(ended.out);
    assert.deepEqual(
      termsNotAccepted.map(({ name }: { name: string }) => name),
      ['price-paid-addresses'],
    );
  }
  assert.deepEqual(desk.state().termsShown, []);
  assert.match((await desk.update()).out, /Addresses in Price Paid Data belong to Royal Mail/);
});
