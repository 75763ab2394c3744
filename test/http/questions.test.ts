// Answers kept from earlier questions: never an old one, never unpaid, and not without end.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoint, qualify } from '../../src/contract/endpoint.ts';
import { wholeNumber } from '../../src/contract/params.ts';
import { refuse } from '../../src/contract/refusal.ts';
import { integer, object, string } from '../../src/contract/shape.ts';
import { Questions } from '../../src/http/questions.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

/** How often it was asked in earnest. */
let runs = 0;
const counting = endpoint({
  method: 'GET',
  path: '/bank-rates',
  summary: 'Counts',
  description: 'Counts how often it was asked.',
  credits: 1,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: {
    limit: wholeNumber({
      description: 'How long the answer is.',
      min: 0,
      max: 9_999,
      fallback: 10,
      outside: 'refuse',
      fault: 'INVALID_LIMIT',
    }),
  },
  errors: ['INVALID_LIMIT', 'NO_DATA_FOUND', 'AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS'],
  answer: object('Counted', { run: integer(), text: string() }),
  handle: ({ limit }) => {
    runs += 1;
    const answer = { run: runs, text: 'x'.repeat(limit) };
    if (limit === 0) return refuse('NO_DATA_FOUND');
    if (limit === 7) return qualify({ datasets: [] }, answer);
    if (limit === 11) return qualify({ shortage: { extent: 'partial', why: 'Môn’s only — half' } }, answer);
    if (limit === 12) {
      return qualify({ shortage: { extent: 'none', why: 'nothing there' }, charge: 'free' }, answer);
    }
    if (limit === 13) {
      return qualify({ shortage: { extent: 'none', why: 'never told' } }, refuse('NO_DATA_FOUND'));
    }
    return limit === 8 ? Promise.resolve(answer) : answer;
  },
});

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig({ endpoints: [counting] });
  ({ key } = await rig.customer({ plan: 'enterprise', credits: 20 }));
});
after(() => rig.close());

const ask = async (query: string, headers: Record<string, string> = {}) => {
  const { body, headers: told } = await rig.get(`/api/v1/bank-rates?${query}`, key, headers);
  const { data, billing } = headers.accept === undefined ? JSON.parse(body) : { data: { run: body } };
  return { run: data?.run, left: billing?.creditsRemaining, source: told['x-data-source'] };
};

test('a question asked again is answered from memory, and paid for each time', async () => {
  const first = await ask('limit=5');
  const second = await ask('limit=5');
  assert.equal(second.run, first.run);
  assert.equal(second.left, first.left - 1);
});

test('another day, another form of answer, or another question is asked in earnest', async () => {
  const { run } = await ask('limit=6');
  rig.clock.nowMs = noonMs + 86_400_000;
  assert.notEqual((await ask('limit=6')).run, run);
  rig.clock.nowMs = noonMs;
  await ask('limit=6');
  const table = await ask('limit=6', { accept: 'text/csv' });
  assert.match(table.run, /^run,text\r\n\d+,x{6}\r\n$/);
  assert.equal((await ask('limit=6', { accept: 'text/csv' })).run, table.run);
  assert.notEqual((await ask('limit=9')).run, run);
});

test('what was cited is told with the kept answer too', async () => {
  assert.equal((await ask('limit=7')).source, undefined);
  assert.equal((await ask('limit=7')).source, undefined);
});

test('what is lacking, and that an answer is free, is told with the kept answer too, in any form', async () => {
  for (const accept of ['application/json', 'text/csv']) {
    for (const time of ['first', 'second']) {
      const partial = await rig.get('/api/v1/bank-rates?limit=11', key, { accept });
      assert.equal(partial.headers['x-data-coverage'], "partial; Mon's only ? half", time);
      assert.equal(partial.headers['x-credits-charged'], '1', time);
      const none = await rig.get('/api/v1/bank-rates?limit=12', key, { accept });
      assert.equal(none.statusCode, 200);
      assert.equal(none.headers['x-data-coverage'], 'none; nothing there', time);
      assert.equal(none.headers['x-credits-charged'], '0', time);
      assert.equal(none.headers['x-credits-remaining'], partial.headers['x-credits-remaining'], time);
      if (accept === 'application/json') assert.equal(none.json().billing.creditsCharged, 0);
    }
  }
  const refusal = await rig.get('/api/v1/bank-rates?limit=13', key);
  assert.equal(refusal.headers['x-data-coverage'], 'none; never told');
});

test('a 304 tells what is lacking where the answer is at hand, and is silent where it is not', async () => {
  const { headers } = await rig.get('/api/v1/bank-rates?limit=11', key);
  const known = { 'if-none-match': String(headers.etag) };
  const again = await rig.get('/api/v1/bank-rates?limit=11', key, known);
  assert.equal(again.statusCode, 304);
  assert.equal(again.headers['x-data-coverage'], headers['x-data-coverage']);
  const reread = await rig.get('/api/v1/bank-rates?limit=011', key, known);
  assert.equal(reread.statusCode, 304);
  assert.equal(reread.headers['x-data-coverage'], undefined);
});

test('what took its time, is long, or was refused is never kept', async () => {
  for (const query of ['limit=8', 'limit=5000', 'limit=0']) {
    const before = runs;
    await ask(query);
    await ask(query);
    assert.equal(runs - before, 2, query);
  }
});

test('an answer of one release is not told of another', () => {
  const questions = new Questions(counting);
  const question = questions.find('limit=5');
  assert.ok(question.prepared.kind === 'prepared');
  const asked = questions.ask(question, question.prepared, { id: 'old' }, 1, 'json');
  questions.keep(asked, { kind: 'answered', json: '{}', grounds: counting.grounds });
  assert.equal(questions.ask(question, question.prepared, { id: 'old' }, 1, 'json').answer, asked.answer);
  assert.equal(questions.ask(question, question.prepared, { id: 'new' }, 1, 'json').answer, undefined);
});

test('of many questions the late ones are remembered, and long ones not at all', () => {
  const questions = new Questions(counting);
  const early = questions.find('limit=1');
  for (let number = 0; number < 5_000; number++) questions.find(`limit=2&x=${number}`);
  assert.equal(questions.find('limit=2&x=4999'), questions.find('limit=2&x=4999'));
  assert.notEqual(questions.find('limit=1'), early);
  const long = `limit=1&x=${'y'.repeat(300)}`;
  assert.notEqual(questions.find(long), questions.find(long));
});
