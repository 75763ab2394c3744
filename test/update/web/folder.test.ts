// A folder of copies answers as a publisher would, and never with what lies outside it.

import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { TransferFailed } from '../../../src/update/web/failure.ts';
import { folderWire } from '../../../src/update/web/folder-wire.ts';
import { Web } from '../../../src/update/web/web.ts';
import { documentMs, failureOf, host, linesOf, stallMs, testClock } from './publisher.ts';

const content = linesOf(600_000);

function mirror(context: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'domesday-copies-'));
  context.after(() => rmSync(root, { recursive: true }));
  const [copies, folder] = [path.join(root, 'copies'), path.join(root, 'fetched')];
  mkdirSync(path.join(copies, host, 'list'), { recursive: true });
  const put = (name: string, bytes: string | Uint8Array) =>
    writeFileSync(path.join(copies, host, name), bytes);
  const web = new Web({
    from: copies,
    version: '1',
    contact: 'a@b.example',
    clock: testClock(),
    stallMs,
    documentMs,
  });
  const order = (name: string) => ({
    address: `https://${host}/${name}`,
    hosts: [host],
    folder,
    fileName: 'taken.csv',
    mostBytes: 1e6,
  });
  return { root, copies, folder, put, web, order };
}

test('files lie as `wget -x` lays them out: by host and path, with their query, index.html for a folder', async (context) => {
  const { put, web, order, copies } = mirror(context);
  put('all.csv', content);
  put('a b.csv', 'spaced,');
  put('list?q=a%2Fb&n=1', '{"n":1}');
  put('list/index.html', '<html>listed</html>');
  put('list/index.html?page=2', '<html>second</html>');
  mkdirSync(path.join(copies, host, 'product', 'downloads'), { recursive: true });
  put('product/index.html', '{"version":"2026-08"}');
  put('product/downloads/file.zip', content);
  const outcome = await web.download(order('all.csv'));
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
  assert.equal((await web.download(order('a%20b.csv'))).kind, 'fetched');
  const bounds = { hosts: [host], mostBytes: 1000 };
  const product = await web.readDocument(`https://${host}/product`, { ...bounds, expects: 'json' });
  assert.deepEqual(product.value, { version: '2026-08' });
  const json = await web.readDocument(`https://${host}/list?q=a/b&n=1`, { ...bounds, expects: 'json' });
  assert.deepEqual(json.value, { n: 1 });
  const page = (name: string) => web.readDocument(`https://${host}/${name}`, { ...bounds, expects: 'html' });
  assert.equal((await page('list/')).text, '<html>listed</html>');
  assert.equal((await page('list/?page=2')).text, '<html>second</html>');
  assert.equal((await page('list')).text, '<html>listed</html>');
  await failureOf(page('product/downloads'), 'not there');
  await failureOf(page('none'), 'not there');
  await failureOf(page('x'.repeat(5000)), 'not there');
  await failureOf(page('all.csv/under'), 'not there');
});

test('a copy is unchanged until its size or its time is another', async (context) => {
  const { copies, put, web, order } = mirror(context);
  put('all.csv', content);
  const first = await web.download(order('all.csv'));
  assert.ok(first.kind === 'fetched');
  const again = { ...order('all.csv'), known: first.validators };
  assert.equal((await web.download(again)).kind, 'unchanged');
  utimesSync(path.join(copies, host, 'all.csv'), 1, 1);
  assert.equal((await web.download(again)).kind, 'fetched');
});

test('a copy is gone on with after a stop, and begun anew where it changed', async (context) => {
  for (const change of ['none', 'another'] as const) {
    const { put, web, order } = mirror(context);
    put('all.csv', content);
    const stop = new AbortController();
    const onProgress = (bytes: number) => {
      if (bytes > 0) stop.abort();
    };
    await failureOf(web.download({ ...order('all.csv'), signal: stop.signal, onProgress }), 'stopped');
    const now = change === 'none' ? content : linesOf(700_000, 2);
    if (change === 'another') put('all.csv', now);
    const seen: number[] = [];
    const outcome = await web.download({ ...order('all.csv'), onProgress: (bytes) => seen.push(bytes) });
    assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(now));
    assert.equal((seen[0] ?? 0) > 0, change === 'none');
  }
});

test('nothing outside the folder is read, by whatever address or link', async (context) => {
  const { root, copies, web } = mirror(context);
  writeFileSync(path.join(root, 'secret'), 'secret');
  writeFileSync(path.join(root, 'copies-secret'), 'secret');
  symlinkSync(path.join(root, 'secret'), path.join(copies, host, 'link'));
  symlinkSync(root, path.join(copies, host, 'up'));
  symlinkSync('loop', path.join(copies, host, 'loop'));
  const step = fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2E.',
    'secret',
    'copies-secret',
    'link',
    'up',
    'loop',
    host,
    '%00',
    '%',
    '',
  );
  const between = fc.constantFrom('/', '%2f', '%2F', '\\', '%5c', '?', '?..%2f', '//');
  const wire = folderWire(copies);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(between, step), { minLength: 1, maxLength: 7 }),
      fc.constantFrom(host, '..', '.', '%2e%2e'),
      async (steps, name) => {
        const address = URL.parse(`https://${name}/${steps.flat().join('')}`);
        if (address === null) return;
        const question = { address, headers: {}, hosts: [host], signal: new AbortController().signal };
        const status = await wire.ask(question).then(
          (reply) => reply.status,
          (error: unknown) => (error instanceof TransferFailed ? error.kind : assert.fail(String(error))),
        );
        assert.ok(status === 404 || status === 'not there', `${address.href} ${status}`);
      },
    ),
    { numRuns: 2000 },
  );
  await failureOf(
    web.readDocument(`https://${host}/link`, { hosts: [host], mostBytes: 99, expects: 'html' }),
    'not there',
  );
});
