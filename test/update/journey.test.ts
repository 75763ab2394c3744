// The way of an operator: from an empty home to the country in one command, then nothing where nothing changed, then one
// new edition and nothing else.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openSources } from '../../src/ingest/source.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { listPublications } from '../../src/update/select.ts';
import { temporaryHome } from '../rig.ts';
import { openDesk, openDeskAt, partsOf, smallSources } from './desk.ts';
import { ofstedFile, onspdZip, putDirectory, putOfsted } from './editions.ts';

const listed = listPublications(await openSources(smallSources), new Map());
const everything = ['--accept-licences', 'all'];

test('from an empty home every dataset that has a publication is loaded in one command; the next fetches nothing; then one new edition is all that moves', async (context) => {
  const { home, remove } = temporaryHome();
  context.after(remove);
  const desk = await openDeskAt(path.join(home, 'not there yet'), context, []);
  const first = await desk.update(...everything);
  assert.equal(first.status, 0, first.out + first.err);
  const loaded = desk.release();
  for (const { dataset, set } of listed) {
    if (set === 'on request') continue;
    const found = loaded.findDataset(dataset);
    assert.ok(found !== undefined && found.extent !== 'sample', dataset);
  }
  assert.match(first.out, new RegExp(`Release ${loaded.id} is verified and current`));
  assert.equal(desk.state().lastRun?.outcome, 'fresh');

  desk.clock.nowMs += hourMs;
  desk.publishers.forget();
  const second = await desk.update(...everything);
  assert.equal(second.status, 0, second.out + second.err);
  assert.deepEqual(desk.publishers.sent(), []);
  assert.ok(desk.publishers.asked().some(({ status }) => status === 304));
  assert.equal(desk.release().id, loaded.id);
  assert.equal(desk.state().lastRun?.release, null);

  putOfsted(desk.publishers, ofstedFile('30 November 2026'));
  desk.clock.nowMs += 30 * dayMs;
  desk.publishers.forget();
  const third = await desk.update('ofsted', 'crime', 'traffic', 'postcodes', ...everything);
  assert.equal(third.status, 0, third.out + third.err);
  const [sent, ...others] = desk.publishers.sent();
  assert.match(sent ?? '', /as_at_30_November_2026\.csv$/);
  assert.deepEqual(others, []);
  const after = desk.release();
  assert.notEqual(after.id, loaded.id);
  assert.equal(desk.state().lastRun?.release, after.id);
  const [before, now] = [partsOf(loaded), partsOf(after)];
  assert.deepEqual({ ...now, ofsted: {} }, { ...before, ofsted: {} });
  assert.equal(after.findDataset('ofsted')?.asOf, '2026-11-30');
  for (const { name, loadedAt } of loaded.datasets) {
    if (name !== 'ofsted') assert.equal(after.findDataset(name)?.loadedAt, loadedAt, name);
  }
});

test('each publication that is taken on request is loaded by its name', async (context) => {
  for (const { name, dataset } of listed.filter(({ set }) => set === 'on request')) {
    const desk = await openDesk(context);
    const ended = await desk.update(name, ...everything);
    assert.equal(ended.status, 0, ended.out + ended.err);
    assert.equal(desk.release().findDataset(dataset)?.loadedBy?.source, name);
  }
});

test('a rhythm is kept: what tells no version is fetched again when its time has come, and not before', async (context) => {
  const desk = await openDesk(context, 'naptan');
  const address = 'https://naptan.api.dft.gov.uk/v1/access-nodes?dataFormat=csv';
  assert.equal((await desk.update()).status, 0);
  const { id } = desk.release();
  for (const [days, sent] of [
    [29, []],
    [2, [address]],
  ] as const) {
    desk.publishers.forget();
    desk.clock.nowMs += days * dayMs;
    assert.equal((await desk.update()).status, 0);
    assert.deepEqual(desk.publishers.sent(), sent, `after ${days} days`);
  }
  assert.equal(desk.release().id, id, 'the same bytes make no release');
});

test('where a loader needs all files of its dataset, a new one brings the others with it', async (context) => {
  const desk = await openDesk(context, 'census-scotland');
  assert.equal((await desk.update()).status, 0);
  const before = partsOf(desk.release())['census-scotland'];
  const moved = 'https://www.nrscotland.gov.uk/media/def/oa22-dz22-lookup-v2.csv';
  const pairs = Array.from({ length: 8 }, (_, at) => `S0099900${at + 1},S01999001,S02999001\n`);
  desk.publishers.put('https://www.nrscotland.gov.uk/publications/2022-census-geography-products/', {
    content: `<!DOCTYPE html><a href="${moved}">Look-up</a>`,
    tells: 'nothing',
    is: 'index',
    type: 'text/html',
  });
  desk.publishers.put(moved, { content: `OA22,DZ22,IZ22\n${pairs.join('')}`, tells: 'nothing', is: 'file' });
  desk.publishers.forget();
  desk.clock.nowMs += 200 * dayMs;
  const ended = await desk.update();
  assert.equal(ended.status, 0, ended.out + ended.err);
  assert.ok(desk.publishers.sent().some((address) => address.endsWith('Census-2022-Output-Area-v1.zip')));
  assert.match(ended.out, /census-scotland: read together with what is new of census-scotland-lookup/);
  assert.notDeepEqual(partsOf(desk.release())['census-scotland'], before);
});

test('--dry-run prints a plan that fits into a hundred columns, and neither fetches nor remembers', async (context) => {
  const desk = await openDesk(context);
  const ended = await desk.update('--dry-run');
  assert.equal(ended.status, 0);
  const [plan = ''] = ended.out.split('\nTerms "');
  const lines = plan.split('\n');
  assert.ok(lines.length > 20, ended.out);
  assert.deepEqual(
    lines.filter((line) => line.length > 100),
    [],
  );
  assert.deepEqual(desk.state(), { publications: {}, notBefore: {}, termsShown: [], removing: [] });
  assert.doesNotMatch(ended.err, /Fetching/);
});

test('--dry-run makes neither home nor anything in it, and plans as the run that follows does', async (context) => {
  const { home, remove } = temporaryHome();
  context.after(remove);
  const loadedOf = (out: string): unknown =>
    JSON.parse(out)
      .plan.filter(({ happens }: { happens: string }) => happens === 'load')
      .map(({ publication, bytes }: { publication: string; bytes: number }) => [publication, bytes]);
  for (const place of ['.', 'not there yet', 'nor/this']) {
    const desk = await openDeskAt(path.join(home, place), context, ['bikepoint', 'bank-rate']);
    const planned = await desk.update('--dry-run', '--json');
    assert.equal(planned.status, 0, planned.err);
    assert.deepEqual(readdirSync(home), []);
    const text = await desk.update('--dry-run');
    assert.match(text.out, /bikepoint/);
    if (place !== 'nor/this') continue;
    const done = await desk.update('--json');
    assert.deepEqual(loadedOf(planned.out), loadedOf(done.out));
  }
});

test('a mirror that changes between two runs is believed by what it answers: a new month of the directory is found by its title', async (context) => {
  const desk = await openDesk(context, 'onspd');
  assert.equal((await desk.update('postcodes')).status, 0);
  putDirectory(desk.publishers, 'ONS Postcode Directory', [
    { id: 'a'.repeat(32), month: 'November 2026', zip: onspdZip('ONSPD_NOV_2026') },
    { id: 'b'.repeat(32), month: 'August 2026', zip: onspdZip('ONSPD_AUG_2026') },
  ]);
  desk.publishers.forget();
  const ended = await desk.update('postcodes');
  assert.equal(ended.status, 0, ended.out + ended.err);
  assert.deepEqual(desk.publishers.sent(), [`https://www.arcgis.com/itemdata/${'a'.repeat(32)}/data.zip`]);
  assert.equal(desk.release().findDataset('postcodes')?.edition, 'November 2026');
});
