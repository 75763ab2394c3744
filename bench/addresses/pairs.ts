// Asks the matcher for homes made from the grammar of addresses: such as differ from the list in one thing, which must
// never be matched, and such as are in it. Arguments: how many that differ, and the seed.

import { runTrials } from '../../test/uk/address/trials.ts';
import { printScore } from './score.ts';

const [count = '1000000', seed = String(Date.now() % 0x1_0000_0000)] = process.argv.slice(2);
const startMs = performance.now();
printScore(seed, startMs, runTrials(Number(seed), Number(count)));
