// `domesday ledger`: a backup beside a running ledger, the way back, and everything that is refused.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { WrongUsage } from '../../src/cli/command.ts';
import { ledger as command } from '../../src/cli/ledger.ts';
import { balanceOf, charging, customer } from '../ledger/bench.ts';
import { Desk, textOf } from './ledger-desk.ts';

let desk: Desk;
let file = '';
let backup = '';
beforeEach(async () => {
  desk = new Desk();
  file = join(desk.home, 'ledger.sqlite');
  backup = join(desk.home, '..', 'backup.sqlite');
});
afterEach(() => desk.remove());

/** A ledger that stays open, with a charge in its log. */
async function openWithCharge() {
  const open = await desk.openLedger();
  const who = await customer(open.accounts, 'premium');
  await open.ledger.charge(charging(who.caller, 'c1'));
  return { ...open, ...who };
}

test('a backup beside an open ledger has the newest charge, is the owner’s alone, and is found whole by a restore', async () => {
  const { ledger, accounts, caller, accountId } = await openWithCharge();
  const made = await desk.json(command, 'backup', backup);
  assert.deepEqual([made.file, made.entries, made.accounts], [backup, 2, 1]);
  assert.equal(made.bytes, statSync(backup).size);
  if (process.platform !== 'win32') assert.equal(statSync(backup).mode & 0o777, 0o600);
  await assert.rejects(desk.run(command, 'backup', backup), /is there already; name a file that is not/);

  await ledger.charge(charging(caller, 'c2', 3));
  const after = await balanceOf(accounts, accountId);
  await assert.rejects(desk.run(command, 'restore', backup), /is in use; stop the service/);
  await ledger.close();

  const before = readFileSync(file);
  const restored = await desk.json(command, 'restore', backup);
  assert.deepEqual(restored.missing, { entries: 1, credits: 3 });
  const movedTo = textOf(restored.movedTo);
  assert.deepEqual(readFileSync(join(movedTo, 'ledger.sqlite')), before, 'what was there is kept');
  const again = await desk.openLedger();
  assert.equal(await balanceOf(again.accounts, accountId), after + 3);
  await again.ledger.close();
  assert.deepEqual(
    readdirSync(desk.home).filter((name) => name.includes('.new-')),
    [],
  );
});

test('a restore puts right what a start refuses: an older copy, a left-over log, a damaged seal, a ledger that is gone', async () => {
  const { ledger, accountId } = await openWithCharge();
  await desk.run(command, 'backup', backup);
  await ledger.close();
  const faults = [
    () => rmSync(file),
    () => writeFileSync(file, 'no ledger'),
    () => writeFileSync(join(desk.home, 'ledger.seal'), '{'),
    () => writeFileSync(`${file}-wal`, 'left over'),
  ];
  for (const fault of faults) {
    fault();
    const text = await desk.run(command, 'restore', backup);
    assert.match(text, /^Restored: 1 account, 2 entries\.\n/);
    const { ledger, accounts } = await desk.openLedger();
    assert.equal(await balanceOf(accounts, accountId), 99_999);
    await ledger.close();
  }
});

test('a copy made by hand is restored with the log beside it', async () => {
  const { ledger, accountId } = await openWithCharge();
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${backup}${part}`);
  await ledger.close();
  await desk.run(command, 'restore', backup);
  const again = await desk.openLedger();
  assert.equal(await balanceOf(again.accounts, accountId), 99_999);
  await again.ledger.close();
});

test('a backup of another ledger has to be asked for', async () => {
  const own = await openWithCharge();
  await own.ledger.close();
  const other = new Desk();
  const { ledger } = await other.openLedger();
  await ledger.close();
  await other.run(command, 'backup', backup);
  other.remove();
  const before = readFileSync(file);
  await assert.rejects(desk.run(command, 'restore', backup), /backup of another ledger.*--other-ledger/);
  assert.deepEqual(readFileSync(file), before);
  assert.match(await desk.run(command, 'restore', backup, '--other-ledger'), /lacks 2 entries/);
});

test('what is no backup changes nothing', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  const before = readFileSync(file);
  await assert.rejects(desk.run(command, 'restore', backup), /There is no file/);
  await assert.rejects(desk.run(command, 'restore', desk.home), /is not a file/);
  await assert.rejects(desk.run(command, 'restore', file), /is the ledger of this home itself/);
  for (const bytes of [
    '',
    'no ledger',
    before.subarray(0, 8_192),
    before.subarray(0, before.length - 4_096),
  ]) {
    writeFileSync(backup, bytes);
    await assert.rejects(desk.run(command, 'restore', backup), /is no sound backup.*Nothing was changed/);
  }
  assert.deepEqual(readFileSync(file), before);
  assert.ok(!readdirSync(desk.home).some((name) => name.startsWith('ledger-before')));
});

test('wrong usage says what is missing', async () => {
  for (const args of [
    [],
    ['trims'],
    ['backup'],
    ['restore'],
    ['backup', 'a', 'b'],
    ['backup', 'a', '--other-ledger'],
  ]) {
    await assert.rejects(desk.run(command, ...args), WrongUsage);
  }
  await assert.rejects(desk.run(command, 'backup', backup), /There is no home folder/);
  assert.equal(existsSync(desk.home), false);
});
