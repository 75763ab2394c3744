// `domesday serve` with DOMESDAY_VALUATION_SITE: off unless its terms are accepted, and said aloud where it is on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../../src/config.ts';
import { bundledHome, type Running, startDomesday } from '../../rig.ts';
import { openValuationServer } from '../../upstream/valuation-server.ts';

test('a site without accepted terms refuses the start with one line that names both settings', () => {
  const site = 'https://www.tax.service.gov.uk/check-council-tax-band';
  const read = (env: Record<string, string>) => readSettings(env, {});
  assert.throws(() => read({ DOMESDAY_VALUATION_SITE: site }), {
    name: 'BadSetting',
    message:
      'DOMESDAY_VALUATION_SITE is set, but the terms of the site forbid commercial use; if your use is allowed, set DOMESDAY_VALUATION_TERMS to accepted.',
  });
  assert.throws(
    () => read({ DOMESDAY_VALUATION_SITE: site, DOMESDAY_VALUATION_TERMS: 'yes' }),
    /must be one of accepted/,
  );
  const both = read({ DOMESDAY_VALUATION_SITE: `${site}/`, DOMESDAY_VALUATION_TERMS: 'accepted' });
  assert.equal(both.valuationSite, site);
  assert.equal(read({ DOMESDAY_VALUATION_TERMS: 'accepted' }).valuationSite, undefined);
});

test('a served look-up comes from the site, its answer is kept in the home folder, its terms are printed', async () => {
  const server = await openValuationServer({
    'SW1A 1AA': [{ address: '1 MALL ROAD, LONDON', band: 'H', authority: 'Westminster' }],
  });
  const { home, remove } = await bundledHome();
  let running: Running | undefined;
  try {
    running = await startDomesday(home, {
      DOMESDAY_VALUATION_SITE: server.url,
      DOMESDAY_VALUATION_TERMS: 'accepted',
      DOMESDAY_LOG: 'silent',
    });
    const key = await keyOf(running);
    const ask = async () => {
      const query = new URLSearchParams({ postcode: 'SW1A 1AA', address: '1 Mall Road' });
      const reply = await fetch(`${running?.url}/api/v1/council-tax/property-lookup?${query}`, {
        headers: { 'x-api-key': key },
      });
      return JSON.parse(await reply.text());
    };
    assert.equal((await ask()).data.councilTaxBand, 'H');
    const asked = server.asked.length;
    assert.equal((await ask()).data.propertyDetails.voaDetailsLink, `${server.url}/property/sw1a1aa-0`);
    assert.equal(server.asked.length, asked);
    assert.match(running.output(), /terms of the public valuation site forbid commercial use/);
  } finally {
    await running?.stop();
    await server.close();
    remove();
  }
});

const keyOf = (running: Running): Promise<string> =>
  new Promise((resolve) => {
    const look = () => {
      const key = /dd_live_\w+/.exec(running.output())?.[0];
      if (key !== undefined) resolve(key);
    };
    running.child.stdout?.on('data', look);
    look();
  });
