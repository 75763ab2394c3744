// What the chain of the journals costs: makes a ledger of so many chained entries through the ledger itself, and follows them
// all as `domesday check` does. Prints microseconds a charge, and seconds by the clock and of the processor.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import type { Caller } from '../../src/ledger/ledger.ts';
import { ledgerFile, openLedger } from '../../src/ledger/open.ts';

const entries = Number(process.argv[2] ?? 3_000_000);
const customers = 200;
/** Charges that one turn of the event loop commits together. */
const together = 1_000;
const startMs = Date.UTC(2026, 0, 1);
const everyMs = 1_000;

const home = mkdtempSync(path.join(process.env.BENCH_FOLDER ?? tmpdir(), 'domesday-chain-'));
try {
  const { ledger, accounts, journals, maintain } = await openLedger({ home });
  maintain();
  const callers: Caller[] = [];
  for (let i = 0; i < customers; i++) {
    const terms = { allowance: 1_000_000_000, limits: { minute: null, day: null, month: null } };
    const made = await accounts.createAccount({ name: `C${i}`, plan: 'enterprise', terms, atMs: startMs });
    const { accountId } = made;
    const { keyId } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    callers.push({ accountId, keyId, mode: 'live' });
  }
  const making = measure();
  for (let begun = 0; begun < entries; begun += together) {
    await Promise.all(
      Array.from({ length: Math.min(together, entries - begun) }, (_, i) => {
        const caller = callers[(begun + i) % customers];
        assert.ok(caller);
        const chargeId = `run-${String(begun + i).padStart(9, '0')}`;
        const call = { caller, endpoint: '/bank-rates', atMs: startMs + (begun + i) * everyMs };
        return ledger.charge({ ...call, chargeId, requestId: chargeId, credits: 1 });
      }),
    );
  }
  const made = making();
  const megabytes = (statSync(ledgerFile(home)).size / 2 ** 20).toFixed(0);
  const each = (seconds: number) => ((seconds / entries) * 1e6).toFixed(1);
  console.log(
    `node ${process.version}, ${entries} charges of ${customers} accounts, ${megabytes} MB, load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(
    `a charge: ${each(made.seconds)} µs by the clock, ${each(made.processor)} µs of the processor, ${together} in a commit`,
  );
  const following = measure();
  const report = await journals.verify(startMs + entries * everyMs);
  const followed = following();
  assert.deepEqual([report.breaks, report.different, report.contradictions], [[], [], []]);
  console.log(
    `check of ${report.entries} entries: ${followed.seconds.toFixed(1)} s, ${followed.processor.toFixed(1)} s of the processor`,
  );
  await ledger.close();
} finally {
  rmSync(home, { recursive: true });
}

function measure(): () => { readonly seconds: number; readonly processor: number } {
  const startedMs = performance.now();
  const usedBefore = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usedBefore);
    return { seconds: (performance.now() - startedMs) / 1_000, processor: (user + system) / 1e6 };
  };
}
