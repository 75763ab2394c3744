// The same questions end to end: lists are loaded by the real ingest, and /council-tax/property-lookup is asked for each
// home. Arguments: how many questions, and the seed.

import { askTrials } from '../../test/endpoints/made-lists.ts';
import { printScore } from './score.ts';

const [count = '40000', seed = String(Date.now() % 0x1_0000_0000)] = process.argv.slice(2);
const startMs = performance.now();
printScore(seed, startMs, await askTrials(Number(seed), Number(count)));
