// What a ledger in PostgreSQL costs, and what a second replica adds: the full metered /bank-rates?limit=1 with each ledger, as
// one process and as two, against bare Fastify sending the same body and against the least that a charge in PostgreSQL takes,
// without this service and with it. One run, rounds of all sides taking turns. The database runs on the same machine and competes
// for its cores, so the processor time of a request is told as well: that of the replica alone is what counts where PostgreSQL has
// a machine of its own.

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import path from 'node:path';
import { runLoad } from '../load.ts';
import { BenchHome, median, type Server, start } from '../server.ts';
import { chargeTheLeast } from './bound.ts';
import { startDurable } from './durable.ts';
import { allThreads, mainThread, withChildren } from './processor.ts';

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
const boundUrl = await database.makeAnother('bound');
const boundHome = new BenchHome(undefined, { ...quiet, DATABASE_URL: boundUrl });
await chargeTheLeast(boundUrl);
const bound = await boundHome.serve();
assert.deepEqual(answerIn(await bodyOf(bound, boundHome.key)), answerIn(body));
const least = await start([path.join(import.meta.dirname, 'least.ts'), database.url, body]);

/** Two processes with a file have a ledger each; two with PostgreSQL share theirs, and here one customer. */
type Side = { readonly name: string; readonly servers: readonly Server[]; readonly keys: readonly string[] };
const fileKeys = homes.file.map(({ key }) => key);
const sharedKeys = [postgresHome.key, postgresHome.key];
const sides: readonly Side[] = [
  { name: 'bare, 1 process', servers: bare.slice(0, 1), keys: fileKeys },
  { name: 'file, 1 process', servers: file.slice(0, 1), keys: fileKeys },
  { name: 'least in PostgreSQL', servers: [least], keys: fileKeys },
  { name: 'bound of PostgreSQL', servers: [bound], keys: [boundHome.key] },
  { name: 'PostgreSQL, 1 process', servers: postgres.slice(0, 1), keys: sharedKeys },
  { name: 'bare, 2 processes', servers: bare, keys: fileKeys },
  { name: 'file, 2 processes', servers: file, keys: fileKeys },
  { name: 'PostgreSQL, 2 processes', servers: postgres, keys: sharedKeys },
];

type Round = {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of the processor for a request. */
  readonly mainThread: number;
  readonly allThreads: number;
  readonly database: number;
};

async function round({ servers, keys }: Side): Promise<Round> {
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
const taken = new Map<Side, Round[]>(sides.map((side) => [side, []]));
for (const side of sides) await round(side);
for (let count = 0; count < rounds; count += 1)
  for (const side of sides) taken.get(side)?.push(await round(side));

for (const [side, results] of taken) {
  const base = taken.get(sides.find(({ servers }) => servers.length === side.servers.length) ?? side) ?? [];
  const ratios = results.map(({ rate }, index) => rate / (base[index]?.rate ?? Number.NaN));
  const of = (figure: keyof Round) => median(results.map((result) => result[figure]));
  console.log(
    `${side.name.padEnd(24)} ${of('rate').toFixed(0).padStart(6)} req/s  p50 ${of('p50Ms').toFixed(2)} ms  p99 ${of('p99Ms').toFixed(2)} ms  ` +
      `÷ bare ${median(ratios).toFixed(2)} (lowest ${Math.min(...ratios).toFixed(2)})  ` +
      `µs a request: main thread ${of('mainThread').toFixed(1)}, process ${of('allThreads').toFixed(1)}, database ${of('database').toFixed(1)}`,
  );
}
for (const { stop } of [...bare, least, bound, ...file, ...postgres]) await stop();
// Refuses, and so ends this run with an error, when a balance is not the sum of its journal.
for (const home of [fileHome, postgresHome]) home.run('check');
for (const home of [...homes.file, ...homes.postgres, boundHome]) home.remove();
await database.close();
