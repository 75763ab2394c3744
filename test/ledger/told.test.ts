// What opening a ledger tells the operator where it takes long: the check after an unclean stop.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { OpenLedger } from '../../src/ledger/ledger.ts';
import { databaseFile, openLedger } from '../../src/ledger/open.ts';
import { customer } from './bench.ts';

let folder = '';
let told: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'domesday-told-'));
  told = [];
});
afterEach(() => rmSync(folder, { recursive: true }));
const open = (home: string): Promise<OpenLedger> =>
  openLedger({ home, tell: ({ message }) => told.push(message) });

test('the check after an unclean stop is told once by the service, with how long it took', async () => {
  const home = join(folder, 'home');
  const killed = join(folder, 'killed');
  const first = await open(home);
  first.maintain();
  await customer(first.accounts, 'basic');
  cpSync(home, killed, { recursive: true }); // as a kill leaves it
  await first.ledger.close();
  assert.deepEqual(told, []);
  const command = await open(killed);
  await command.ledger.close();
  assert.deepEqual(told, [], 'a command beside a service has nothing to tell');
  const service = await open(killed);
  service.maintain();
  await service.ledger.close();
  assert.equal(told.length, 1, told.join('\n'));
  assert.match(told[0] ?? '', /was not closed properly; a full check took \d+ ms and found no fault/);
  const next = await open(killed);
  next.maintain();
  await next.ledger.close();
  assert.equal(told.length, 1, told.join('\n'));
});

test('a command that is advised names the home so that a shell takes it as one word', async () => {
  const home = join(folder, "Ada's home");
  await (await open(home)).ledger.close();
  rmSync(databaseFile(home));
  const words = String.raw`'${folder}/Ada'\''s home'`;
  await assert.rejects(open(home), (error: Error) =>
    error.message.includes(`\`domesday restore FOLDER --home ${words}\``),
  );
});
