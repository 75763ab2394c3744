// What metering costs: the full metered /bank-rates?limit=1 with the embedded ledger against bare Fastify sending
// the same body, in one run, rounds of both sides taking turns. Prints requests a second and the ratio.

import path from 'node:path';
import { type LoadResult, runLoad } from '../load.ts';
import { BenchHome, median, start } from '../server.ts';

const rounds = 7;
const roundSeconds = 3;
const query = '/api/v1/bank-rates?limit=1';

const home = new BenchHome();
const headers = { 'x-api-key': home.key };
const load = (url: string, connections: number): Promise<LoadResult> =>
  runLoad({ url: `${url}${query}`, headers, connections, seconds: roundSeconds });

const metered = await home.serve();
const sample = await fetch(`${metered.url}${query}`, { headers });
const bare = await start([path.join(import.meta.dirname, 'bare.ts'), await sample.text()]);

console.log(`node ${process.version}, ${rounds} rounds of ${roundSeconds} s a side, taking turns`);
console.log(
  'connections  bare req/s  metered req/s  ratio (lowest round)  p50 ms bare/metered  p99 ms bare/metered',
);
for (const connections of [1, 8, 64]) {
  await load(bare.url, connections);
  await load(metered.url, connections);
  const pairs: { bare: LoadResult; metered: LoadResult }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ bare: await load(bare.url, connections), metered: await load(metered.url, connections) });
  }
  const of = (side: 'bare' | 'metered', figure: keyof LoadResult) =>
    median(pairs.map((pair) => pair[side][figure]));
  const both = (figure: 'p50Ms' | 'p99Ms') =>
    `${of('bare', figure).toFixed(2)}/${of('metered', figure).toFixed(2)}`;
  const [bareRate, meteredRate] = [of('bare', 'requestsPerSecond'), of('metered', 'requestsPerSecond')];
  const lowest = Math.min(
    ...pairs.map((pair) => pair.metered.requestsPerSecond / pair.bare.requestsPerSecond),
  );
  const ratio = `${(meteredRate / bareRate).toFixed(2)} (${lowest.toFixed(2)})`;
  console.log(
    [connections, bareRate.toFixed(0), meteredRate.toFixed(0), ratio, both('p50Ms'), both('p99Ms')]
      .map((cell, column) => String(cell).padStart([11, 10, 13, 20, 19, 19][column] ?? 0))
      .join('  '),
  );
}
await bare.stop();
await metered.stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
home.run('check');
home.remove();
