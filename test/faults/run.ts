// `npm run faults`: does to a real service what machines and people do, and holds what follows against what is promised.
// `npm run faults -- long` takes its time; a name, or part of one, runs those faults alone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepCompiledModules } from '../../bin/compile-cache.js';
import { prebuiltVariable } from '../prebuilt.ts';
import type { Fault, Scale } from './fault.ts';
import { fullDisks } from './full-disks.ts';
import { heldLock } from './held-lock.ts';
import { killedUpdates } from './killed-updates.ts';
import { kills } from './kills.ts';
import { powerCuts } from './power-cuts.ts';
import { replacedLedger } from './replaced-ledger.ts';
import { disturbedReplicas } from './replicas.ts';

const faults: readonly Fault[] = [
  ...kills,
  powerCuts,
  ...fullDisks,
  heldLock,
  replacedLedger,
  killedUpdates,
  disturbedReplicas,
];

const [first, ...rest] = process.argv.slice(2);
const scale: Scale = first === 'long' ? 'long' : 'short';
const wanted = (scale === 'long' ? rest : process.argv.slice(2)).join(' ');
const chosen = faults.filter(({ name }) => name.includes(wanted));
if (chosen.length === 0) {
  console.error(`No fault is called "${wanted}"; there are: ${faults.map(({ name }) => name).join('; ')}.`);
  process.exit(2);
}

keepCompiledModules();
const built = mkdtempSync(path.join(tmpdir(), 'domesday-faults-'));
process.on('exit', () => rmSync(built, { recursive: true, force: true }));
process.env[prebuiltVariable] = built;

let broken = 0;
for (const { name, promise, needs, run } of chosen) {
  console.log(`\n${name}\n  promised: ${promise}`);
  if (needs !== undefined && needs.kind === 'lacking') {
    console.log(`  not run:  this machine lacks ${needs.what.join(' and ')}`);
    continue;
  }
  const startMs = performance.now();
  try {
    const seen = await run(scale);
    console.log(`  seen:     ${seen} (${((performance.now() - startMs) / 1000).toFixed(0)} s)`);
  } catch (error) {
    broken += 1;
    console.log(`  BROKEN:   ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(`\n${chosen.length - broken} of ${chosen.length} promises held`);
process.exitCode = broken === 0 ? 0 : 1;
