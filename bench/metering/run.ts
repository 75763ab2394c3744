// What metering costs: the full metered /bank-rates?limit=1 with the embedded ledger against bare Fastify that sends the same
// body, rounds of all sides in turn. Prints requests a second and the ratios. node metering/run.ts [rounds] [seconds]

import assert from 'node:assert/strict';
import path from 'node:path';
import { type Figure, report } from '../figures.ts';
import { type LoadResult, runLoad } from '../load.ts';
import { inTurns, median, ratioOf, showRatio } from '../rounds.ts';
import { BenchHome, start } from '../server.ts';

const [rounds = 7, seconds = 3] = process.argv.slice(2).map(Number);
const query = '/api/v1/bank-rates?limit=1';

const home = new BenchHome();
const headers = { 'x-api-key': home.key };
const metered = await home.serve();
const bodyOf = async (url: string) => (await fetch(`${url}${query}`, { headers })).text();
const body = await bodyOf(metered.url);
const bare = path.join(import.meta.dirname, 'bare.ts');
const servers = {
  object: await start([bare, 'object', body]),
  text: await start([bare, 'text', body]),
  metered,
};
assert.equal(await bodyOf(servers.object.url), body);
assert.equal(await bodyOf(servers.text.url), body);
const sides = ['object', 'text', 'metered'] as const;

console.log(`node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns`);
const figures: Figure[] = [];
for (const connections of [1, 8, 64]) {
  const load = (side: (typeof sides)[number]): Promise<LoadResult> =>
    runLoad({ url: `${servers[side].url}${query}`, headers, connections, seconds });
  await inTurns(sides, 1, load);
  const taken = await inTurns(sides, rounds, load);
  const ratesOf = (side: (typeof sides)[number]) =>
    taken(side).map(({ requestsPerSecond }) => requestsPerSecond);
  console.log(`${connections} connections`);
  for (const side of sides) {
    const of = (figure: keyof LoadResult) => median(taken(side).map((round) => round[figure]));
    const ratio = ratioOf(ratesOf('metered'), ratesOf(side));
    console.log(
      `  ${side.padEnd(8)} ${of('requestsPerSecond').toFixed(0).padStart(6)} req/s  p50 ${of('p50Ms').toFixed(2)} ms  p99 ${of('p99Ms').toFixed(2)} ms  ` +
        `metered / ${side}: ${showRatio(ratio)}`,
    );
    if (side === 'object')
      figures.push({
        what: `metered ÷ bare, ${connections} connections`,
        value: ratio.median,
        unit: '×',
        worst: ratio.lowest,
        ...(connections === 64 ? { aim: '≥ 0.75' } : {}),
      });
  }
}
for (const side of sides) await servers[side].stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
home.run('check');
home.remove();
report(figures);
