// What metering costs: the full metered /bank-rates?limit=1 with the embedded ledger against bare Fastify sending
// the same body, in one run, rounds of all sides taking turns. Prints requests a second and the ratios.

import assert from 'node:assert/strict';
import path from 'node:path';
import { type LoadResult, runLoad } from '../load.ts';
import { BenchHome, median, start } from '../server.ts';

const rounds = 7;
const roundSeconds = 3;
const query = '/api/v1/bank-rates?limit=1';

const home = new BenchHome();
const headers = { 'x-api-key': home.key };
const metered = await home.serve();
const bodyOf = async (url: string) => (await fetch(`${url}${query}`, { headers })).text();
const body = await bodyOf(metered.url);
const bare = path.join(import.meta.dirname, 'bare.ts');
const sides = {
  object: await start([bare, 'object', body]),
  text: await start([bare, 'text', body]),
  metered,
};
assert.equal(await bodyOf(sides.object.url), body);
assert.equal(await bodyOf(sides.text.url), body);

type Side = keyof typeof sides;
const names = ['object', 'text', 'metered'] as const satisfies readonly Side[];
type Round = Readonly<Record<Side, LoadResult>>;

console.log(`node ${process.version}, ${rounds} rounds of ${roundSeconds} s a side, taking turns`);
for (const connections of [1, 8, 64]) {
  const load = (side: Side): Promise<LoadResult> =>
    runLoad({ url: `${sides[side].url}${query}`, headers, connections, seconds: roundSeconds });
  for (const side of names) await load(side);
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    taken.push({ object: await load('object'), text: await load('text'), metered: await load('metered') });
  }
  const of = (side: Side, figure: keyof LoadResult) => median(taken.map((round) => round[side][figure]));
  console.log(`${connections} connections`);
  for (const side of names) {
    const ratios = taken.map((round) => round.metered.requestsPerSecond / round[side].requestsPerSecond);
    const [rate, p50, p99] = [of(side, 'requestsPerSecond'), of(side, 'p50Ms'), of(side, 'p99Ms')];
    console.log(
      `  ${side.padEnd(8)} ${rate.toFixed(0).padStart(6)} req/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  ` +
        `metered / ${side}: ${median(ratios).toFixed(2)} (lowest round ${Math.min(...ratios).toFixed(2)})`,
    );
  }
}
for (const side of names) await sides[side].stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
home.run('check');
home.remove();
