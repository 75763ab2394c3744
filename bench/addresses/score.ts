// Prints how a run of made questions went, and fails the process where one was answered with another home.

import type { Score } from '../../test/uk/address/trials.ts';

export function printScore(seed: string, startMs: number, { differing, wrong, found }: Score): void {
  const seconds = (performance.now() - startMs) / 1000;
  console.log(`seed ${seed}: ${differing} that differ, ${wrong.length} matched, in ${seconds.toFixed(0)} s`);
  for (const line of wrong.slice(0, 40)) console.log(`  ${line}`);
  for (const [style, { asked, found: hits }] of [...found].sort()) {
    console.log(`${style.padEnd(62)} ${hits} of ${asked}, ${((100 * hits) / asked).toFixed(2)} %`);
  }
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
