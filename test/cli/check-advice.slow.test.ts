// The doctor's advice can be followed: whatever is wrong with a home, doing word for word what `domesday check` says leaves
// it without a problem.

import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';

type Finding = { level: string; subject: string; finding: string; advice?: string };

const rates = path.join(import.meta.dirname, '../fixtures/bank-rate/iadb-later.csv');

async function findingsIn(home: string): Promise<Finding[]> {
  const { out } = await runDomesday(['check', '--home', home, '--json']);
  return JSON.parse(out).findings;
}

const problemsIn = async (home: string) =>
  (await findingsIn(home)).filter(({ level }) => level === 'problem');

/** Does what an advice says, as an operator would. */
async function follow(advice: string, home: string): Promise<void> {
  const folder = /the folder (\S+?);? /.exec(advice)?.[1];
  if (folder !== undefined) assert.ok(folder.startsWith(home), advice);
  const command = /^`npx domesday (.+)`$/.exec(advice)?.[1];
  if (command !== undefined) {
    assert.equal((await runDomesday(command.split(' '))).code, 0, advice);
  } else if (advice.startsWith('Move the folder') && folder !== undefined) {
    renameSync(folder, `${folder}-aside`);
  } else if (advice.startsWith('Remove the folder') && folder !== undefined) {
    rmSync(folder, { recursive: true });
  } else if (/Move it aside/.test(advice)) {
    renameSync(path.join(home, 'domesday.sqlite'), path.join(home, 'aside.sqlite'));
  }
  if (/domesday serve|next start|Move it aside/.test(advice)) {
    const running = await startDomesday(home);
    // A test key waits for the sandbox.
    await fetch(`${running.url}/api/v1/bank-rates`, {
      headers: { 'x-api-key': 'dd_test_PublicSandboxKeyForAnyone26NNv4' },
    });
    await running.stop();
  }
  if (/load the files again with `npx domesday ingest PATH… --home/.test(advice)) {
    assert.equal((await runDomesday(['ingest', rates, '--home', home])).code, 0, advice);
  }
}

const currentOf = (home: string, kind: 'releases' | 'sandbox') =>
  path.join(home, kind, readFileSync(path.join(home, kind, 'current'), 'utf8').trim());

const spoil = (home: string, kind: 'releases' | 'sandbox') =>
  writeFileSync(path.join(currentOf(home, kind), 'bank-rate.part'), 'junk');

const ingestRates = async (home: string) => {
  assert.equal((await runDomesday(['ingest', rates, '--home', home])).code, 0);
};

const wrongs: Readonly<Record<string, (home: string) => void | Promise<void>>> = {
  'an empty home': (home) => {
    rmSync(home, { recursive: true });
    mkdirSync(home);
  },
  'a home with a ledger alone': async (home) => {
    rmSync(home, { recursive: true });
    await runDomesday(['accounts', 'create', '--name', 'a', '--plan', 'basic', '--home', home]);
  },
  'a damaged sample': (home) => spoil(home, 'releases'),
  'a damaged sandbox': (home) => spoil(home, 'sandbox'),
  'a sample that is gone': (home) => rmSync(currentOf(home, 'releases'), { recursive: true }),
  'a pointer of junk': (home) => writeFileSync(path.join(home, 'releases/current'), '?\n'),
  'a damaged release with another beside it': async (home) => {
    await ingestRates(home);
    spoil(home, 'releases');
  },
  'a damaged release alone': async (home) => {
    const sample = currentOf(home, 'releases');
    await ingestRates(home);
    spoil(home, 'releases');
    rmSync(sample, { recursive: true });
  },
  'a ledger of junk': (home) => writeFileSync(path.join(home, 'domesday.sqlite'), 'junk'),
};

for (const [what, breakIt] of Object.entries(wrongs)) {
  test(`check's advice mends ${what}`, async () => {
    const { home, remove } = await bundledHome();
    try {
      await breakIt(home);
      const problems = await problemsIn(home);
      assert.ok(problems.length > 0);
      for (const { advice } of problems) await follow(advice ?? assert.fail('no advice'), home);
      assert.deepEqual(await problemsIn(home), []);
    } finally {
      remove();
    }
  });
}

test('after a load check says first which datasets are still a sample', async () => {
  const { home, remove } = await bundledHome();
  await ingestRates(home);
  const [, second] = await findingsIn(home);
  assert.deepEqual([second?.level, second?.subject], ['warning', 'release']);
  assert.match(second?.finding ?? '', /sample: .*crime.*postcodes/);
  assert.doesNotMatch(second?.finding ?? '', /bank-rate/);
  remove();
});

test('no advice asks for a newer edition of what comes with the program alone', async () => {
  const { home, remove } = await bundledHome();
  const findings = await findingsIn(home);
  const authorities = findings.find(({ subject }) => subject === 'authorities');
  assert.deepEqual([authorities?.level, authorities?.advice], ['ok', undefined]);
  for (const { advice } of findings) {
    if (advice?.includes('newer edition')) assert.match(advice, /files: https:/);
  }
  remove();
});

test('a new ledger is its owner’s alone; check warns of one that others may read, and its advice closes it', async () => {
  const { home, remove } = await bundledHome();
  await runDomesday(['accounts', 'create', '--name', 'a', '--plan', 'basic', '--home', home]);
  const open = async () => (await findingsIn(home)).find(({ advice }) => advice?.startsWith('chmod'));
  assert.equal(await open(), undefined);
  const copy = path.join(home, 'copy.sqlite');
  cpSync(path.join(home, 'domesday.sqlite'), copy);
  chmodSync(copy, 0o644);
  renameSync(copy, path.join(home, 'domesday.sqlite'));
  const [, mode, file] = /^chmod (\d+) (.+)$/.exec((await open())?.advice ?? '') ?? [];
  chmodSync(file ?? assert.fail('no advice'), Number.parseInt(mode ?? '', 8));
  assert.equal(await open(), undefined);
  remove();
});
