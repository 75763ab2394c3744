// The documents show a call and, below it, an answer. Whoever sends the one gets the other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleParams, readExampleAnswers } from '../../src/contract/examples.ts';
import { envelopeExample } from '../../src/contract/openapi.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { openRig } from '../rig.ts';

/** How long the look-up took: the one figure that is of the call, not of the data. */
const timed = /"executionTime":[\d.]+/;

// The clock of the rig stays on one day: sold prices look back from its day, and the rate in force is that day's.
test('the example of every endpoint is what the public key is answered to its example call', async () => {
  const rig = await openRig();
  const examples = await readExampleAnswers();
  try {
    await rig.accounts.openPublicSandbox(rig.clock.nowMs);
    for (const [place, endpoint] of endpoints.entries()) {
      const params = exampleParams(endpoint, 'sandbox') ?? assert.fail(endpoint.path);
      const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
      // Each from an address of its own, whose windows are empty before.
      const reply = await rig.app.inject({
        url: `/api/v1${endpoint.path}?${query}`,
        remoteAddress: `198.51.100.${place}`,
        headers: { 'x-api-key': publicKey },
      });
      assert.equal(reply.statusCode, 200, endpoint.path);
      const told = JSON.parse(reply.body.replace(timed, '"executionTime":0'));
      const shown = JSON.parse(
        JSON.stringify(envelopeExample(endpoint, examples)).replace(timed, '"executionTime":0'),
      );
      const advice = `${endpoint.path}: run npm run docs`;
      assert.deepEqual(shown, told, advice);
    }
  } finally {
    await rig.close();
  }
});
