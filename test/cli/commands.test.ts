// The command line as a whole: help, wrong usage, exit statuses, and the doctor.

import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { commands } from '../../src/cli/index.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { writeManifest } from '../release/sealed-manifest.ts';
import { bundledHome, runDomesday } from '../rig.ts';

test('every command prints its help and exits 0', async () => {
  for (const { name, load } of commands) {
    const { code, out } = await runDomesday([name, '--help']);
    assert.equal(code, 0);
    assert.equal(out, (await load()).help);
    assert.match(out, new RegExp(`^domesday ${name}: `));
    assert.match(out, /^Usage: domesday /m);
  }
});

test('wrong usage exits 2 with one line that names the help', async () => {
  for (const args of [
    ['fly'],
    ['serve', 'now'],
    ['serve', '--prot', '1'],
    ['accounts'],
    ['keys', 'mint'],
    ['ingest'],
  ]) {
    const { code, err } = await runDomesday(args);
    assert.equal(code, 2, args.join(' '));
    assert.equal(err.trimEnd().split('\n').length, 1, err);
  }
});

test('no command at all prints the list of commands and exits 2; --version exits 0', async () => {
  const bare = await runDomesday([]);
  assert.equal(bare.code, 2);
  for (const { name } of commands) assert.match(bare.out, new RegExp(`^  ${name} `, 'm'));
  const version = await runDomesday(['--version']);
  assert.deepEqual([version.code, version.err], [0, '']);
  assert.match(version.out, /^\d+\.\d+\.\d+(?:-[\w.]+)?\n$/);
});

test('check finds nothing wrong with a fresh home, warns of the sample, and says what to do', async () => {
  const { home, remove } = await bundledHome();
  const { code, out } = await runDomesday(['check', '--home', home, '--json']);
  assert.equal(code, 0);
  const { findings } = JSON.parse(out);
  const old = findings
    .filter(({ finding }: { finding: string }) => /\d days old/.test(finding))
    .map(({ subject }: { subject: string }) => subject);
  assert.ok(old.includes('crime'), 'December 2024 is long ago');
  assert.ok(!old.includes('census-england-wales'), 'the next census is in 2031');
  const levels = findings.map(({ level }: { level: string }) => level);
  assert.equal(levels.includes('problem'), false, out);
  assert.ok(findings.some(({ advice }: { advice?: string }) => advice?.includes('domesday ingest')));
  const valuations = findings.find(({ subject }: { subject: string }) => subject === 'valuations');
  assert.equal(valuations.level, 'warning');
  assert.match(valuations.finding, /not loaded.*\/council-tax\/property-lookup/);
  remove();
});

test('check and releases find a manifest that was changed', async () => {
  const { home, remove } = await bundledHome();
  const id = openHome(home, layouts).releases.currentId() ?? assert.fail();
  const file = path.join(home, 'releases', id, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"extent": "sample"', '"extent": "complete"'));
  const checked = await runDomesday(['check', '--home', home]);
  assert.equal(checked.code, 1);
  assert.match(checked.out, /its manifest does not match its checksum in manifest\.sha256/);
  assert.equal((await runDomesday(['releases', 'use', id, '--home', home])).code, 1);
  assert.match((await runDomesday(['releases', '--home', home])).out, new RegExp(`${id} +damaged`));
  remove();
});

test('check warns of a release that lacks what this version works out at an ingest', async () => {
  const { home, remove } = await bundledHome();
  const sampleId = openHome(home, layouts).releases.currentId() ?? assert.fail();
  const file = path.join(home, 'releases', sampleId, 'manifest.json');
  const { derived, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
  writeManifest(path.dirname(file), JSON.stringify({ ...manifest, derived: [] }));
  const { code, out } = await runDomesday(['check', '--home', home, '--json']);
  assert.equal(code, 0);
  const { findings } = JSON.parse(out);
  for (const { part } of derived) {
    const found = findings.find(({ subject }: { subject: string }) => subject === part);
    assert.equal(found.level, 'warning');
    assert.match(found.advice, /domesday ingest/);
  }
  assert.ok(derived.length > 0);
  remove();
});

test('check reports a damaged part, a damaged ledger and a missing home as problems, each with advice', async () => {
  const { home, remove } = await bundledHome();
  const sampleId = openHome(home, layouts).releases.currentId() ?? assert.fail();
  writeFileSync(path.join(home, 'releases', sampleId, 'bank-rate.part'), 'junk');
  writeFileSync(path.join(home, 'domesday.sqlite'), 'junk');
  const { code, out, err } = await runDomesday(['check', '--home', home, '--json']);
  assert.equal(code, 1);
  assert.match(err, /^2 problems found/);
  for (const { level, advice } of JSON.parse(out).findings) {
    if (level === 'problem') assert.ok(advice.length > 10);
  }
  const missing = await runDomesday(['check', '--home', path.join(home, 'nowhere')]);
  assert.equal(missing.code, 1);
  assert.match(missing.out, /There is no home folder/);
  remove();
});

test('check says in five lines where the service stands, then what to do in order, and everything with --all', async () => {
  const { home, remove } = await bundledHome();
  chmodSync(home, 0o755);
  const { code, out } = await runDomesday(['check', '--home', home]);
  assert.equal(code, 0);
  const [summary = '', ...rest] = out.split('\n\n');
  const lines = summary.split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['Ready', 'Data', 'People', 'Ledger', 'Backup'],
  );
  assert.match(summary, /^Ready +Yes\.$/m);
  assert.match(summary, /^Data +sample-\w+: 14 datasets, 11 of them the bundled sample;/m);
  assert.match(rest[0] ?? '', /^To do, in this order:\n1\. +warning +data: 11 are the bundled sample/);
  assert.match(rest[0] ?? '', /→ Load the whole country with `.*domesday update/);
  assert.match(rest[0] ?? '', /chmod 700/);
  assert.ok(out.split(/\s+/).length < 300, 'a page can be read');
  assert.doesNotMatch(out, /^ok /m);
  assert.match((await runDomesday(['check', '--all', '--home', home])).out, /^ok +council-tax: 700 rows/m);
  const reached = await runDomesday(['check', '--home', home], { HOST: '0.0.0.0' });
  assert.match(reached.out, /^Ready +Not for customers\. .* live keys get 503/m);
  remove();
});

test('check puts a problem before everything else, and its line about the data says it too', async () => {
  const { home, remove } = await bundledHome();
  const id = openHome(home, layouts).releases.currentId() ?? assert.fail();
  writeFileSync(path.join(home, 'releases', id, 'bank-rate.part'), 'junk');
  const { code, out } = await runDomesday(['check', '--home', home]);
  assert.equal(code, 1);
  assert.match(out, /^Ready +No: 1 problem, /m);
  assert.match(out, /^Data +Part bank-rate of release \S+ cannot be used/m);
  assert.match(out, /in this order:\n1\. +problem +release: /);
  remove();
});

test('releases list has a line for each dataset', async () => {
  const { home, remove } = await bundledHome();
  const { out } = await runDomesday(['releases', 'list', '--home', home]);
  assert.match(out, /^\* +sample-\w+ +sample +\S+ \S+ +amenities +2015-01-01 +sample$/m);
  assert.match(out, /^ +bank-rate +2026-\d\d-\d\d +complete$/m);
  assert.ok(out.split('\n').every((line) => line.length < 100));
  remove();
});
