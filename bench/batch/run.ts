// What a batch saves: a hundred look-ups in one request against the same hundred as single calls on 8 connections, in one
// run, rounds of all sides taking turns. Prints look-ups a second, the processor time that the server took for one, and the
// ratios of both.

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { requestBytes, runLoad } from '../load.ts';
import { allThreads } from '../replicas/processor.ts';
import { BenchHome, median } from '../server.ts';

const [rounds = 7, seconds = 3] = process.argv.slice(2).map(Number);
const home = new BenchHome();
const server = await home.serve();
const headers = { 'x-api-key': home.key };
const batchUrl = `${server.url}/api/v1/batch`;

/** A hundred different questions with short answers. */
const questions = Array.from({ length: 100 }, (_, day) => ({
  limit: 1,
  startDate: new Date(Date.UTC(1990, 0, 1 + day)).toISOString().slice(0, 10),
}));
const urlOf = ({ limit, startDate }: { limit: number; startDate: string }) =>
  `${server.url}/api/v1/bank-rates?startDate=${startDate}&limit=${limit}`;
const body = JSON.stringify({ calls: questions.map((params) => ({ path: '/bank-rates', params })) });

const json = { ...headers, 'content-type': 'application/json' };
const told = await fetch(batchUrl, { method: 'POST', headers: json, body });
const { results } = JSON.parse(await told.text());
for (const [place, question] of questions.entries()) {
  const single = JSON.parse(await (await fetch(urlOf(question), { headers })).text());
  assert.deepEqual(results[place].body.rateChanges, single.rateChanges);
}

const { host } = new URL(server.url);
const lines = Object.entries({ host, ...json, 'content-length': String(body.length) });
const batchBytes = Buffer.from(
  `POST /api/v1/batch HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
);
const sides = {
  'single calls on 8 connections': {
    connections: 8,
    each: 1,
    requests: questions.map((q) => requestBytes(urlOf(q), headers)),
  },
  'batches on 1 connection': { connections: 1, each: 100, requests: [batchBytes] },
  'batches on 8 connections': { connections: 8, each: 100, requests: [batchBytes] },
} as const;
const names = [
  'single calls on 8 connections',
  'batches on 1 connection',
  'batches on 8 connections',
] as const;

console.log(`node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns`);
type Round = { readonly perSecond: number; readonly micros: number };
const taken = new Map<string, Round[]>(names.map((name) => [name, []]));
for (let round = -1; round < rounds; round += 1) {
  for (const name of names) {
    const { connections, each, requests } = sides[name];
    const beforeMicros = allThreads(server.pid);
    const fromMs = performance.now();
    const { requestsPerSecond } = await runLoad({ url: batchUrl, headers, connections, seconds, requests });
    const lookUps = (requestsPerSecond * each * (performance.now() - fromMs)) / 1000;
    const micros = (allThreads(server.pid) - beforeMicros) / lookUps;
    if (round >= 0) taken.get(name)?.push({ perSecond: requestsPerSecond * each, micros });
  }
}
const [singles = []] = names.map((name) => taken.get(name));
for (const name of names) {
  const figures = taken.get(name) ?? [];
  const of = (ratio: (side: Round, single: Round) => number) =>
    figures.flatMap((side, round) => {
      const single = singles[round];
      return single === undefined ? [] : [ratio(side, single)];
    });
  const faster = of((side, single) => side.perSecond / single.perSecond);
  const cheaper = of((side, single) => single.micros / side.micros);
  const shown = (ratios: readonly number[]) =>
    `${median(ratios).toFixed(1)} (lowest round ${Math.min(...ratios).toFixed(1)})`;
  console.log(
    `  ${name.padEnd(30)} ${median(figures.map(({ perSecond }) => perSecond)).toFixed(0)} look-ups/s, ${shown(faster)}; ` +
      `${median(figures.map(({ micros }) => micros)).toFixed(1)} µs of processor each, ${shown(cheaper)}`,
  );
}
console.log(
  `load average at the end: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
);
await server.stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
home.run('check');
home.remove();
