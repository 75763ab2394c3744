// Threads or processes: memory and speed of one service with 1, 2 and 4 threads against as many services of one
// thread on the same home, each on a port of its own.

import { readFileSync } from 'node:fs';
import { runLoad } from '../load.ts';
import { BenchHome, median, type Server } from '../server.ts';

const rounds = 3;
const roundSeconds = 3;
const query = '/api/v1/bank-rates?limit=1';
const home = new BenchHome();
const headers = { 'x-api-key': home.key };

const residentMiB = ({ pid }: Server) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function measure(what: string, servers: readonly Server[]): Promise<void> {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const results = await Promise.all(
      servers.map(({ url }) =>
        runLoad({ url: `${url}${query}`, headers, connections: 64 / servers.length, seconds: roundSeconds }),
      ),
    );
    rates.push(results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0));
  }
  const resident = servers.map(residentMiB).reduce((sum, size) => sum + size, 0);
  console.log(
    `${what.padEnd(14)} ${median(rates).toFixed(0).padStart(8)} req/s ${resident.toFixed(0).padStart(6)} MiB`,
  );
  for (const server of servers) await server.stop();
}

for (const count of [1, 2, 4]) {
  await measure(`${count} thread(s)`, [await home.serve({ DOMESDAY_WORKERS: String(count) })]);
}
for (const count of [2, 4]) {
  await measure(`${count} processes`, await Promise.all(Array.from({ length: count }, () => home.serve())));
}
home.remove();
