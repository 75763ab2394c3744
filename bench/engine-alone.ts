// The engine of the ledger alone, embedded, beside a plain program of SQLite, in turn: so many callers each admit and charge, one after
// another, against commits of so many charges. Arguments: rounds.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashKey } from '../src/ledger/keys.ts';
import { openLedger } from '../src/ledger/open.ts';
import { report } from './figures.ts';
import { openPlainLedger } from './plain-ledger.ts';
import { inTurns, quantile, ratioOf, showRatio } from './rounds.ts';

const rounds = Number(process.argv[2] ?? 5);
const inFlight = [1, 8, 64, 512] as const;
const chargesOf = (count: number): number => (count === 1 ? 4_000 : 40_000);
const bar = { processor: 1.7, alone: 1.5 };

const home = mkdtempSync(path.join(tmpdir(), 'engine-alone-'));
const startMs = Date.now();
const { ledger, accounts } = await openLedger({ home });
const plain = openPlainLedger(home);
const hashes: string[] = [];
for (let account = 0; account < 200; account += 1) {
  const terms = { allowance: 100_000_000 };
  const { accountId } = await accounts.createAccount({
    name: `A${account}`,
    plan: 'enterprise',
    terms,
    atMs: startMs,
  });
  const { key } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
  hashes.push(hashKey(key));
}

type Round = { readonly processorUs: number; readonly medianMs: number };
let calls = 0;

async function chargeOnce(): Promise<void> {
  calls += 1;
  const id = calls;
  const admission = await ledger.admit(hashes[id % hashes.length] ?? '', Date.now());
  if (admission.kind !== 'admitted') throw new Error(JSON.stringify(admission));
  const { kind } = await ledger.charge({
    caller: admission.caller,
    endpoint: '/crime',
    atMs: Date.now(),
    chargeId: `c${id}-${startMs}`,
    requestId: `r${id}`,
    credits: 1,
  });
  if (kind !== 'charged') throw new Error(kind);
}

async function measure(charges: number, work: (times: number[]) => Promise<void>) {
  const times: number[] = [];
  const before = process.cpuUsage();
  const begun = performance.now();
  await work(times);
  const { user, system } = process.cpuUsage(before);
  const wallUs = ((performance.now() - begun) * 1_000) / charges;
  return { processorUs: (user + system) / charges, wallUs, times, medianMs: quantile(times, 0.5) };
}

async function engine(count: number): Promise<Round> {
  const total = chargesOf(count);
  let left = total;
  const caller = async (times: number[]) => {
    while (left > 0) {
      left -= 1;
      const begun = performance.now();
      await chargeOnce();
      times.push(performance.now() - begun);
    }
  };
  const round = await measure(total, async (times) => {
    await Promise.all(Array.from({ length: count }, () => caller(times)));
  });
  const { processorUs, wallUs, medianMs, times } = round;
  console.log(
    `engine ${String(count).padStart(4)} in flight: processor ${processorUs.toFixed(2)} µs a charge, wall ${wallUs.toFixed(2)} µs, p50 ${medianMs.toFixed(3)} ms p99 ${quantile(times, 0.99).toFixed(3)}, ok ${times.length}`,
  );
  return round;
}

async function commits(count: number): Promise<Round> {
  const number = Math.max(200, Math.floor(chargesOf(count) / count));
  const round = await measure(number * count, async (times) => {
    for (let commit = 0; commit < number; commit += 1) {
      const begun = performance.now();
      plain.commit(count);
      times.push(performance.now() - begun);
    }
  });
  const { processorUs, wallUs, medianMs, times } = round;
  console.log(
    `plain ${String(count).padStart(5)} a commit: processor ${processorUs.toFixed(2)} µs a charge, wall ${wallUs.toFixed(2)} µs; commit p50 ${medianMs.toFixed(3)} ms, p99 ${quantile(times, 0.99).toFixed(3)} ms`,
  );
  return round;
}

try {
  await engine(64);
  await commits(64);
  for (const count of inFlight) {
    const told = await inTurns(['engine', 'plain'], rounds, (side) =>
      side === 'engine' ? engine(count) : commits(count),
    );
    const ratio = (of: (round: Round) => number) => ratioOf(told('engine').map(of), told('plain').map(of));
    const processor = ratio(({ processorUs }) => processorUs);
    console.log(`${count} in flight: processor a charge ÷ plain program ${showRatio(processor)}`);
    const what = `processor of a charge with ${count} in flight, by that of the plain program`;
    const aim = `≤ ${bar.processor}`;
    report([{ what, value: processor.median, worst: processor.highest, unit: '×', aim }]);
    if (count > 1) continue;
    const alone = ratio(({ medianMs }) => medianMs);
    console.log(`one caller: median ÷ plain commit of one ${showRatio(alone)}`);
    report([
      {
        what: 'median of one caller, by that of a plain commit of one charge',
        value: alone.median,
        worst: alone.highest,
        unit: '×',
        aim: `≤ ${bar.alone}`,
      },
    ]);
  }
} finally {
  plain.close();
  await ledger.close();
  rmSync(home, { recursive: true });
}
