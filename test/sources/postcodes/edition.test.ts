// What becomes of the postcodes that are there when others are loaded.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { openHomeWithSample, openTestHome, type TestHome } from '../../ingest/home.ts';
import { datasetOf, findRow, fixturePath, fixtureText } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const onspd = fixturePath('ONSPD_NOV_2025_UK.csv');
const codePoint = () => home.put('codepo_gb_2026.1.csv', fixtureText('code-point-2025.csv'));

test('official data takes the place of the whole sample', async () => {
  home.remove();
  home = await openHomeWithSample();
  assert.deepEqual([datasetOf(home).extent, datasetOf(home).rows], ['sample', 696]);
  assert.equal(findRow(home, 'EC2Y 8BP')?.authorityCode, 'E09000001');
  const { sources } = await home.ingest([codePoint()]);
  assert.deepEqual([datasetOf(home).extent, datasetOf(home).rows], ['partial', 4]);
  assert.equal(findRow(home, 'EC2Y 8BP'), undefined);
  assert.deepEqual(sources[0]?.revised, []);
});

test('Code-Point Open over the ONS directory is refused, naming what would be lost and what to do', async () => {
  await home.ingest([onspd]);
  await assert.rejects(home.ingest([codePoint()]), (error: Error) => {
    assert.match(
      error.message,
      /OS Code-Point Open would replace ONS Postcode Directory \(ONSPD\), November 2025/,
    );
    assert.match(error.message, /lost: regions; LSOAs; MSOAs; police force areas; 1 terminated postcodes\./);
    assert.match(error.message, /Load a newer edition of ONS Postcode Directory \(ONSPD\) instead\./);
    return true;
  });
  assert.equal(home.store.currentId(), 'made-1');
  assert.equal(findRow(home, 'ZZ1 1AA')?.lsoaCode, 'E01999001');
});

test('the ONS directory over Code-Point Open is loaded, and what is gone is counted', async () => {
  await home.ingest([codePoint()]);
  const { sources } = await home.ingest([onspd]);
  assert.equal(findRow(home, 'ZZ1 1AA')?.lsoaCode, 'E01999001');
  assert.deepEqual(sources[0]?.revised, [
    { reason: 'no longer in November 2025', count: 1, places: ['ZZ1 1AB'] },
  ]);
  assert.deepEqual(datasetOf(home).rejects, { 'no longer in November 2025': 1 });
});

test('an older edition of another publication that says no more is refused, unless it is to take its place', async () => {
  const [lookup, older] = ['NSPL_AUG_2026_UK.csv', 'ONSPD_NOV_2025_UK.csv'].map(fixturePath);
  await home.ingest([lookup ?? assert.fail()]);
  const told =
    /National Statistics Postcode Lookup.* August 2026, .*what changed from 2025-11-01 to 2026-08-01/;
  await assert.rejects(home.ingest([older ?? assert.fail()]), told);
  assert.equal(datasetOf(home).edition, 'August 2026');
});

test('an older month of the same directory is refused, also within the days by which names and rows differ', async () => {
  const text = fixtureText('ONSPD_NOV_2025_UK.csv');
  await home.ingest([onspd]);
  const older = home.put('ONSPD_OCT_2025_UK.csv', text.replace('ZZ1 1AA', 'ZZ1 1AB'));
  await assert.rejects(home.ingest([older]), /the file is of 2025-10-01, and .* of 2025-11-01 is loaded/);
  // Under a name that tells nothing it is dated by its rows, which is no older edition.
  const { outcome } = await home.ingest([home.put('copy.csv', text)]);
  assert.equal(outcome, 'nothing new');
});

test('given together, the ONS directory is read and Code-Point Open is passed over', async () => {
  const file = codePoint();
  const { sources, passedOver } = await home.ingest([file, fixturePath('NSPL_AUG_2026_UK.csv'), onspd]);
  assert.deepEqual(
    sources.map(({ source }) => source),
    ['onspd'],
  );
  assert.deepEqual(
    passedOver.map(({ name }) => name),
    [fixturePath('NSPL_AUG_2026_UK.csv'), file],
  );
  assert.match(passedOver[0]?.because ?? '', /Postcodes come from ONS Postcode Directory/);
});

test('a file of fewer postcode areas than are loaded is refused', async () => {
  const text = fixtureText('ONSPD_NOV_2025_UK.csv');
  const wider = text.replaceAll('ZZ3 1AA', 'ZA3 1AA').replace('ZZ3  1AA', 'ZA3  1AA');
  await home.ingest([home.put('wider.csv', wider)]);
  await assert.rejects(
    home.ingest([onspd]),
    /these would be lost: postcode area ZA\.\nAn edition is loaded as a whole: give all its files together\./,
  );
  assert.equal(findRow(home, 'ZA3 1AA')?.nation, 'Northern Ireland');
});
