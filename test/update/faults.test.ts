// What publishers do to an update, one at a time: the dataset keeps what it had and says why, the others go on, and once the
// publisher is well again nothing reminds of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { makeZip } from '../../scripts/make-zip.ts';
import { openUpdates } from '../../src/cli/serve/updates.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { hourMs } from '../../src/time.ts';
import { allBands, book, localAuthorityLevel } from '../sources/council-tax/books.ts';
import { fixtureText } from '../sources/postcodes/desk.ts';
import { type Desk, openDesk, partsOf } from './desk.ts';
import {
  bankRateAddress,
  bankRateCsv,
  bikePointAddress,
  ofstedFile,
  ofstedPath,
  olderOnspdId,
  onspdZip,
  putAttachments,
  putDirectory,
  putEverything,
  putOfsted,
  trafficAddress,
} from './editions.ts';
import type { Misbehaviour } from './publishers.ts';
import { stallMs } from './web/publisher.ts';

const directory = 'ONS Postcode Directory';
const november = (rows?: number) => ({
  id: 'c'.repeat(32),
  month: 'November 2026',
  zip: onspdZip('ONSPD_NOV_2026', rows),
});
const novemberData = `https://www.arcgis.com/itemdata/${november().id}/data.zip`;
const putNovember = ({ publishers }: Desk) => putDirectory(publishers, directory, [november()]);
const putCsv = ({ publishers }: Desk, address: string, content: Uint8Array | string) =>
  publishers.put(address, { content, tells: 'etag and day', is: 'file' });

const html: Misbehaviour = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><h1>Sorry, an error</h1>');
const status =
  (code: number): Misbehaviour =>
  (_, response) =>
    response.writeHead(code).end();

type Fault = {
  readonly name: string;
  readonly dataset: 'postcodes' | 'ofsted';
  /** The publisher offers something new, and does it badly. */
  readonly act: (desk: Desk) => void;
  readonly why: RegExp;
};

const faults: readonly Fault[] = [
  {
    name: 'a web page with status 200 instead of the file',
    dataset: 'postcodes',
    act: (desk) => {
      putNovember(desk);
      desk.publishers.misbehave(novemberData, html);
    },
    why: /web page/,
  },
  {
    name: 'a redirect to another host',
    dataset: 'postcodes',
    act: (desk) => {
      putNovember(desk);
      desk.publishers.misbehave(novemberData, (_, response) =>
        response.writeHead(302, { location: 'https://files.example.org/data.zip' }).end(),
      );
    },
    why: /files\.example\.org/,
  },
  {
    name: 'status 503 for as long as it is asked',
    dataset: 'postcodes',
    act: (desk) => {
      putNovember(desk);
      desk.publishers.misbehave(novemberData, status(503));
    },
    why: /503/,
  },
  {
    name: 'a file of another length than its index says',
    dataset: 'ofsted',
    act: ({ publishers }) => {
      const newest = ofstedFile('30 November 2026');
      putOfsted(publishers, newest);
      const address = publishers.addressOf(newest.filename);
      publishers.put(address, { content: `${newest.content}more\r\n`, tells: 'etag and day', is: 'file' });
    },
    why: /bytes/,
  },
  {
    name: 'an edition that was withdrawn: an older one is offered',
    dataset: 'postcodes',
    act: ({ publishers }) =>
      putDirectory(publishers, directory, [
        { id: olderOnspdId, month: 'May 2026', zip: onspdZip('ONSPD_MAY_2026') },
      ]),
    why: /May 2026|2026-05/,
  },
  {
    name: 'a page that lists the file no more',
    dataset: 'ofsted',
    act: ({ publishers }) =>
      putAttachments(publishers, ofstedPath, [{ title: 'Methodology', filename: 'methodology.pdf' }]),
    why: /has no attachment like .*Its files may have moved: https:\/\/www\.gov\.uk\//,
  },
  {
    name: 'a search that fails with status 200',
    dataset: 'postcodes',
    act: ({ publishers }) => {
      for (const { address } of publishers.asked())
        if (address.includes('ONS+Postcode+Directory'))
          publishers.misbehave(address, (_, response) =>
            response
              .writeHead(200, { 'content-type': 'application/json' })
              .end('{"error":{"code":400,"message":"Unable to perform query."}}'),
          );
    },
    why: /Unable to perform query/,
  },
  {
    name: 'a file of another kind',
    dataset: 'postcodes',
    act: (desk) => {
      putDirectory(desk.publishers, directory, [
        { ...november(), zip: makeZip({ 'rates.csv': bankRateCsv() }) },
      ]);
    },
    why: /of another kind: Bank Rate/,
  },
  {
    name: 'an archive that is cut off',
    dataset: 'postcodes',
    act: ({ publishers }) =>
      putDirectory(publishers, directory, [{ ...november(), zip: november().zip.subarray(0, -60) }]),
    why: /c{32}\.zip/,
  },
  {
    name: 'far fewer rows than before',
    dataset: 'postcodes',
    act: ({ publishers }) => putDirectory(publishers, directory, [november(10)]),
    why: /rows/,
  },
  {
    name: 'a header and no rows',
    dataset: 'postcodes',
    act: ({ publishers }) => {
      const [header = ''] = fixtureText('ONSPD_NOV_2025_UK.csv').split('\n', 1);
      const zip = makeZip({ 'Data/ONSPD_NOV_2026_UK.csv': `${header}\n` });
      putDirectory(publishers, directory, [{ ...november(), zip }]);
    },
    why: /has a header and no rows\./,
  },
];

for (const { name, dataset, act, why } of faults) {
  test(`${name}: the dataset keeps what it had and says why, the others go on, and it is forgotten once it works`, async (context) => {
    const desk = await openDesk(context, 'bank-rate', 'onspd', 'ofsted');
    assert.equal((await desk.update()).status, 0);
    const before = desk.release();
    const rate = desk.state().publications['bank-rate'];

    desk.clock.nowMs += 48 * hourMs;
    act(desk);
    putCsv(desk, bankRateAddress, bankRateCsv('13 Nov 2026,3.75', '16 Nov 2026,3.5'));
    const ended = await desk.update();
    assert.equal(ended.status, 3, ended.out + ended.err);
    assert.match(ended.err, new RegExp(`keep their old data: ${dataset}\\.`));
    const after = desk.release();
    assert.notEqual(after.id, before.id);
    assert.deepEqual(partsOf(after)[dataset], partsOf(before)[dataset]);
    assert.notDeepEqual(partsOf(after)['bank-rate'], partsOf(before)['bank-rate']);
    assert.notEqual(desk.state().publications['bank-rate']?.changedAt, rate?.changedAt);
    const since = new Date(desk.clock.nowMs).toISOString();
    assert.deepEqual(failing(desk), [{ dataset, failingSince: since }]);
    assert.match(desk.state().lastRun?.kept[0]?.why ?? '', why);
    assert.match(ended.out.replaceAll('\n', ' '), why);
    assert.doesNotMatch(desk.stateText(), new RegExp(desk.home));

    // It goes on failing since then.
    desk.clock.nowMs += hourMs;
    assert.equal((await desk.update('postcodes', 'ofsted')).status, 3);
    assert.deepEqual(failing(desk), [{ dataset, failingSince: since }]);

    putEverything(desk.publishers);
    desk.publishers.misbehaveNoMore();
    const healed = await desk.update('postcodes', 'ofsted');
    assert.equal(healed.status, 0, healed.out + healed.err);
    assert.deepEqual(failing(desk), []);
  });
}

/** As the service tells it. */
const failing = ({ home, clock }: Desk) =>
  openUpdates({ home, update: undefined }, () => clock.nowMs)()
    .publications.filter(({ failingSince }) => failingSince !== null)
    .map(({ dataset, failingSince }) => ({ dataset, failingSince }));

test('a transfer that falls silent is ended and tried again, a bounded number of times', async (context) => {
  const desk = await openDesk(context, 'aadf');
  let tries = 0;
  desk.publishers.misbehave(trafficAddress, async (_, response) => {
    tries += 1;
    response.writeHead(200, { etag: '"x"', 'content-length': 50_000 }).write(Buffer.alloc(3_000));
    while (!response.destroyed) {
      await desk.waits.pass(stallMs);
      await turn();
    }
  });
  const ended = await desk.update();
  assert.equal(ended.status, 1, ended.out + ended.err);
  assert.ok(tries > 1 && tries < 20, String(tries));
  assert.match(desk.state().publications['road-traffic']?.failing?.why ?? '', /storage\.googleapis\.com/);
});

test('a publisher that asks for peace is not asked by the next run either, and is again when the time has come', async (context) => {
  const desk = await openDesk(context, 'aadf', 'bikepoint');
  desk.publishers.misbehave(trafficAddress, (_, response) =>
    response.writeHead(429, { 'retry-after': '7200' }).end(),
  );
  assert.equal((await desk.update()).status, 3);
  desk.publishers.forget();
  desk.publishers.misbehaveNoMore();
  desk.clock.nowMs += hourMs;
  const again = await desk.update();
  assert.equal(again.status, 1, again.out + again.err);
  assert.deepEqual(desk.publishers.asked(), []);
  assert.match(again.out, /asked us not to call before 2026-11-16T14:00:00Z/);
  desk.clock.nowMs += hourMs + 1_000;
  assert.equal((await desk.update()).status, 0);
  assert.equal(desk.state().publications['road-traffic']?.failing, undefined);
});

test('a publisher that answers 503 for an hour: no run waits for it, each says since when, and the first after it has the file', async (context) => {
  const desk = await openDesk(context, 'aadf');
  const [beginMs, since] = [desk.clock.nowMs, new Date(desk.clock.nowMs).toISOString()];
  const isOver = () => desk.clock.nowMs >= beginMs + hourMs;
  desk.publishers.misbehave(trafficAddress, status(503));
  for (; !isOver(); desk.clock.nowMs += hourMs / 3) {
    const waitedMs = desk.waits.now();
    const ended = await desk.update();
    assert.equal(ended.status, 1, ended.out);
    assert.ok(desk.waits.now() - waitedMs < hourMs / 30);
    assert.deepEqual(failing(desk), [{ dataset: 'traffic', failingSince: since }]);
  }
  desk.publishers.misbehaveNoMore();
  assert.equal((await desk.update()).status, 0);
  assert.deepEqual(failing(desk), []);
  assert.equal(desk.release().findDataset('traffic')?.loadedBy?.source, 'aadf');
});

test('an attachment under a new name is found by its page', async (context) => {
  const desk = await openDesk(context, 'ofsted');
  assert.equal((await desk.update()).status, 0);
  const moved = { ...ofstedFile('30 November 2026'), filename: 'MI_state-funded_as_at_30_November_2026.csv' };
  desk.clock.nowMs += 20 * 24 * hourMs;
  putOfsted(desk.publishers, moved);
  const ended = await desk.update();
  assert.equal(ended.status, 0, ended.out + ended.err);
  assert.equal(desk.release().findDataset('ofsted')?.asOf, '2026-11-30');
});

const englishLevels =
  '/government/statistics/council-tax-levels-set-by-local-authorities-in-england-2024-to-2025';

test('a file that is refused takes no other publication of its dataset with it', async (context) => {
  const desk = await openDesk(context, 'council-tax');
  putAttachments(desk.publishers, englishLevels, [
    { title: 'Tables 1 to 9', filename: 'Tables_1-9_2024-25.ods', content: 'PK\u0003\u0004' },
    { title: 'Table 10', filename: 'Table_10_2024-25.ods', content: 'PK\u0003\u0004' },
  ]);
  const ended = await desk.update();
  assert.equal(ended.status, 3, ended.out + ended.err);
  const { publications, lastRun } = desk.state();
  assert.deepEqual(
    lastRun?.kept.map(({ publication }) => publication),
    ['council-tax-england'],
  );
  assert.ok(publications['council-tax-scotland']?.files?.length === 1);
  assert.doesNotMatch(desk.stateText(), new RegExp(desk.home));
});

test('a file that is refused after it was read: the other publications of its dataset are loaded, in one release with all others', async (context) => {
  const desk = await openDesk(context, 'bank-rate', 'council-tax');
  const { releases } = openHome(desk.home, layouts);
  const before = releases.list().map(({ id }) => id);
  // With four councils of three hundred.
  putAttachments(desk.publishers, englishLevels, [
    { title: 'Tables 1 to 9', filename: 'Tables_1-9_2024-25.ods', content: book(allBands()) },
    { title: 'Table 10', filename: 'Table_10_2024-25.ods', content: book(localAuthorityLevel()) },
  ]);
  const ended = await desk.update();
  assert.equal(ended.status, 3, ended.out + ended.err);
  const { publications, lastRun } = desk.state();
  assert.deepEqual(
    lastRun?.kept.map(({ publication }) => publication),
    ['council-tax-england'],
  );
  const made = releases.list().filter(({ id }) => !before.includes(id));
  assert.deepEqual(
    made.map(({ id }) => id),
    [desk.release().id],
  );
  assert.equal(lastRun?.release, desk.release().id);
  for (const name of ['council-tax-scotland', 'council-tax-wales', 'bank-rate'])
    assert.equal(publications[name]?.loadedAt, desk.release().findDataset('council-tax')?.loadedAt, name);
});

test('where every publisher fails nothing is changed, and the exit status says so', async (context) => {
  const desk = await openDesk(context, 'aadf', 'bikepoint');
  const { id } = desk.release();
  for (const address of [trafficAddress, bikePointAddress]) desk.publishers.misbehave(address, status(404));
  const ended = await desk.update();
  assert.equal(ended.status, 1);
  assert.match(ended.err, /Nothing was updated\. These datasets keep their old data: cycle-hire, traffic/);
  assert.equal(desk.release().id, id);
  assert.equal(desk.state().lastRun?.outcome, 'failed');
});

test('a second update of the same home is refused while the first runs', async (context) => {
  const desk = await openDesk(context, 'bikepoint');
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
  desk.publishers.onSent(async () => {
    isAsked();
    await goOn;
  });
  const first = desk.update();
  await asked;
  const second = await desk.update();
  assert.equal(second.status, 1);
  assert.match(second.err, /Another update runs on this home folder; wait until it is done/);
  letGo();
  assert.equal((await first).status, 0);
});

test('an update that is refused before it begins, or stops at its plan, leaves the home free for the next', async (context) => {
  const desk = await openDesk(context, 'bikepoint');
  const refused = await desk.update('--from', 'no/such/mirror');
  assert.equal(refused.status, 2, refused.err);
  assert.match(refused.err, /--from is neither/);
  assert.equal((await desk.update('--dry-run')).status, 0);
  const ended = await desk.update();
  assert.equal(ended.status, 0, ended.err);
});

test('a clock that was wrong by a year, forward and back, leaves nothing stuck', async (context) => {
  const yearMs = 365 * 24 * hourMs;
  for (const leapMs of [yearMs, -yearMs]) {
    const desk = await openDesk(context, 'aadf', 'bikepoint');
    desk.clock.nowMs += leapMs;
    desk.publishers.misbehave(trafficAddress, (_, response) =>
      response.writeHead(429, { 'retry-after': '80000' }).end(),
    );
    assert.equal((await desk.update()).status, 3, `${leapMs}`);
    desk.clock.nowMs -= leapMs;
    desk.publishers.misbehave(trafficAddress, status(500));
    await desk.update();
    const { since = 'not failing' } = desk.state().publications['road-traffic']?.failing ?? {};
    assert.ok(since <= new Date(desk.clock.nowMs).toISOString(), since);
    desk.publishers.misbehaveNoMore();
    desk.clock.nowMs += 24 * hourMs;
    const ended = await desk.update();
    assert.equal(ended.status, 0, ended.out + ended.err);
    assert.equal(desk.state().publications['road-traffic']?.failing, undefined);
    desk.clock.nowMs += 31 * 24 * hourMs;
    desk.publishers.forget();
    assert.equal((await desk.update()).status, 0);
    assert.ok(desk.publishers.sent().includes(bikePointAddress), 'its rhythm goes on');
  }
});
