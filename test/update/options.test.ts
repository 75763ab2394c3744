// Options of an update: another address, what is kept of the fetched files, which set is meant, in which rhythm; and how
// transfers are shown.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openTransferLines } from '../../src/cli/update/print.ts';
import { openDesk } from './desk.ts';
import { bikePointAddress } from './editions.ts';

const bikePoints = readFileSync(path.join(import.meta.dirname, '../../data/sandbox/bikepoint.json'));

test('--address names where the file of a publication is now, on a host that only the operator trusts', async (context) => {
  const desk = await openDesk(context, 'bikepoint', 'aadf');
  desk.publishers.misbehave(bikePointAddress, (_, response) => response.writeHead(404).end());
  const moved = 'https://files.example.org/docks.json';
  desk.publishers.put(moved, {
    content: bikePoints,
    tells: 'etag and day',
    is: 'file',
    type: 'application/json',
  });
  const failed = await desk.update('cycle-hire');
  assert.equal(failed.status, 1);
  assert.match(failed.out, /`domesday update bikepoint --address bikepoint=URL`/);
  const ended = await desk.update('cycle-hire', '--address', `bikepoint=${moved}`);
  assert.equal(ended.status, 0, ended.out + ended.err);
  assert.ok(desk.publishers.sent().includes(moved));
  assert.equal(desk.state().publications.bikepoint?.failing, undefined);
  assert.notEqual(desk.release().findDataset('cycle-hire'), undefined);
});

test('--keep leaves what was fetched where it lies; without it nothing is left', async (context) => {
  const desk = await openDesk(context, 'bikepoint');
  const folder = path.join(desk.home, 'updates/files/bikepoint');
  assert.equal((await desk.update('--keep')).status, 0);
  assert.ok(readdirSync(folder).includes('BikePoint'));
  desk.clock.nowMs += 40 * 86_400_000;
  assert.equal((await desk.update()).status, 0);
  assert.equal(existsSync(folder), false);
});

test('--set essential plans what England and Wales need, and all plans everything but what is taken on request', async (context) => {
  const desk = await openDesk(context);
  const planned = async (set: string) => {
    const { plan } = JSON.parse((await desk.update('--set', set, '--dry-run', '--json')).out);
    return new Set(plan.map(({ publication }: { publication: string }) => publication));
  };
  const [essential, all] = [await planned('essential'), await planned('all')];
  assert.ok(essential.size > 5 && essential.isSubsetOf(all) && essential.size < all.size);
  assert.deepEqual(
    ['onspd', 'police-archive', 'bank-rate'].filter((name) => !essential.has(name)),
    [],
  );
  assert.ok(all.has('census-scotland') && !essential.has('census-scotland') && !all.has('nspl'));
});

test('DOMESDAY_UPDATE_RHYTHM says after how many days a publication is asked for again', async (context) => {
  const desk = await openDesk(context, 'bikepoint');
  assert.equal((await desk.update()).status, 0);
  desk.env.DOMESDAY_UPDATE_RHYTHM = 'bikepoint=3';
  for (const [days, isAsked] of [
    [2, false],
    [2, true],
  ] as const) {
    desk.clock.nowMs += days * 86_400_000;
    desk.publishers.forget();
    assert.equal((await desk.update()).status, 0);
    assert.equal(desk.publishers.sent().includes(bikePointAddress), isAsked, `after ${days} days`);
  }
});

test('transfers have one line each, drawn again on a terminal and told by quarters elsewhere', () => {
  for (const isTerminal of [true, false]) {
    const written: string[] = [];
    const err = (text: string) => void written.push(text);
    const lines = openTransferLines({
      env: {},
      out: () => {},
      err,
      isTerminal,
      now: () => 0,
      asTyped: (text) => text,
    });
    for (const bytes of [0, 10, 20, 500, 1_000])
      for (const name of ['a', 'b']) lines.progress(name, bytes, 1_000);
    lines.end();
    const told = written.map((text) => text.trim());
    if (isTerminal) {
      // Up over both lines, then each erased and written.
      assert.deepEqual(written.slice(-2), [
        '\u001b[1A\u001b[1A\r\u001b[2KFetching a: 1 kB of 1 kB (100 %)\n',
        '\r\u001b[2KFetching b: 1 kB of 1 kB (100 %)\n',
      ]);
    } else
      assert.deepEqual(
        told,
        ['0 bytes of 1 kB (0 %)', '500 bytes of 1 kB (50 %)', '1 kB of 1 kB (100 %)'].flatMap((text) =>
          ['a', 'b'].map((name) => `Fetching ${name}: ${text}`),
        ),
      );
  }
});
