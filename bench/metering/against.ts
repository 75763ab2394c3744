// Whether a change made metering slower: the metered /bank-rates?limit=1 of this checkout against that of another, in one run,
// rounds of both taking turns. Each round starts a process of its own: two processes of one and the same program differ by some 5 %
// for as long as they live.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type LoadResult, runLoad } from '../load.ts';
import { BenchHome, median, type Server } from '../server.ts';

const [folder, rounds = '7', seconds = '3'] = process.argv.slice(2);
assert.ok(folder, 'Name the folder of the other checkout.');
const query = '/api/v1/bank-rates?limit=1';
const other = new BenchHome(undefined, {}, path.resolve(folder, 'bin/domesday.js'));
const own = new BenchHome();

type Round = LoadResult & { readonly processorUs: number };
type Side = 'before' | 'now';
const homes: Readonly<Record<Side, BenchHome>> = { before: other, now: own };
/** Until the compiler has made up its mind: in its first seconds a process is a tenth slower. */
const warming = { connections: 64, seconds: 10 };
const measured = [64, 8, 1];

/** Of the whole process, in units of 10 ms. */
function processorMs({ pid }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** By connections. */
async function measure(home: BenchHome): Promise<ReadonlyMap<number, Round>> {
  const server = await home.serve();
  const load = { url: `${server.url}${query}`, headers: { 'x-api-key': home.key } };
  await runLoad({ ...load, ...warming });
  const rounds = new Map<number, Round>();
  for (const connections of measured) {
    const usedMs = processorMs(server);
    const taken = await runLoad({ ...load, connections, seconds: Number(seconds) });
    const requests = taken.requestsPerSecond * Number(seconds);
    rounds.set(connections, { ...taken, processorUs: (1_000 * (processorMs(server) - usedMs)) / requests });
  }
  await server.stop();
  return rounds;
}

console.log(
  `node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns, a new process each`,
);
const taken: Record<Side, ReadonlyMap<number, Round>[]> = { before: [], now: [] };
for (let round = 0; round < Number(rounds); round += 1) {
  // Who comes second finds a warmer machine.
  const order = round % 2 === 0 ? (['before', 'now'] as const) : (['now', 'before'] as const);
  for (const side of order) taken[side].push(await measure(homes[side]));
}
for (const connections of measured) {
  const figures = (side: Side, figure: keyof Round): readonly number[] =>
    taken[side].map((round) => round.get(connections)?.[figure] ?? Number.NaN);
  console.log(`${connections} connections`);
  for (const side of ['before', 'now'] as const) {
    const of = (figure: keyof Round) => median(figures(side, figure));
    console.log(
      `  ${side.padEnd(6)} ${of('requestsPerSecond').toFixed(0).padStart(6)} req/s  p50 ${of('p50Ms').toFixed(2)} ms  ` +
        `p99 ${of('p99Ms').toFixed(2)} ms  ${of('processorUs').toFixed(1)} µs of the processor`,
    );
  }
  const before = figures('before', 'requestsPerSecond');
  const ratios = figures('now', 'requestsPerSecond').map(
    (rate, round) => rate / (before[round] ?? Number.NaN),
  );
  const span = `rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(`  now / before: ${median(ratios).toFixed(3)} (${span})`);
}
for (const home of Object.values(homes)) {
  home.run('check');
  home.remove();
}
