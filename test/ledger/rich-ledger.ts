// A ledger file that has been through everything that one can go through.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { doubtfulFile } from '../../src/ledger/doubts.ts';
import { hashKey } from '../../src/ledger/keys.ts';
import type { Caller, OpenLedger, PlanName } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { charging, startMs } from './bench.ts';

const day = (days: number) => startMs + days * dayMs;
const nowMs = day(200);

class Customers {
  readonly #open: OpenLedger;
  #count: number;

  constructor(open: OpenLedger, count: number) {
    this.#open = open;
    this.#count = count;
  }

  async make(name: string, plan: PlanName, atMs: number, terms = {}): Promise<Caller> {
    const { accounts } = this.#open;
    const { accountId } = await accounts.createAccount({ name, plan, terms, atMs });
    const { keyId } = await accounts.createKey({ accountId, kind: 'live', name: `${name}’s`, atMs });
    return { accountId, keyId, mode: 'live' };
  }

  async charge(caller: Caller, atMs: number, way: 'once' | 'repeatable' = 'once'): Promise<string> {
    const id = `c${++this.#count}`;
    const named = way === 'once' ? {} : { repeatable: repeatable(`key of ${id}`, `call of ${id}`) };
    const { kind } = await this.#open.ledger.charge({ ...charging(caller, id, this.#count, atMs), ...named });
    assert.equal(kind, 'charged');
    return id;
  }
}

/** Everything that a ledger can go through: grants, corrections, refreshes, changes of plan up and down, trial and back, a
 *  wrong clock, a trim, rotated, test, publishable, bound and web keys, repeated calls, a charge given back, suspended and closed
 *  accounts. */
export async function makeRichLedger(home: string): Promise<void> {
  const first = await openLedger({ home });
  first.maintain();
  await first.accounts.openPublicSandbox(startMs);
  const old = new Customers(first, 0);
  const ada = await old.make('Ada', 'basic', startMs, { allowance: 900, limits: { minute: 50, day: null } });
  const bob = await old.make('Bob', 'trial', startMs);
  const cyd = await old.make('Cyd', 'basic', startMs);
  for (const [i, caller] of [ada, bob, cyd, ada].entries()) await old.charge(caller, startMs + i * hourMs);
  await first.accounts.grantCredits(ada.accountId, { credits: 30, note: 'goodwill', atMs: day(1) });
  await first.accounts.closeAccount(cyd.accountId, day(2));
  for (const days of [40, 70, 101, 132]) await old.charge(ada, day(days));
  await first.journals.trim({ beforeMs: day(60), atMs: nowMs });
  const young = new Customers(first, 100);
  const eve = await young.make('Eve', 'basic', day(133), { allowance: 5_000, limits: { month: 900 } });
  const fay = await young.make('Fay', 'trial', day(133), { allowance: 3_000 });
  const gil = await young.make('Gil', 'standard', day(134));
  const hal = await young.make('Hal', 'basic', day(135));
  const { accounts, ledger } = first;
  for (const caller of [eve, fay, gil]) await young.charge(caller, day(136));
  await accounts.grantCredits(eve.accountId, { credits: 300, note: 'goodwill', atMs: day(137) });
  await accounts.grantCredits(eve.accountId, { credits: -50, atMs: day(138) });
  await accounts.changePlan(eve.accountId, { plan: 'standard', terms: { allowance: 7_000 }, atMs: day(140) });
  await accounts.changePlan(eve.accountId, { plan: 'basic', atMs: day(141) });
  await accounts.suspendAccount(eve.accountId, { reason: 'bills unpaid', atMs: day(142) });
  await accounts.resumeAccount(eve.accountId, day(143));
  for (const days of [170, 199]) await young.charge(eve, day(days));
  await accounts.changePlan(fay.accountId, { plan: 'basic', atMs: day(150) });
  await accounts.changePlan(fay.accountId, { plan: 'trial', atMs: day(151) });
  await accounts.changePlan(fay.accountId, { plan: 'premium', atMs: day(190) });
  await accounts.closeAccount(gil.accountId, day(160));
  await young.charge(hal, day(3_000));
  await young.charge(hal, day(180));
  const rotated = await accounts.rotateKey(eve.keyId, { overlapMs: hourMs, atMs: day(198) });
  const eveNow: Caller = { ...eve, keyId: rotated.keyId };
  const test = await accounts.createKey({ accountId: eve.accountId, kind: 'test', atMs: day(198) });
  const free = {
    caller: { ...eve, keyId: test.keyId, mode: 'test' },
    endpoint: '/free',
    atMs: day(199),
  } as const;
  ledger.record({ ...free, status: 200 });
  ledger.record({ ...free, caller: eveNow, status: 404 });
  await accounts.createKey({ accountId: hal.accountId, kind: 'live', name: 'unused', atMs: day(198) });
  const ofPages = { accountId: hal.accountId, kind: 'publishable', atMs: day(198) } as const;
  const binding = {
    origins: ['https://www.example.com', 'http://localhost:3000'],
    endpoints: ['/bank-rates', '/free'],
  };
  const page = await accounts.createKey({ ...ofPages, name: 'page', binding });
  await young.charge({ ...hal, keyId: page.keyId }, day(199));
  await accounts.rotateKey(page.keyId, { overlapMs: hourMs, atMs: day(199) });
  await accounts.createKey({ ...ofPages, binding: { origins: ['https://example.org'], endpoints: null } });
  const bound = { endpoints: ['/crime'], addresses: ['203.0.113.0/24', '2001:db8::/32'] };
  await accounts.createKey({ accountId: hal.accountId, kind: 'live', binding: bound, atMs: day(198) });
  const web = await accounts.createWebKey(hal.accountId, day(199));
  await young.charge({ ...hal, keyId: web.keyId }, day(199));
  const ivy = await young.make('Ivy', 'basic', day(197));
  await accounts.suspendAccount(ivy.accountId, { reason: 'asked for it\nin two lines', atMs: day(198) });
  await ledger.admit(hashKey(rotated.key), day(199));
  await young.charge(eveNow, day(199) + 1, 'repeatable');
  await young.charge(fay, day(199) + 2, 'repeatable');
  const doubtful = await young.charge(eveNow, day(199) + 3, 'repeatable');
  await ledger.close();
  doubtfulFile(join(home, 'domesday.doubtful')).add([doubtful]);
  const second = await openLedger({ home });
  second.maintain();
  await new Customers(second, 200).charge(eveNow, day(199) + 4, 'repeatable');
  await second.ledger.close();
}
