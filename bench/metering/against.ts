// Whether a change made metering slower: the metered /bank-rates?limit=1 of this checkout against that of another, in one run.
// Both serve at once and are asked in turn for a tenth of a second each, and each tenth is compared with the one beside it. Each
// round has new processes: two processes of one and the same program differ by some 5 % for as long as they live.
// node metering/against.ts FOLDER [rounds] [seconds]

import assert from 'node:assert/strict';
import path from 'node:path';
import { type Figure, report } from '../figures.ts';
import { openLoad, runLoad } from '../load.ts';
import { allThreads } from '../processor.ts';
import { inTurns, median, type Ratio, ratioOf, showRatio } from '../rounds.ts';
import { BenchHome, type Server } from '../server.ts';

const [folder, rounds = '7', seconds = '3'] = process.argv.slice(2);
assert.ok(folder, 'Name the folder of the other checkout.');
const query = '/api/v1/bank-rates?limit=1';
const sides = ['before', 'now'] as const;
type Side = (typeof sides)[number];
const homes: Readonly<Record<Side, BenchHome>> = {
  before: new BenchHome(undefined, {}, path.resolve(folder, 'bin/domesday.js')),
  now: new BenchHome(),
};
/** Until the compiler has made up its mind: in its first seconds a process is a tenth slower. */
const warming = { connections: 64, seconds: 10 };
const sliceSeconds = 0.1;

type Pair = { readonly ratio: Ratio; readonly rate: number; readonly processorUs: (side: Side) => number };

async function measure(servers: Readonly<Record<Side, Server>>, connections: number): Promise<Pair> {
  const openSide = (side: Side) => {
    const headers = { 'x-api-key': homes[side].key };
    return openLoad({ url: `${servers[side].url}${query}`, headers, connections });
  };
  const loads = { before: await openSide('before'), now: await openSide('now') };
  const used = { before: allThreads(servers.before.pid), now: allThreads(servers.now.pid) };
  const slices = await inTurns(sides, Number(seconds) / sliceSeconds, async (side) => {
    const { requestsPerSecond } = await loads[side].run(sliceSeconds);
    return requestsPerSecond;
  });
  for (const side of sides) loads[side].close();
  return {
    ratio: ratioOf(slices('now'), slices('before')),
    rate: median(slices('now')),
    processorUs: (side) =>
      (allThreads(servers[side].pid) - used[side]) /
      (sliceSeconds * slices(side).reduce((sum, rate) => sum + rate, 0)),
  };
}

type Round = { readonly ratio: number; readonly rate: number; readonly processor: number };
const taken = new Map<number, Round[]>([64, 8, 1].map((connections) => [connections, []]));
console.log(`node ${process.version}, ${rounds} rounds of ${seconds} s a side, new processes each round`);
for (let round = 0; round < Number(rounds); round += 1) {
  const servers = { before: await homes.before.serve(), now: await homes.now.serve() };
  for (const side of sides) {
    const headers = { 'x-api-key': homes[side].key };
    await runLoad({ url: `${servers[side].url}${query}`, headers, ...warming });
  }
  for (const [connections, results] of taken) {
    const { ratio, rate, processorUs } = await measure(servers, connections);
    results.push({ ratio: ratio.median, rate, processor: processorUs('now') / processorUs('before') });
  }
  for (const side of sides) await servers[side].stop();
}
const figures: Figure[] = [];
for (const [connections, results] of taken) {
  const ratios = results.map(({ ratio }) => ratio);
  const ratio: Ratio = {
    median: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
  console.log(
    `${connections} connections: ${median(results.map(({ rate }) => rate)).toFixed(0)} req/s, now / before ${showRatio(ratio)}; ` +
      `processor ${median(results.map(({ processor }) => processor)).toFixed(2)}`,
  );
  figures.push({
    what: `now ÷ before, ${connections} connections`,
    value: ratio.median,
    unit: '×',
    worst: ratio.lowest,
  });
}
for (const home of Object.values(homes)) {
  home.run('check');
  home.remove();
}
report(figures);
