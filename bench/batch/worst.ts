// What a batch of the hundred dearest calls of /crime/by-postcode does to everybody else, over a home with the country loaded: how
// long it takes, what of it is answered, and how long a short call waits that comes every 10 ms meanwhile.
// npm run batch-worst -- HOME

import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { BenchHome, median } from '../server.ts';

const [nation, roundsText = '3'] = process.argv.slice(2);
if (nation === undefined) throw new Error('Name a home with the country loaded: npm run batch-worst -- HOME');
const everyMs = 10;

/** Its releases under a ledger of its own, so that nothing of that home changes. They are linked, so this has to be on its disk. */
const folder = mkdtempSync(path.join(process.env.BENCH_FOLDER ?? tmpdir(), 'domesday-bench-batch-'));
for (const part of ['releases', 'sandbox'])
  execFileSync('cp', ['-al', path.join(nation, part), path.join(folder, part)]);
const home = new BenchHome(folder);
const server = await home.serve();
const headers = { 'x-api-key': home.key, 'content-type': 'application/json' };

async function ask(target: string, body?: string): Promise<string> {
  const sent = body === undefined ? {} : { method: 'POST', body };
  const reply = await fetch(`${server.url}${target}`, { headers, ...sent });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${target} was refused: ${text}`);
  return text;
}

const near = JSON.parse(await ask('/api/v1/postcodes/near?lat=51.513&lon=-0.131&radius=500&limit=100'));
const postcodes: readonly string[] = near.data.postcodes.map(
  ({ postcode }: { postcode: string }) => postcode,
);

const kinds = {
  'every point and crime within 2 km': { radius: 2_000, points: true, includeRaw: true },
  'one of the points within 2 km': { radius: 2_000, points: true, limit: 1 },
  'sums within 5 km, compared': { radius: 5_000, compare: true },
};

/** How long short calls take from when they were due until `over`. */
async function others(over: Promise<unknown>): Promise<readonly number[]> {
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  const startMs = performance.now();
  const waits: Promise<number>[] = [];
  for (let dueMs = startMs; !isOver; dueMs += everyMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    waits.push(ask('/api/v1/bank-rates?limit=1').then(() => performance.now() - dueMs));
  }
  return Promise.all(waits);
}

const shown = (times: readonly number[]): string =>
  `${times.length} short calls: median ${median(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`;

console.log(`alone: ${shown(await others(new Promise((resolve) => setTimeout(resolve, 3_000))))}`);
for (const [kind, wish] of Object.entries(kinds)) {
  const query = new URLSearchParams({ postcode: postcodes[0] ?? '', months: '24' });
  for (const [name, value] of Object.entries(wish)) query.set(name, String(value));
  const times: number[] = [];
  // The first opens the parts of the release and is slower.
  for (let call = 0; call < 6; call += 1) {
    const startMs = performance.now();
    await ask(`/api/v1/crime/by-postcode?${query}`);
    times.push(performance.now() - startMs);
  }
  const [first = Number.NaN, ...later] = times;
  console.log(`${kind}, alone: ${first.toFixed(0)} ms, then ${median(later).toFixed(0)} ms`);
}
for (let round = 0; round < Number(roundsText); round += 1) {
  for (const [kind, wish] of Object.entries(kinds)) {
    const calls = postcodes.map((postcode) => ({
      path: '/crime/by-postcode',
      params: { postcode, months: 24, ...wish },
    }));
    const startMs = performance.now();
    const batch = ask('/api/v1/batch', JSON.stringify({ calls }));
    const waits = others(batch);
    const text = await batch;
    const ms = performance.now() - startMs;
    const { results } = JSON.parse(text);
    const answered = results.filter(({ status }: { status: number }) => status === 200).length;
    console.log(
      `${kind}: ${answered} of ${calls.length} answered, ${(text.length / 1e6).toFixed(2)} MB in ${ms.toFixed(0)} ms; ${shown(await waits)}`,
    );
  }
}
console.log(
  `load average at the end: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
await server.stop();
home.remove();
