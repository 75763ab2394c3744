// Whether a change made metering slower: the metered /bank-rates?limit=1 of this checkout against that of another, in one run.
// Both serve at once and are asked in turn for a tenth of a second each, and each tenth is compared with the one beside it: a
// machine that is slower for a second is slower for both. Each round has new processes: two processes of one and the same program
// differ by some 5 % for as long as they live.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type LoadResult, openLoad, runLoad } from '../load.ts';
import { BenchHome, median, type Server } from '../server.ts';

const [folder, rounds = '7', seconds = '3'] = process.argv.slice(2);
assert.ok(folder, 'Name the folder of the other checkout.');
const query = '/api/v1/bank-rates?limit=1';
const other = new BenchHome(undefined, {}, path.resolve(folder, 'bin/domesday.js'));
const own = new BenchHome();

type Side = 'before' | 'now';
const sides: readonly Side[] = ['before', 'now'];
const homes: Readonly<Record<Side, BenchHome>> = { before: other, now: own };
/** Until the compiler has made up its mind: in its first seconds a process is a tenth slower. */
const warming = { connections: 64, seconds: 10 };
const measured = [64, 8, 1];
const sliceSeconds = 0.1;

/** What one side did in the same number of slices as the other. */
type Round = { readonly slices: readonly LoadResult[]; readonly processorUs: number };
type Pair = Readonly<Record<Side, Round>>;

/** Of the whole process, in units of 10 ms. */
function processorMs({ pid }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

async function measure(servers: Readonly<Record<Side, Server>>, connections: number): Promise<Pair> {
  const open = async (side: Side) => {
    const usedMs = processorMs(servers[side]);
    const headers = { 'x-api-key': homes[side].key };
    const load = await openLoad({ url: `${servers[side].url}${query}`, headers, connections });
    const slices: LoadResult[] = [];
    const end = (): Round => {
      load.close();
      const requests = sliceSeconds * slices.reduce((all, slice) => all + slice.requestsPerSecond, 0);
      return { slices, processorUs: (1_000 * (processorMs(servers[side]) - usedMs)) / requests };
    };
    return { ask: async () => slices.push(await load.run(sliceSeconds)), end };
  };
  const loads = { before: await open('before'), now: await open('now') };
  for (let slice = 0; slice < Number(seconds) / sliceSeconds; slice += 1) {
    // Who comes second may find another machine.
    for (const side of slice % 2 === 0 ? sides : sides.toReversed()) await loads[side].ask();
  }
  return { before: loads.before.end(), now: loads.now.end() };
}

async function round(): Promise<ReadonlyMap<number, Pair>> {
  const servers = { before: await homes.before.serve(), now: await homes.now.serve() };
  for (const side of sides) {
    const headers = { 'x-api-key': homes[side].key };
    await runLoad({ url: `${servers[side].url}${query}`, headers, ...warming });
  }
  const pairs = new Map<number, Pair>();
  for (const connections of measured) pairs.set(connections, await measure(servers, connections));
  for (const side of sides) await servers[side].stop();
  return pairs;
}

/** Now ÷ before, of each slice and the one beside it. */
const ratiosOf = ({ before, now }: Pair): readonly number[] =>
  now.slices.map(
    ({ requestsPerSecond }, at) => requestsPerSecond / (before.slices[at]?.requestsPerSecond ?? Number.NaN),
  );

console.log(
  `node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns every ${sliceSeconds} s, new processes each round`,
);
const taken: ReadonlyMap<number, Pair>[] = [];
for (let at = 0; at < Number(rounds); at += 1) taken.push(await round());
for (const connections of measured) {
  const pairs = taken.flatMap((pair) => pair.get(connections) ?? []);
  console.log(`${connections} connections`);
  for (const side of sides) {
    const of = (figure: keyof LoadResult) =>
      median(pairs.flatMap((pair) => pair[side].slices.map((slice) => slice[figure])));
    const processorUs = median(pairs.map((pair) => pair[side].processorUs));
    console.log(
      `  ${side.padEnd(6)} ${of('requestsPerSecond').toFixed(0).padStart(6)} req/s  p50 ${of('p50Ms').toFixed(2)} ms  ` +
        `p99 ${of('p99Ms').toFixed(2)} ms  ${processorUs.toFixed(1)} µs of the processor`,
    );
  }
  const each = pairs.map((pair) => median(ratiosOf(pair)).toFixed(2)).join(' ');
  console.log(`  now / before: ${median(pairs.flatMap(ratiosOf)).toFixed(3)} (rounds ${each})`);
}
for (const home of Object.values(homes)) {
  home.run('check');
  home.remove();
}
