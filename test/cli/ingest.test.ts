// `domesday ingest` and `domesday releases`, called as functions with an Io of the test.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Command, CommandRefused, type Io, WrongUsage } from '../../src/cli/command.ts';
import { ingest } from '../../src/cli/ingest.ts';
import { openProgressLine } from '../../src/cli/progress-line.ts';
import { releases } from '../../src/cli/releases.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { fixture } from '../ingest/home.ts';
import { copyBundled } from '../prebuilt.ts';

let home: string;
let minute: number;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'domesday-cli-'));
  minute = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function openIo(isTerminal: boolean): { io: Io; out: () => string; err: () => string } {
  let out = '';
  let err = '';
  const io: Io = {
    env: { DOMESDAY_HOME: home },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal,
    asTyped: (text: string) => text,
    now: () => Date.UTC(2026, 10, 15, 12, minute++),
  };
  return { io, out: () => out, err: () => err };
}

async function run(command: Command, ...args: readonly string[]): Promise<string> {
  const { io, out } = openIo(false);
  await command.run(args, io);
  return out();
}

const readJson = async (command: Command, ...args: readonly string[]) =>
  JSON.parse(await run(command, ...args, '--json'));

/** It says what the bundled data says. */
const daily = fixture('iadb-daily.csv');
const later = fixture('iadb-later.csv');
/** New with every number. */
const ratesOf = (number: number) => {
  const file = path.join(home, `rates-${number}.csv`);
  writeFileSync(file, `DATE,IUDBEDR\n0${number} Oct 2026,3.75\n`);
  return file;
};

test('ingest builds on the bundled sample, makes the release current and reports', async () => {
  const out = await run(ingest, later);
  assert.match(out, /^Bank Rate: 259 rows, changes to 2026-09-28, as of 2026-09-30\n/);
  assert.match(out, /iadb-later\.csv \(daily series\)\n {2}read 5, kept 1\n/);
  assert.match(out, / {2}rejected 3: no change on that day \(iadb-later\.csv:3, /);
  assert.match(
    out,
    /\nStill the bundled sample: .*Crime; Median incomes; Names of places; Postcodes; .*\.\nRelease /,
  );
  assert.doesNotMatch(out, /Still the bundled sample:.*Bank Rate/);
  const id = /Release (\S+) is verified and current\.\n$/.exec(out)?.[1];
  assert.match(id ?? '', /^2026-11-15T12\d\dZ-[0-9a-f]{6}$/);
  assert.equal(openHome(home, layouts).releases.currentId(), id);
});

test('ingest --json is the same report as data', async () => {
  await copyBundled(home);
  const report = await readJson(ingest, later);
  assert.equal(report.release, openHome(home, layouts).releases.currentId());
  assert.match(report.parent, /^sample-/);
  assert.deepEqual(report.skipped, []);
  assert.ok(report.stillSample.includes('postcodes') && !report.stillSample.includes('bank-rate'));
  const [source] = report.sources;
  assert.deepEqual([source.source, source.read, source.kept, source.rows], ['bank-rate', 5, 1, 259]);
  assert.deepEqual(source.files, [{ name: later, layout: 'daily series' }]);
});

test('a refusal changes nothing and gives the lock back', async () => {
  await copyBundled(home);
  await run(ingest, daily);
  const before = openHome(home, layouts).releases.currentId();
  await assert.rejects(run(ingest, fixture('error-page.csv')), (error: unknown) => {
    assert.ok(error instanceof CommandRefused);
    assert.match(error.message, /error-page\.csv: is a web page titled "Error"/);
    return true;
  });
  assert.equal(openHome(home, layouts).releases.currentId(), before);
  assert.equal(readdirSync(path.join(home, 'releases')).includes('.lock'), false);
  await run(ingest, daily);
});

test('ingest waits for nobody: a home at work is refused', async () => {
  await copyBundled(home);
  await run(ingest, daily);
  const lock = openHome(home, layouts).releases.lock();
  await assert.rejects(
    run(ingest, daily),
    /^CommandRefused: Another process is already changing the releases/,
  );
  lock.release();
  await run(ingest, daily);
});

test('wrong usage is told as such', async () => {
  await assert.rejects(run(ingest), WrongUsage);
  await assert.rejects(run(ingest, '--nonsense'), WrongUsage);
  await assert.rejects(run(releases, 'use'), WrongUsage);
  await assert.rejects(run(releases, 'delete'), WrongUsage);
  await assert.rejects(run(releases, 'list', 'x'), WrongUsage);
});

test('releases lists, switches back and prunes', async () => {
  assert.match(await run(releases), /There are no releases yet/);
  await copyBundled(home);
  const first = (await readJson(ingest, ratesOf(1))).release;
  const second = (await readJson(ingest, ratesOf(2))).release;
  const third = (await readJson(ingest, ratesOf(3))).release;
  assert.match(
    await run(releases, 'list'),
    new RegExp(
      `\\* {2}${third} +loaded +2026-11-15 12:\\d\\d (?:.*\\n){1,3} +bank-rate +2026-10-03 +complete\\n`,
    ),
  );
  assert.match(await run(releases, 'use', second), /is verified and current/);
  const list = await readJson(releases);
  assert.equal(list.current, second);
  assert.deepEqual(list.releases.map((entry: { id: string }) => entry.id).slice(0, 3), [
    third,
    second,
    first,
  ]);
  const { removed, keptNewer } = await readJson(releases, 'prune');
  assert.deepEqual([removed.length, keptNewer], [1, [third]]);
  assert.match(
    await run(releases, 'prune'),
    new RegExp(`Kept release ${third}, which is newer .*prune --newer\`\n$`, 's'),
  );
  assert.deepEqual((await readJson(releases, 'prune', '--newer')).removed, [third]);
  assert.equal((await readJson(releases)).releases.length, 2);
});

test('releases use refuses what is not there or damaged', async () => {
  await copyBundled(home);
  const first = (await readJson(ingest, ratesOf(1))).release;
  const second = (await readJson(ingest, ratesOf(2))).release;
  await assert.rejects(run(releases, 'use', 'nothing'), /^CommandRefused: There is no release nothing here/);
  writeFileSync(path.join(home, 'releases', first, 'bank-rate.part'), 'rubbish');
  await assert.rejects(run(releases, 'use', first), CommandRefused);
  assert.equal(openHome(home, layouts).releases.currentId(), second);
});

test('progress is one redrawn line on a terminal, a line per phase elsewhere', () => {
  const steps = [0, 50, 100].map((done) => ({ phase: 'Reading', done, total: 100 }));
  const terminal = openIo(true);
  const line = openProgressLine(terminal.io);
  for (const step of steps) line.progress(step);
  line.end();
  assert.equal(
    terminal.err(),
    ['Reading 0 %', 'Reading 50 %', 'Reading 100 %', ''].map((text) => `\r\u001b[2K${text}`).join(''),
  );
  const plain = openIo(false);
  const quiet = openProgressLine(plain.io);
  for (const step of steps) quiet.progress(step);
  quiet.end();
  assert.equal(plain.err(), 'Reading\n');
});

test('--edition takes a day or a month that has been; all else is wrong usage', async () => {
  await copyBundled(home);
  for (const text of ['2026', '2026-13', '2026-02-30', '26-08-31', '31/08/2026', 'today', '1021-08-25', '']) {
    await assert.rejects(
      run(ingest, daily, '--edition', text),
      new WrongUsage(`--edition takes a day such as 2026-08-31, or a month such as 2026-08, not "${text}".`),
    );
  }
  for (const text of ['2026-11-16', '2026-12'])
    await assert.rejects(
      run(ingest, daily, '--edition', text),
      new WrongUsage(`--edition ${text} is in the future.`),
    );
  await assert.rejects(
    run(ingest, daily, '--edition', '2026-11-15'),
    /--edition is for files that do not state/,
  );
  // The day that its rows tell.
  await run(ingest, daily, '--edition', '2026-09-21');
});
