// The units of deploy/systemd as systemd itself reads them: nothing that it does not know, and little that a service which
// was taken over could do.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { systemdAnalyze, testWith } from '../requirements.ts';

const folder = path.join(import.meta.dirname, '../../deploy/systemd');
const services = globSync('*.service', { cwd: folder });
const units = [...services, ...globSync('*.timer', { cwd: folder })];
const read = (unit: string) => readFileSync(path.join(folder, unit), 'utf8');

testWith(systemdAnalyze, 'systemd finds no fault in any unit', (analyze, context) => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-units-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true }));
  cpSync(folder, scratch, { recursive: true });
  // The program is not installed in its place here.
  for (const unit of services) {
    const text = read(unit).replaceAll('/opt/domesday/node_modules/.bin/node', process.execPath);
    writeFileSync(path.join(scratch, unit), text);
  }
  const places = units.map((unit) => path.join(scratch, unit));
  const { status, stderr, stdout } = spawnSync(analyze, ['verify', '--man=no', ...places], {
    encoding: 'utf8',
  });
  // It also tells of units of the machine itself.
  const ours = `${stdout}${stderr}`.split('\n').filter((line) => /domesday/.test(line));
  assert.deepEqual(ours, []);
  assert.equal(status, 0, stderr);
});

for (const unit of services)
  testWith(systemdAnalyze, `${unit} is exposed to little (2.0 of 10 at most)`, (analyze) => {
    const words = ['security', '--offline=true', '--threshold=20', path.join(folder, unit)];
    const { status, stdout } = spawnSync(analyze, words, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

testWith(systemdAnalyze, 'every timer has a next time', (analyze) => {
  for (const unit of units.filter((each) => each.endsWith('.timer'))) {
    const [, when = ''] = /^OnCalendar=(.*)$/m.exec(read(unit)) ?? [];
    assert.match(execFileSync(analyze, ['calendar', when], { encoding: 'utf8' }), /Next elapse: \w+/, unit);
  }
});

test('every timer starts a service that is there', () => {
  for (const unit of units.filter((each) => each.endsWith('.timer')))
    assert.ok(services.includes(unit.replace(/timer$/, 'service')), unit);
});

test('all services are confined alike', () => {
  const confinement = (unit: string) =>
    read(unit)
      .split('\n')
      .filter((line) =>
        /^(Protect|Private|Restrict|SystemCall|Capability|NoNew|Lock|Remove|ProcSubset|UMask)/.test(line),
      );
  const [first = '', ...others] = services;
  assert.ok(confinement(first).length > 20);
  for (const other of others) assert.deepEqual(confinement(other).sort(), confinement(first).sort(), other);
});
