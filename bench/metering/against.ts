// Whether a change made metering slower: the metered /bank-rates?limit=1 of this checkout against that of another, in one run,
// rounds of both taking turns.

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

type Side = { readonly home: BenchHome; readonly server: Server };
const sides = {
  before: { home: other, server: await other.serve() },
  now: { home: own, server: await own.serve() },
};
type Round = LoadResult & { readonly processorUs: number };

/** Of the whole process, in units of 10 ms. */
function processorMs({ pid }: Server): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

async function load({ home, server }: Side, connections: number): Promise<Round> {
  const usedMs = processorMs(server);
  const headers = { 'x-api-key': home.key };
  const taken = await runLoad({
    url: `${server.url}${query}`,
    headers,
    connections,
    seconds: Number(seconds),
  });
  const requests = taken.requestsPerSecond * Number(seconds);
  return { ...taken, processorUs: (1_000 * (processorMs(server) - usedMs)) / requests };
}

console.log(`node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns`);
for (const connections of [1, 8, 64]) {
  const taken: Record<keyof typeof sides, Round[]> = { before: [], now: [] };
  for (const side of Object.values(sides)) await load(side, connections);
  for (let round = 0; round < Number(rounds); round += 1) {
    // Who comes second finds a warmer machine.
    const order = round % 2 === 0 ? (['before', 'now'] as const) : (['now', 'before'] as const);
    for (const side of order) taken[side].push(await load(sides[side], connections));
  }
  console.log(`${connections} connections`);
  for (const side of ['before', 'now'] as const) {
    const of = (figure: keyof Round) => median(taken[side].map((round) => round[figure]));
    console.log(
      `  ${side.padEnd(6)} ${of('requestsPerSecond').toFixed(0).padStart(6)} req/s  p50 ${of('p50Ms').toFixed(2)} ms  ` +
        `p99 ${of('p99Ms').toFixed(2)} ms  ${of('processorUs').toFixed(1)} µs of the processor`,
    );
  }
  const ratios = taken.now.map(
    ({ requestsPerSecond }, round) =>
      requestsPerSecond / (taken.before[round]?.requestsPerSecond ?? Number.NaN),
  );
  const span = `rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(`  now / before: ${median(ratios).toFixed(3)} (${span})`);
}
for (const { server, home } of Object.values(sides)) {
  await server.stop();
  home.run('check');
  home.remove();
}
