// What a batch saves: a hundred look-ups in one request against the same hundred as single calls on 8 connections, in one
// run. All sides are asked in turn for a quarter of a second each, and each quarter is compared with the one beside it: a machine that
// is slower for a second is slower for all. Prints look-ups a second, the processor time that the server took for one, and the
// ratios of both.

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { openLoad, requestBytes } from '../load.ts';
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

const sliceSeconds = 0.25;
/** Until the compiler has made up its mind. */
const warmingSlices = 20;

console.log(
  `node ${process.version}, ${rounds} rounds of ${seconds} s a side, taking turns every ${sliceSeconds} s`,
);
type Slice = { readonly perSecond: number; readonly lookUps: number; readonly micros: number };
type Round = { readonly slices: readonly Slice[]; readonly micros: number };

const loads = new Map(
  await Promise.all(
    names.map(async (name) => {
      const { connections, requests } = sides[name];
      return [name, await openLoad({ url: batchUrl, headers, connections, requests })] as const;
    }),
  ),
);

async function slice(name: (typeof names)[number]): Promise<Slice> {
  const load = loads.get(name);
  assert.ok(load);
  const beforeMicros = allThreads(server.pid);
  const fromMs = performance.now();
  const { requestsPerSecond } = await load.run(sliceSeconds);
  const perSecond = requestsPerSecond * sides[name].each;
  const lookUps = (perSecond * (performance.now() - fromMs)) / 1000;
  return { perSecond, lookUps, micros: allThreads(server.pid) - beforeMicros };
}

const sum = (slices: readonly Slice[], of: (slice: Slice) => number) =>
  slices.reduce((all, each) => all + of(each), 0);

async function turns(count: number): Promise<ReadonlyMap<string, Round>> {
  const taken = new Map<string, Slice[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn < count; turn += 1) {
    // Who comes second may find another machine.
    for (const name of turn % 2 === 0 ? names : names.toReversed()) taken.get(name)?.push(await slice(name));
  }
  return new Map(
    [...taken].map(([name, slices]) => [
      name,
      { slices, micros: sum(slices, ({ micros }) => micros) / sum(slices, ({ lookUps }) => lookUps) },
    ]),
  );
}

await turns(warmingSlices);
const taken = new Map<string, Round[]>(names.map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1)
  for (const [name, figures] of await turns(seconds / sliceSeconds)) taken.get(name)?.push(figures);
for (const load of loads.values()) load.close();

const [singles = []] = names.map((name) => taken.get(name));
for (const name of names) {
  const figures = taken.get(name) ?? [];
  const rates = figures.map(({ slices }) => slices.map(({ perSecond }) => perSecond));
  const faster = rates.map((own, round) =>
    own.map((rate, at) => rate / (singles[round]?.slices[at]?.perSecond ?? Number.NaN)),
  );
  const cheaper = figures.map(({ micros }, round) => (singles[round]?.micros ?? Number.NaN) / micros);
  const shown = (all: readonly number[], byRound: readonly number[]) =>
    `${median(all).toFixed(1)} (rounds ${Math.min(...byRound).toFixed(1)} to ${Math.max(...byRound).toFixed(1)})`;
  console.log(
    `  ${name.padEnd(30)} ${median(rates.flat()).toFixed(0)} look-ups/s, ${shown(faster.flat(), faster.map(median))}; ` +
      `${median(figures.map(({ micros }) => micros)).toFixed(1)} µs of processor each, ${shown(cheaper, cheaper)}`,
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
