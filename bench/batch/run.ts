// What a batch saves: a hundred look-ups in one request against the same hundred as single calls on 8 connections. All sides are
// asked in turn for a quarter of a second each. Prints look-ups a second, the processor time that the server took for one, and the
// ratios of both. node batch/run.ts [rounds] [seconds]

import assert from 'node:assert/strict';
import { type Figure, report } from '../figures.ts';
import { openLoad, requestBytes } from '../load.ts';
import { allThreads } from '../processor.ts';
import { inTurns, median, ratioOf, showRatio } from '../rounds.ts';
import { BenchHome } from '../server.ts';

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
const single = requestsOf(
  8,
  1,
  questions.map((question) => requestBytes(urlOf(question), headers)),
);
const sides = {
  'single calls on 8 connections': single,
  'batches on 1 connection': requestsOf(1, 100, [batchBytes]),
  'batches on 8 connections': requestsOf(8, 100, [batchBytes]),
};
type Side = keyof typeof sides;
const names: readonly Side[] = [
  'single calls on 8 connections',
  'batches on 1 connection',
  'batches on 8 connections',
];

function requestsOf(connections: number, lookUps: number, requests: readonly Buffer[]) {
  const load = openLoad({ url: batchUrl, headers, connections, requests });
  return { load, lookUps };
}

const sliceSeconds = 0.25;
/** Until the compiler has made up its mind. */
const warmingSlices = 20;

/** Look-ups a second, and microseconds of processor for each. */
async function slice(name: Side): Promise<{ readonly rate: number; readonly micros: number }> {
  const { load, lookUps } = sides[name];
  const before = allThreads(server.pid);
  const { requestsPerSecond } = await (await load).run(sliceSeconds);
  const rate = requestsPerSecond * lookUps;
  return { rate, micros: (allThreads(server.pid) - before) / (rate * sliceSeconds) };
}

console.log(
  `node ${process.version}, ${rounds} rounds of ${seconds} s a side, in turns of ${sliceSeconds} s`,
);
await inTurns(names, warmingSlices, slice);
const taken = await inTurns(names, (rounds * seconds) / sliceSeconds, slice);
for (const { load } of Object.values(sides)) (await load).close();

const figures: Figure[] = [];
for (const name of names) {
  const of = (which: Side, figure: 'rate' | 'micros') => taken(which).map((each) => each[figure]);
  const faster = ratioOf(of(name, 'rate'), of('single calls on 8 connections', 'rate'));
  const cheaper = median(of('single calls on 8 connections', 'micros')) / median(of(name, 'micros'));
  console.log(
    `  ${name.padEnd(30)} ${median(of(name, 'rate')).toFixed(0)} look-ups/s, × ${showRatio(faster)}; ` +
      `${median(of(name, 'micros')).toFixed(1)} µs of processor each, ${cheaper.toFixed(1)} times less`,
  );
  if (name !== 'single calls on 8 connections')
    figures.push({ what: `${name} ÷ single calls`, value: faster.median, unit: '×', aim: '≥ 8' });
}
await server.stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
home.run('check');
home.remove();
report(figures);
