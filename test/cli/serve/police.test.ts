// `domesday serve` with DOMESDAY_POLICE_API asks the live service, with one thread and with several.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSettings } from '../../../src/config.ts';
import { bundledHome, type Running, startDomesday } from '../../rig.ts';
import { crime, openPoliceServer, type PoliceServer } from '../../upstream/police-server.ts';

let server: PoliceServer;
before(async () => {
  server = await openPoliceServer({
    months: ['2026-09'],
    force: 'hampshire',
    crimes: (month) => [crime(month, 'drugs', [50.700597, -1.29081])],
  });
});
after(() => server.close());

/** The greeting prints it, after the line that tells the address. */
const keyOf = (running: Running): Promise<string> =>
  new Promise((resolve) => {
    const look = () => {
      const key = /dd_live_\w+/.exec(running.output())?.[0];
      if (key !== undefined) resolve(key);
    };
    running.child.stdout?.on('data', look);
    look();
  });

for (const workers of ['1', '2']) {
  test(`a place that is not loaded is answered live with ${workers} thread(s), and kept in the home folder`, async () => {
    const { home, remove } = await bundledHome();
    let stop: Running['stop'] | undefined;
    try {
      const running = await startDomesday(home, {
        DOMESDAY_POLICE_API: `${server.url}/`,
        DOMESDAY_WORKERS: workers,
        DOMESDAY_LOG: 'silent',
      });
      stop = running.stop;
      const key = await keyOf(running);
      const before = server.asked.length;
      for (let call = 0; call < 4; call += 1) {
        const reply = await fetch(`${running.url}/api/v1/crime/by-postcode?postcode=PO301UD&months=1`, {
          headers: { 'x-api-key': key },
        });
        assert.equal(reply.status, 200);
      }
      // The months there are, and the crimes of one: which force it is, the district tells.
      assert.equal(server.asked.length - before, 2);
    } finally {
      await stop?.();
      remove();
    }
  });
}

test('the address of the police service is an http address, without its last slash', () => {
  assert.equal(
    readSettings({ DOMESDAY_POLICE_API: 'https://data.police.uk/api/' }, {}).policeApi,
    'https://data.police.uk/api',
  );
  assert.equal(readSettings({}, {}).policeApi, undefined);
  assert.throws(
    () => readSettings({ DOMESDAY_POLICE_API: 'data.police.uk' }, {}),
    /must be an http or https address/,
  );
  assert.throws(
    () => readSettings({ DOMESDAY_POLICE_API: 'file:///etc' }, {}),
    /must be an http or https address/,
  );
});
