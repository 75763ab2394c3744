// Memory of a release: a service with 1, 2 and 4 threads, with the sample alone and with all postcodes of a made-up country,
// each after every thread has looked postcodes up. Were there a copy for each thread, the release would weigh as often.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeCountry } from '../postcodes/country.ts';
import { BenchHome, type Server } from '../server.ts';

const calls = 100;
const home = new BenchHome(undefined, { DOMESDAY_DEMO_ACCOUNT: 'off', DOMESDAY_LOG: 'warn' });

function mebibytes({ pid }: Server): { readonly rss: number; readonly pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { rss: of('Rss'), pss: of('Pss') };
}

async function measure(what: string, workers: number): Promise<void> {
  const server = await home.serve({ DOMESDAY_WORKERS: String(workers) });
  // A connection each, so that every thread is asked.
  const headers = { 'x-api-key': home.key, connection: 'close' };
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const reply = await fetch(`${server.url}/api/v1/council-tax/lookup?postcode=SW1A+1AA`, { headers });
      await reply.arrayBuffer();
    }),
  );
  const { rss, pss } = mebibytes(server);
  console.log(`${what}, ${workers} thread(s): RSS ${rss.toFixed(0)} MiB, PSS ${pss.toFixed(0)} MiB`);
  await server.stop();
}

const sizes = [1, 2, 4];
for (const workers of sizes) await measure('the sample', workers);
const file = path.join(home.folder, 'codepo_gb_2025.4.csv');
const postcodes = writeCountry(file, 'code-point');
home.run('ingest', file);
for (const workers of sizes) await measure(`${postcodes} postcodes`, workers);
home.remove();
