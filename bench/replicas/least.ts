// The least that a call can be charged with in PostgreSQL: bare Fastify whose replies wait for a row each, those of a turn in one
// statement with one balance. No key, limit, hash, usage, log or head of ours: what is left is the way there and the commit.

import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

const [url = '', body = ''] = process.argv.slice(2);
const answer: unknown = JSON.parse(body);
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query(`
  CREATE SCHEMA least;
  CREATE TABLE least.accounts (number integer PRIMARY KEY, balance bigint NOT NULL);
  INSERT INTO least.accounts VALUES (1, 1000000000000);
  CREATE TABLE least.journal (charge_id text PRIMARY KEY, account integer NOT NULL, at bigint NOT NULL)`);
const charge = `
  WITH paid AS (UPDATE least.accounts SET balance = balance - cardinality($1::text[]) WHERE number = 1 RETURNING number)
  INSERT INTO least.journal (charge_id, account, at) SELECT id, number, $2 FROM unnest($1::text[]) AS id, paid`;

const run = randomUUID();
let charges = 0;
let waiting: (() => void)[] = [];
let state: 'idle' | 'writing' = 'idle';

async function write(): Promise<void> {
  while (waiting.length > 0) {
    const answers = waiting;
    waiting = [];
    await client.query({
      name: 'charge',
      text: charge,
      values: [answers.map(() => `${run}-${++charges}`), Date.now()],
    });
    for (const each of answers) each();
    await new Promise(setImmediate);
  }
  state = 'idle';
}

const app = Fastify();
app.get('/api/v1/bank-rates', (_request, reply) => {
  waiting.push(() => reply.send(answer));
  if (state === 'idle') {
    state = 'writing';
    setImmediate(write);
  }
});
process.stdout.write(`listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
