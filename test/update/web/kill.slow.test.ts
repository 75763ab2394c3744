// kill -9 in the middle of a transfer: the next run goes on, and the file is whole.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { desk, linesOf } from './publisher.ts';

const content = linesOf(1_000_000);
const etag = '"one"';
const program = path.join(import.meta.dirname, 'fetch-process.ts');

test('killed at any point of a file, it is gone on with and whole', async (context) => {
  for (const at of [0, 100_000, 350_000, 777_777, 999_999]) {
    // The first process gets so many bytes and no more; it cannot come to an end before it is killed.
    const { order, asked, folder, from, reopen, files } = await desk(context, (question, response, nth) => {
      const start = nth === 1 ? 0 : Number(/\d+/.exec(question.headers.range ?? '0')?.[0]);
      response.writeHead(start > 0 ? 206 : 200, {
        etag,
        'content-length': content.byteLength - start,
        'content-range': `bytes ${start}-${content.byteLength - 1}/${content.byteLength}`,
      });
      if (nth > 1) response.end(content.subarray(start));
      else if (at === 0) response.flushHeaders();
      else response.write(content.subarray(0, at));
    });
    const child = spawn(process.execPath, [program, from, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told.split('\n').includes(String(at))) break;
    }
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    const [, signal] = await ended;
    assert.equal(signal, 'SIGKILL');
    assert.ok(files().includes('all.csv.part') && !files().includes('all.csv'));
    const outcome = await reopen().download(order);
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
    assert.deepEqual(files(), ['all.csv']);
    const from2 = Number(/\d+/.exec(asked[1]?.headers.range ?? '0')?.[0]);
    // What was made safe is not asked for again.
    assert.ok(from2 <= at && from2 > at - 2 * 65_536 - 1, `${from2} of ${at}`);
  }
});
