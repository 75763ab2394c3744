// What a ledger in PostgreSQL costs, and what a second replica adds: the full metered /bank-rates?limit=1 with each ledger, as
// one process and as two, against bare Fastify that sends the same body, rounds of all sides in turn. The database runs on the same
// machine and competes for its cores, so the processor time of a request is told as well: that of the replica's main thread is what
// counts where PostgreSQL has a machine of its own. node replicas/run.ts [rounds] [seconds]

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import path from 'node:path';
import { type Figure, report } from '../figures.ts';
import { runLoad } from '../load.ts';
import { allThreads, mainThread, withChildren } from '../processor.ts';
import { inTurns, median, ratioOf } from '../rounds.ts';
import { BenchHome, type Server, start } from '../server.ts';
import { startDurable } from './durable.ts';

const [rounds = 7, roundSeconds = 3] = process.argv.slice(2).map(Number);
const connections = 64;
const query = '/api/v1/bank-rates?limit=1';
const quiet = { DOMESDAY_DEMO_ACCOUNT: 'off' };

const database = await startDurable();
const shared = { ...quiet, DATABASE_URL: database.url };
const homes = {
  file: [new BenchHome(undefined, quiet), new BenchHome(undefined, quiet)],
  postgres: [new BenchHome(undefined, shared), new BenchHome(undefined, shared)],
};
const [fileHome, postgresHome] = [homes.file[0], homes.postgres[0]];
assert.ok(fileHome && postgresHome);
const bodyOf = async ({ url }: Server, key: string) =>
  (await fetch(`${url}${query}`, { headers: { 'x-api-key': key } })).text();
const file = await Promise.all(homes.file.map((home) => home.serve()));
const postgres = await Promise.all(homes.postgres.map((home) => home.serve()));
assert.ok(file[0] && postgres[0]);
const body = await bodyOf(file[0], fileHome.key);
const answerIn = (text: string) => ({ ...JSON.parse(text), billing: undefined });
assert.deepEqual(answerIn(await bodyOf(postgres[0], postgresHome.key)), answerIn(body));
const program = path.join(import.meta.dirname, '../metering/bare.ts');
const bare = await Promise.all([start([program, 'object', body]), start([program, 'object', body])]);

/** Two processes with a file have a ledger each; two with PostgreSQL share theirs, and here one customer. */
type Side = { readonly servers: readonly Server[]; readonly keys: readonly string[] };
const fileKeys = homes.file.map(({ key }) => key);
const sharedKeys = [postgresHome.key, postgresHome.key];
const sides: Readonly<Record<string, Side>> = {
  'bare, 1 process': { servers: bare.slice(0, 1), keys: fileKeys },
  'file, 1 process': { servers: file.slice(0, 1), keys: fileKeys },
  'PostgreSQL, 1 process': { servers: postgres.slice(0, 1), keys: sharedKeys },
  'bare, 2 processes': { servers: bare, keys: fileKeys },
  'file, 2 processes': { servers: file, keys: fileKeys },
  'PostgreSQL, 2 processes': { servers: postgres, keys: sharedKeys },
};

type Round = {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of the processor for a request. */
  readonly mainThread: number;
  readonly allThreads: number;
  readonly database: number;
};

async function round(name: string): Promise<Round> {
  const { servers = [], keys = [] } = sides[name] ?? {};
  const spent = (of: (pid: number) => number) => servers.reduce((sum, { pid }) => sum + of(pid), 0);
  const look = () => [spent(mainThread), spent(allThreads), withChildren(database.pid)] as const;
  const before = look();
  const results = await Promise.all(
    servers.map(({ url }, index) =>
      runLoad({
        url: `${url}${query}`,
        headers: { 'x-api-key': keys[index] ?? '' },
        connections: connections / servers.length,
        seconds: roundSeconds,
        between: 'asleep',
      }),
    ),
  );
  const after = look();
  const rate = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  const each = (place: 0 | 1 | 2) => (after[place] - before[place]) / (rate * roundSeconds);
  const slowest = (of: 'p50Ms' | 'p99Ms') => Math.max(...results.map((result) => result[of]));
  return {
    rate,
    p50Ms: slowest('p50Ms'),
    p99Ms: slowest('p99Ms'),
    mainThread: each(0),
    allThreads: each(1),
    database: each(2),
  };
}

console.log(
  `node ${process.version}, ${rounds} rounds of ${roundSeconds} s a side, taking turns, ${connections} connections; load of the machine ${loadavg()[0]?.toFixed(1)}`,
);
const names = Object.keys(sides);
await inTurns(names, 1, round);
const taken = await inTurns(names, rounds, round);
const figures: Figure[] = [];
for (const name of names) {
  const bareSide = name.endsWith('1 process') ? 'bare, 1 process' : 'bare, 2 processes';
  const of = (side: string, figure: keyof Round) => taken(side).map((each) => each[figure]);
  const [ratio, byMainThread] = [
    ratioOf(of(name, 'rate'), of(bareSide, 'rate')),
    ratioOf(of(bareSide, 'mainThread'), of(name, 'mainThread')),
  ];
  const middle = (figure: keyof Round) => median(of(name, figure));
  console.log(
    `${name.padEnd(24)} ${middle('rate').toFixed(0).padStart(6)} req/s  p50 ${middle('p50Ms').toFixed(2)} ms  p99 ${middle('p99Ms').toFixed(2)} ms  ` +
      `÷ bare ${ratio.median.toFixed(2)} (lowest ${ratio.lowest.toFixed(2)})  ` +
      `µs a request: main thread ${middle('mainThread').toFixed(1)}, process ${middle('allThreads').toFixed(1)}, database ${middle('database').toFixed(1)}`,
  );
  if (name === bareSide) continue;
  figures.push({ what: `${name} ÷ bare`, value: ratio.median, unit: '×', worst: ratio.lowest });
  if (name === 'PostgreSQL, 1 process')
    figures.push({
      what: `${name} ÷ bare, by the main thread`,
      value: byMainThread.median,
      unit: '×',
      aim: '≥ 0.6',
    });
}
for (const { stop } of [...bare, ...file, ...postgres]) await stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
for (const home of [fileHome, postgresHome]) home.run('check');
for (const home of [...homes.file, ...homes.postgres]) home.remove();
await database.close();
report(figures);
