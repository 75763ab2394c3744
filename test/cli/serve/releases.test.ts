// Which release a service serves after damage: a loaded one once it is mended, the bundled one built anew.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openHome } from '../../../src/release/store.ts';
import { layouts } from '../../../src/tables/index.ts';
import { smallDisks, testWith } from '../../requirements.ts';
import {
  bundledHome,
  type Running,
  runDomesday,
  runDomesdayProcess,
  startDomesday,
  temporaryHome,
} from '../../rig.ts';

const newRates = path.join(import.meta.dirname, '../../fixtures/bank-rate/iadb-later.csv');

/** Waits until the service has printed it. */
function printed(running: Running, what: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (what.test(running.output())) resolve();
    };
    running.child.stdout?.on('data', look);
    look();
  });
}

const servedBy = async ({ url }: Running) =>
  JSON.parse(await (await fetch(`${url}/health/ready`)).text()).release;

/** What the metrics say is served, and whether what was made current is refused. */
async function releaseFigures(running: Running): Promise<readonly unknown[]> {
  const place = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(running.output())?.[0] ?? assert.fail();
  const text = await (await fetch(place)).text();
  return [
    /^domesday_release_info\{release="(.*)"\} 1$/m.exec(text)?.[1],
    /^domesday_release_refused (\d)$/m.exec(text)?.[1],
  ];
}

test('slow: a release that was damaged when it became current is served once it is mended', async () => {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home, {
    DOMESDAY_WATCH_RELEASE_MS: '50',
    DOMESDAY_METRICS_PORT: '0',
  });
  const store = openHome(home, layouts).releases;
  const before = store.currentId() ?? assert.fail();
  assert.equal((await runDomesday(['ingest', newRates, '--home', home])).code, 0);
  const after = store.currentId() ?? assert.fail();
  await printed(running, new RegExp(`release ${after} is now served`));
  store.point(before);
  await printed(running, new RegExp(`release ${before} is now served`));
  const part = path.join(home, 'releases', after, 'bank-rate.part');
  const sound = readFileSync(part);
  const flipped = Buffer.from(sound);
  flipped[flipped.length >> 1] = ~(flipped[flipped.length >> 1] ?? 0);
  writeFileSync(part, flipped);
  store.point(after);
  await printed(running, /cannot be served, the one before stays/);
  assert.equal(await servedBy(running), before);
  assert.deepEqual(await releaseFigures(running), [before, '1']);
  // At once: half a part would be another fault, and told by itself.
  writeFileSync(`${part}.aside`, sound);
  renameSync(`${part}.aside`, part);
  await printed(running, new RegExp(`(?:release ${after} is now served[\\s\\S]*){2}`));
  assert.equal(await servedBy(running), after);
  assert.deepEqual(await releaseFigures(running), [after, '0']);
  assert.equal(running.output().match(/cannot be served/g)?.length, 1, 'told once');
  assert.equal((await running.stop()).code, 0);
  remove();
});

test('slow: a damaged bundled sample or town is built anew by the next start', async () => {
  const damages: [name: string, content: (old: Buffer) => Buffer][] = [
    ['bank-rate.part', (old) => old.subarray(1)],
    ['bank-rate.part', (old) => Buffer.alloc(old.length)],
    ['manifest.json', () => Buffer.from('{')],
  ];
  const { home, remove } = await bundledHome();
  const { releases, sandbox } = openHome(home, layouts);
  for (const [name, damaged] of damages) {
    for (const store of [releases, sandbox]) {
      const file = path.join(store.folder, store.currentId() ?? '', name);
      writeFileSync(file, damaged(readFileSync(file)));
    }
    const running = await startDomesday(home, { DOMESDAY_LOG: 'error' });
    const sandboxCall = await fetch(`${running.url}/api/v1/bank-rates?limit=1`, {
      headers: { 'x-api-key': 'dd_test_PublicSandboxKeyForAnyone26NNv4' },
    });
    assert.equal(sandboxCall.status, 200);
    assert.equal((await running.stop()).code, 0);
    for (const store of [releases, sandbox]) store.openCurrent().verify();
  }
  remove();
});

testWith(
  smallDisks(),
  'a first start without room says so in one line and leaves no half release',
  async (mount) => {
    const { home, remove } = temporaryHome();
    const unmount = mount(home, 256 * 1024);
    try {
      const { code, err } = await runDomesdayProcess(['serve'], { DOMESDAY_HOME: home, PORT: '0' });
      assert.equal(code, 1);
      assert.match(err, /^[^\n]*the disk is full; free some space[^\n]*\n$/);
      const left = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      assert.deepEqual(
        left.map(({ name }) => name),
        ['service.lock'],
      );
    } finally {
      unmount();
      remove();
    }
  },
);
