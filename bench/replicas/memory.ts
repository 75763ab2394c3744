// Memory of a release: one service with 1 and 4 threads, and four services, each after it has looked postcodes up in a
// release of all postcodes of a made-up country. PSS counts what processes share once in all.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeCountry } from '../postcodes/country.ts';
import { BenchHome, type Server } from '../server.ts';

const calls = 400;
const homes = Array.from(
  { length: 4 },
  () => new BenchHome(undefined, { DOMESDAY_DEMO_ACCOUNT: 'off', DOMESDAY_LOG: 'warn' }),
);
for (const home of homes) {
  const file = path.join(home.folder, 'codepo_gb_2025.4.csv');
  const count = writeCountry(file, 'code-point');
  home.run('ingest', file);
  if (home === homes[0]) console.log(`${count} postcodes`);
}

function mebibytes({ pid }: Server): { readonly rss: number; readonly pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { rss: of('Rss'), pss: of('Pss') };
}

async function measure(what: string, servers: readonly Server[]): Promise<void> {
  const before = servers.map(mebibytes);
  for (const [index, { url }] of servers.entries()) {
    // A connection each, so that every thread is asked.
    const headers = { 'x-api-key': homes[index]?.key ?? '', connection: 'close' };
    await Promise.all(
      Array.from({ length: calls }, async () => {
        const reply = await fetch(`${url}/api/v1/council-tax/lookup?postcode=SW1A+1AA`, { headers });
        await reply.arrayBuffer();
      }),
    );
  }
  const after = servers.map(mebibytes);
  const sum = (sizes: typeof after, of: 'rss' | 'pss') =>
    sizes.reduce((total, size) => total + size[of], 0).toFixed(0);
  console.log(
    `${what.padEnd(12)} at start RSS ${sum(before, 'rss')} PSS ${sum(before, 'pss')} MiB, after ${calls} calls RSS ${sum(after, 'rss')} PSS ${sum(after, 'pss')} MiB`,
  );
  for (const { stop } of servers) await stop();
}

const [first] = homes;
if (first === undefined) throw new Error('there is no home');
for (const workers of ['1', '2', '4'])
  await measure(`${workers} thread(s)`, [await first.serve({ DOMESDAY_WORKERS: workers })]);
await measure('4 services', await Promise.all(homes.map((home) => home.serve())));
for (const home of homes) home.remove();
