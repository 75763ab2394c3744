// Never a wrong home: homes made from the grammar of addresses, such as differ from the list in one thing and must not be matched,
// and such as are in it. First the matcher alone, then lists that the real ingest has loaded and /council-tax/property-lookup.
// node addresses/pairs.ts [how many that differ = 1000000] [of them end to end = 40000] [seed]

import { askTrials } from '../../test/endpoints/made-lists.ts';
import { runTrials, type Score } from '../../test/uk/address/trials.ts';
import { type Figure, report } from '../figures.ts';

const [pairs = '1000000', lookups = '40000', given] = process.argv.slice(2);
const seed = Number(given ?? Date.now() % 0x1_0000_0000);

function tell(name: string, { differing, wrong, found }: Score): Figure {
  console.log(`${name}, seed ${seed}: ${differing} that differ, ${wrong.length} matched`);
  for (const line of wrong.slice(0, 40)) console.log(`  ${line}`);
  for (const [style, { asked, found: hits }] of [...found].sort())
    console.log(`${style.padEnd(62)} ${hits} of ${asked}, ${((100 * hits) / asked).toFixed(2)} %`);
  if (wrong.length > 0) process.exitCode = 1;
  return { what: `${name}: matched of ${differing} that differ`, value: wrong.length, unit: '', aim: '0' };
}

report([
  tell('the matcher', runTrials(seed, Number(pairs))),
  tell('end to end', await askTrials(seed, Number(lookups))),
]);
