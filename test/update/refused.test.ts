// Files that came and were refused: not fetched again as long as nothing changes, nothing of them stays but what an operator may
// want all the same, and what is told can be typed.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ingest } from '../../src/cli/ingest.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { type Desk, openDesk } from './desk.ts';
import { bikePointAddress, onspdZip, putDirectory } from './editions.ts';

const bikePoints = readFileSync(path.join(import.meta.dirname, '../../data/sandbox/bikepoint.json'));
const directory = 'ONS Postcode Directory';
const november = 'c'.repeat(32);
const novemberData = `https://www.arcgis.com/itemdata/${november}/data.zip`;

const putNovember = ({ publishers }: Desk, zip: Uint8Array) =>
  putDirectory(publishers, directory, [{ id: november, month: 'November 2026', zip }]);
const putBikePoints = ({ publishers }: Desk, content: Uint8Array) =>
  publishers.put(bikePointAddress, { content, tells: 'nothing', is: 'file', type: 'application/json' });

/** What lies there of a publication. */
function keptOf({ home }: Desk, publication: string): readonly string[] {
  const folder = path.join(home, 'updates/files', publication);
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.json')) : [];
}

const sentIn = async (desk: Desk, ...words: readonly string[]) => {
  desk.publishers.forget();
  const ended = await desk.update(...words);
  return { ...ended, sent: desk.publishers.sent() };
};

for (const { name, publication, address, bad, good } of [
  {
    name: 'whose publisher tells versions',
    publication: 'onspd',
    address: novemberData,
    bad: (desk: Desk) => putNovember(desk, onspdZip('ONSPD_NOV_2026').subarray(0, -60)),
    good: (desk: Desk) => putNovember(desk, onspdZip('ONSPD_NOV_2026')),
  },
  {
    name: 'whose publisher tells nothing',
    publication: 'bikepoint',
    address: bikePointAddress,
    bad: (desk: Desk) => putBikePoints(desk, bikePoints.subarray(0, -60)),
    good: (desk: Desk) => putBikePoints(desk, bikePoints),
  },
]) {
  test(`a damaged file ${name} is not kept, and not fetched again before it may have changed`, async (context) => {
    const desk = await openDesk(context, publication);
    bad(desk);
    const first = await sentIn(desk);
    assert.deepEqual([first.status, first.sent], [1, [address]], first.out);
    assert.match(
      first.out,
      new RegExp(`tries again .* To try at once: \`domesday update ${publication}\`\n`),
    );
    const { failing } = desk.state().publications[publication] ?? {};
    assert.deepEqual(keptOf(desk, publication), []);

    desk.clock.nowMs += hourMs;
    const second = await sentIn(desk);
    assert.deepEqual([second.status, second.sent], [1, []], second.out);
    assert.deepEqual(desk.state().publications[publication]?.failing, failing);
    assert.match(second.out, /keeps its old data/);
    // Who names it wants it now.
    assert.deepEqual((await sentIn(desk, publication)).sent, [address]);
    desk.clock.nowMs += 8 * dayMs;
    assert.deepEqual((await sentIn(desk)).sent, [address]);

    good(desk);
    desk.clock.nowMs += publication === 'onspd' ? hourMs : 8 * dayMs;
    const healed = await sentIn(desk);
    assert.deepEqual([healed.status, healed.sent], [0, [address]], healed.out);
    assert.deepEqual(keptOf(desk, publication), []);
    assert.equal(desk.state().publications[publication]?.refused, undefined);
  });
}

test('a file that would take something away is kept, one of each publication, and loaded by the command that is told', async (context) => {
  const desk = await openDesk(context, 'onspd');
  const terms = ['--accept-licences', 'all'];
  assert.equal((await desk.update(...terms)).status, 0);
  const editions = [
    { id: november, month: 'November 2026', zip: onspdZip('ONSPD_NOV_2026', 10) },
    { id: 'd'.repeat(32), month: 'February 2027', zip: onspdZip('ONSPD_FEB_2027', 11) },
  ];
  let out = '';
  for (const edition of editions) {
    desk.clock.nowMs += 92 * dayMs;
    putDirectory(desk.publishers, directory, [edition]);
    const ended = await desk.update(...terms);
    assert.equal(ended.status, 1, ended.out);
    assert.deepEqual(keptOf(desk, 'onspd'), [`${edition.id}.zip`]);
    assert.doesNotMatch(ended.out, /add --replace/);
    out = ended.out;
  }
  const { sent, status } = await sentIn(desk, ...terms);
  assert.deepEqual([sent, status], [[], 1]);
  const words = /To load them anyway: `domesday (ingest --replace [^`]+)`/.exec(out)?.[1]?.split(' ') ?? [];
  assert.ok(words.length === 3, out);
  const io = {
    env: { DOMESDAY_HOME: desk.home },
    out: () => {},
    err: () => {},
    isTerminal: false,
    now: () => desk.clock.nowMs,
    asTyped: (text: string) => text,
  };
  await ingest.run(words.slice(1), io);
  assert.equal(desk.release().findDataset('postcodes')?.edition, 'February 2027');
  // Loaded by hand, it is asked for once more, and found to be the same.
  const after = await desk.update(...terms);
  assert.equal(after.status, 0, after.out);
  assert.deepEqual(keptOf(desk, 'onspd'), []);
});
