// `npm run faults`: does to a real service what machines and people do, and holds what follows against what is promised.
// `npm run faults -- long` takes its time; a name, or part of one, runs those faults alone. Ends with 1 where a promise was
// broken, with 3 where none was and not all were tried.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepCompiledModules } from '../../bin/compile-cache.js';
import { prebuiltVariable } from '../prebuilt.ts';
import { type Fault, type Scale, Unfinished } from './fault.ts';
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

let held = 0;
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
    held += 1;
    console.log(`  seen:     ${seen} (${((performance.now() - startMs) / 1000).toFixed(0)} s)`);
  } catch (error) {
    if (error instanceof Unfinished) {
      console.log(`  not done: ${error.message}`);
      continue;
    }
    broken += 1;
    console.log(`  BROKEN:   ${error instanceof Error ? error.message : String(error)}`);
  }
}
const untried = chosen.length - held - broken;
const notTried = untried === 0 ? '' : `, ${untried} not tried or not to the end`;
console.log(`\nof ${chosen.length} promises ${held} held, ${broken} broken${notTried}`);
process.exitCode = broken > 0 ? 1 : untried > 0 ? 3 : 0;
