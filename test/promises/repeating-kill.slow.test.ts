// Promise: after kill -9 at any moment a caller sends every call again under its Idempotency-Key, and each has been charged
// exactly once, whatever of the first answer came through.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLedger } from '../../src/ledger/open.ts';
import { bundledHome, startDomesday } from '../rig.ts';

const rounds = 3;
const connections = 12;
const callsEach = 30;

test(`${rounds} times kill -9: calls sent again are charged once`, async () => {
  const { home, remove } = await bundledHome();
  const before = await openLedger({ home });
  const atMs = Date.now();
  const terms = { allowance: 1_000_000 };
  const { accountId } = await before.accounts.createAccount({
    name: 'load',
    plan: 'enterprise',
    terms,
    atMs,
  });
  const { key } = await before.accounts.createKey({ accountId, kind: 'live', atMs });
  await before.ledger.close();

  const start = () => startDomesday(home, { DOMESDAY_LOG: 'silent' });
  const send = async (url: string, name: string) => {
    const headers = { 'x-api-key': key, 'idempotency-key': name };
    const reply = await fetch(`${url}/api/v1/bank-rates?limit=1`, { headers });
    await reply.arrayBuffer();
    assert.equal(reply.status, 200);
    return reply.headers.get('x-credits-charged');
  };

  const names: string[] = [];
  let running = await start();
  let heard = 0;
  for (let round = 0; round < rounds; round += 1) {
    const killAt = heard + 10 + 23 * round;
    const { child, url } = running;
    const sent: string[] = [];
    const client = async (number: number) => {
      for (let call = 0; call < callsEach; call += 1) {
        const name = `${round}-${number}-${call}`;
        sent.push(name);
        try {
          await send(url, name);
        } catch (error) {
          if (error instanceof TypeError) return;
          throw error;
        }
        heard += 1;
        if (heard === killAt) child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
    await running.stop('SIGKILL');
    running = await start();
    const again = await Promise.all(sent.map((name) => send(running.url, name)));
    assert.ok(again.includes('0'), 'nothing was charged before the kill');
    names.push(...sent);
  }
  await running.stop();

  const { ledger, accounts } = await openLedger({ home });
  const charges = (await accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
  await ledger.close();
  remove();
  assert.ok(heard < names.length, 'every call was answered before a kill');
  assert.equal(charges.length, names.length);
});
