// How many charges a second one PostgreSQL takes: engines, as replicas have them, charge straight away, without HTTP, each with
// so many charges under way. `many` spreads them over 200 customers, `one` is the worst case, a single customer.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import type { Caller, Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { startDurable } from './durable.ts';
import { allThreads, withChildren } from './processor.ts';

const seconds = Number(process.argv[2] ?? 4);
const customers = 200;

const database = await startDurable();
const home = mkdtempSync(path.join(tmpdir(), 'domesday-ceiling-'));
const open = () => openLedger({ home, databaseUrl: database.url });
const first = await open();
const callers: Caller[] = [];
for (let number = 0; number < customers; number += 1) {
  const terms = { allowance: 1_000_000_000, limits: { minute: null, day: null, month: null } };
  const atMs = Date.now();
  const made = await first.accounts.createAccount({ name: `C${number}`, plan: 'enterprise', terms, atMs });
  const { keyId } = await first.accounts.createKey({ accountId: made.accountId, kind: 'live', atMs });
  callers.push({ accountId: made.accountId, keyId, mode: 'live' });
}
first.maintain();
await first.ledger.close();

let lastCharge = 0;

async function chargeOn(ledger: Ledger, payers: readonly Caller[], untilMs: number): Promise<number> {
  let charged = 0;
  while (performance.now() < untilMs) {
    lastCharge += 1;
    const caller = payers[lastCharge % payers.length];
    if (caller === undefined) throw new Error('there is no customer');
    const chargeId = `ceiling-${lastCharge}`;
    const atMs = Date.now();
    await ledger.charge({ caller, endpoint: '/bank-rates', atMs, chargeId, requestId: chargeId, credits: 1 });
    charged += 1;
  }
  return charged;
}

async function measure(what: string, payers: readonly Caller[], engines: number, underWay: number) {
  const opened = await Promise.all(Array.from({ length: engines }, open));
  const look = () => [withChildren(database.pid), allThreads(process.pid)] as const;
  const before = look();
  const startMs = performance.now();
  const counts = await Promise.all(
    opened.flatMap(({ ledger }) =>
      Array.from({ length: underWay }, () => chargeOn(ledger, payers, startMs + seconds * 1000)),
    ),
  );
  const tookSeconds = (performance.now() - startMs) / 1000;
  const after = look();
  const charges = counts.reduce((sum, count) => sum + count, 0);
  for (const { ledger } of opened) await ledger.close();
  const each = (place: 0 | 1) => ((after[place] - before[place]) / charges).toFixed(1);
  console.log(
    `${what.padEnd(5)} ${engines} engines × ${String(underWay).padStart(3)}: ${(charges / tookSeconds).toFixed(0).padStart(6)} charges/s; µs of the processor a charge: database ${each(0)}, engines ${each(1)}`,
  );
}

console.log(`${seconds} s each, load of the machine ${loadavg()[0]?.toFixed(1)}`);
const sizes = [
  [1, 1],
  [1, 64],
  [1, 512],
  [2, 64],
  [4, 64],
  [4, 512],
  [8, 64],
] as const;
for (const [engines, underWay] of sizes) {
  await measure('many', callers, engines, underWay);
  await measure('one', callers.slice(0, 1), engines, underWay);
}
rmSync(home, { recursive: true });
await database.close();
