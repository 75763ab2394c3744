// What is not taken from a publisher, how it is told, and that nothing of it stays.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FailureKind } from '../../../src/update/web/failure.ts';
import { address, type Behaviour, desk, documentMs, failureOf, host, linesOf, serve } from './publisher.ts';

const content = linesOf(200_000);
const page = '<!DOCTYPE html>\n<html><head><title>Sorry</title></head><body>Try later.</body></html>';

test('a redirect leads only to hosts of the publication, and only by https', async (context) => {
  const cases: readonly (readonly [string, FailureKind, RegExp])[] = [
    ['https://evil.example/all.csv', 'moved to another host', /is at evil\.example, .*files\.example\.org/],
    [`https://${host}:8443/all.csv`, 'moved to another host', /files\.example\.org:8443/],
    [`https://someone:secret@${host}/all.csv`, 'moved to another host', /files\.example\.org/],
    [`https://${host}.evil.example/`, 'moved to another host', /evil\.example/],
    [`http://${host}/all.csv`, 'not https', /http:\/\/files\.example\.org/],
    ['file:///etc/passwd', 'not https', /file:/],
    ['//evil.example/all.csv', 'moved to another host', /evil\.example/],
  ];
  for (const [location, kind, text] of cases) {
    const { web, order, asked } = await desk(context, (_, response) => {
      response.writeHead(302, { location }).end();
    });
    const failure = await failureOf(web.download(order), kind);
    assert.match(failure.message, text);
    assert.doesNotMatch(failure.message, /secret/);
    await failureOf(web.readDocument(address, { ...order, expects: 'json' }), kind);
    assert.equal(asked.length, 2);
  }
});

test('an address that is not https or not of the publication is not even asked for', async (context) => {
  const { web, order, asked } = await desk(context, () => assert.fail());
  for (const [bad, kind] of [
    [`http://${host}/all.csv`, 'not https'],
    ['all.csv', 'not https'],
    ['https://evil.example/all.csv', 'moved to another host'],
  ] as const)
    await failureOf(web.download({ ...order, address: bad }), kind);
  assert.equal(asked.length, 0);
});

test('five redirects are followed, and not one more', async (context) => {
  for (const [hops, isTaken] of [
    [5, true],
    [6, false],
  ] as const) {
    const { web, order } = await desk(context, (question, response, nth) => {
      if (nth > hops) serve(question, response, { content });
      else response.writeHead(307, { location: `/mirror/${host}/step/${nth}` }).end();
    });
    if (isTaken) assert.equal((await web.download(order)).kind, 'fetched');
    else await failureOf(web.download(order), 'too many redirects');
  }
});

test('the redirects of a mirror are understood as it may mean them', async (context) => {
  const hosts = [host, 'assets.example.org'];
  for (const [location, expected] of [
    ['https://assets.example.org/a/b.csv?x=1', '/mirror/assets.example.org/a/b.csv?x=1'],
    ['/mirror/assets.example.org/a/b.csv?x=1', '/mirror/assets.example.org/a/b.csv?x=1'],
    ['/a/b.csv', `/mirror/${host}/a/b.csv`],
    ['/mirror/a/b.csv', `/mirror/${host}/mirror/a/b.csv`],
    ['b.csv', `/mirror/${host}/prices/b.csv`],
  ]) {
    const { web, order, asked } = await desk(context, (question, response, nth) => {
      if (nth > 1) serve(question, response, { content });
      else response.writeHead(301, { location }).end();
    });
    await web.download({ ...order, hosts });
    assert.equal(asked[1]?.url, expected);
  }
});

const endless: Behaviour = (_, response) => {
  const send = () => {
    response.write(Buffer.alloc(1e5, 'a'), (error) => {
      if (!error) setImmediate(send);
    });
  };
  send();
};

const refusals: readonly (readonly [string, FailureKind, Behaviour, RegExp])[] = [
  ['a web page', 'web page instead of data', (_, response) => void response.end(page), /web page/],
  [
    'a web page behind a mark, a declaration and a comment',
    'web page instead of data',
    (_, response) =>
      void response.end(
        `\uFEFF\n<?xml version="1.0"?>\n<!-- ${'x'.repeat(200)} --><HTML>${'y'.repeat(5000)}`,
      ),
    /web page/,
  ],
  [
    'a web page in pieces of a byte that never ends',
    'web page instead of data',
    (_, response) => {
      for (const letter of page.padEnd(3000)) response.write(letter);
    },
    /web page/,
  ],
  [
    'announced as too large',
    'too large',
    (_, response) => void response.writeHead(200, { 'content-length': 2e8 }).write('a'),
    /200000000 bytes/,
  ],
  ['too large without saying so', 'too large', endless, /not accepted/],
  ['empty', 'wrong length', (_, response) => void response.end(), /is empty|has 0 bytes/],
  [
    'compressed against our wish',
    'encoded',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    /gzip/,
  ],
  [
    'gone',
    'not there',
    (_, response) => void response.writeHead(404).end(page),
    /mirror has no copy of https:\/\/files\.example\.org\/prices\/all\.csv/,
  ],
  ['forbidden', 'refused by status', (_, response) => void response.writeHead(403).end(page), /403/],
  ['unasked 304', 'refused by status', (_, response) => void response.writeHead(304).end(), /304/],
  ['unasked 206', 'refused by status', (_, response) => void response.writeHead(206).end('x'), /206/],
];

for (const [name, kind, behave, text] of refusals)
  test(`not taken, at once, and nothing of it stays: ${name}`, async (context) => {
    const { web, order, files, asked } = await desk(context, behave);
    const failure = await failureOf(web.download(order), kind);
    assert.match(failure.message, text);
    assert.equal(asked.length, 1);
    assert.deepEqual(files(), []);
  });

test('a file of another length or checksum than its index says is refused', async (context) => {
  const md5 = createHash('md5').update(content).digest('hex');
  for (const length of ['told', 'untold'] as const) {
    const { web, order, files } = await desk(context, (question, response) =>
      serve(question, response, { content, etag: '"a"', length }),
    );
    for (const bytes of [content.byteLength - 1, content.byteLength + 1]) {
      const failure = await failureOf(web.download({ ...order, bytes }), 'wrong length');
      assert.match(failure.message, new RegExp(`should have ${bytes}`));
      assert.deepEqual(files(), []);
    }
    const failure = await failureOf(web.download({ ...order, md5: '0'.repeat(32) }), 'wrong checksum');
    assert.match(failure.message, new RegExp(md5));
    assert.deepEqual(files(), []);
    const told = { ...order, bytes: content.byteLength, md5: md5.toUpperCase() };
    assert.equal((await web.download(told)).kind, 'fetched');
  }
});

test('a file that goes on behind its length is not read to its end', async (context) => {
  const { web, order, files } = await desk(context, endless);
  await failureOf(web.download({ ...order, bytes: 300_000 }), 'wrong length');
  assert.deepEqual(files(), []);
});

test('a resumed file of a wrong checksum is fetched anew before it is refused', async (context) => {
  const md5 = createHash('md5').update(content).digest('hex');
  // A server that says it is the same file although it is not.
  const { web, order, asked } = await desk(context, (question, response, nth) =>
    serve(question, response, {
      content: nth === 1 ? linesOf(200_000, 2) : content,
      etag: '"same"',
      ...(nth === 1 ? { cutAt: 90_000 } : {}),
    }),
  );
  const outcome = await web.download({ ...order, md5 });
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
  assert.equal(asked.length, 3);
});

test('what is known already is not fetched again, and what is there stays', async (context) => {
  const { web, order, asked, files, folder } = await desk(context, (_, response) => {
    response.writeHead(304).end();
  });
  writeFileSync(path.join(folder, 'all.csv'), 'as it was');
  const lastModified = 'Tue, 01 Sep 2026 09:00:00 GMT';
  assert.deepEqual(await web.download({ ...order, known: { etag: 'W/"a"', lastModified } }), {
    kind: 'unchanged',
  });
  assert.equal(asked[0]?.headers['if-none-match'], 'W/"a"');
  assert.deepEqual(await web.download({ ...order, known: { lastModified } }), { kind: 'unchanged' });
  assert.equal(asked[1]?.headers['if-modified-since'], lastModified);
  assert.deepEqual(files(), ['all.csv']);
  assert.equal(readFileSync(path.join(folder, 'all.csv'), 'utf8'), 'as it was');
});

test('where its place is taken by a folder, what came is kept and gone on with', async (context) => {
  const { web, order, folder, files, asked } = await desk(
    context,
    (question, response) => serve(question, response, { content, etag: '"a"' }),
    { safeEveryBytes: 50_000 },
  );
  mkdirSync(path.join(folder, 'all.csv'));
  await assert.rejects(web.download(order), { syscall: 'rename' });
  assert.ok(files().includes('all.csv.part'));
  rmdirSync(path.join(folder, 'all.csv'));
  const outcome = await web.download(order);
  assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
  assert.equal(asked.length, 2);
  assert.match(asked[1]?.headers.range ?? '', /^bytes=[1-9]/);
});

test('no name of a publisher leads out of the folder, hides or meets a part', async (context) => {
  const { web, order, asked } = await desk(context, () => assert.fail());
  for (const fileName of [
    '',
    '.',
    '..',
    '../a',
    'a/b',
    'a\\b',
    '.hidden',
    'a\0b',
    'a\nb',
    'a:b',
    'a.part',
    'a.part.json',
    'x'.repeat(201),
  ])
    await failureOf(web.download({ ...order, fileName }), 'unusable name');
  assert.equal(asked.length, 0);
});

test('no message shows a query, a redirect’s signature or a control character', async (context) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(404, 403, 416), async (status) => {
      const { web, order } = await desk(context, (_, response, nth) => {
        if (nth > 1) response.writeHead(status).end();
        else response.writeHead(302, { location: `https://${host}/%1b[2J?signature=s3cr3t` }).end();
      });
      const asked = { ...order, address: `${address}?token=s3cr3t` };
      const failure = await web.download(asked).then(
        () => assert.fail(),
        (error: Error) => error,
      );
      assert.doesNotMatch(failure.message, /s3cr3t|\p{Cc}/u);
    }),
    { numRuns: 6 },
  );
});

test('an index is read within its bounds, with the address that its links are relative to', async (context) => {
  const { web, asked } = await desk(context, (question, response) => {
    const { pathname } = new URL(question.url, 'http://x');
    if (pathname.endsWith('/old')) response.writeHead(302, { location: `https://${host}/new/` }).end();
    else if (pathname.endsWith('/new/')) response.end(page);
    else if (pathname.endsWith('/list')) response.end('\uFEFF{"files":[1]}');
    else if (pathname.endsWith('/broken')) response.end('{"files":');
    else if (pathname.endsWith('/large')) response.end(Buffer.alloc(1001, 'a'));
    else response.writeHead(404).end();
  });
  const bounds = { hosts: [host], mostBytes: 1000 };
  const json = (name: string) => web.readDocument(`https://${host}/${name}`, { ...bounds, expects: 'json' });
  const html = (name: string) => web.readDocument(`https://${host}/${name}`, { ...bounds, expects: 'html' });
  assert.deepEqual(await html('old'), { text: page, address: `https://${host}/new/` });
  assert.deepEqual(await json('list'), { value: { files: [1] }, address: `https://${host}/list` });
  await failureOf(json('old'), 'web page instead of data');
  await failureOf(json('broken'), 'not JSON');
  await failureOf(html('large'), 'too large');
  const failure = await failureOf(html('none'), 'not there');
  assert.equal(failure.status, 404);
  assert.equal(await web.isThere(`https://${host}/list`, bounds), true);
  assert.equal(await web.isThere(`https://${host}/none`, bounds), false);
  for (const { headers } of asked) {
    assert.equal(headers['user-agent'], 'Domesday/9.9.9 (+https://operator.example)');
    assert.equal(headers['accept-encoding'], 'identity');
  }
});

test('an index that comes drop by drop is given up', async (context) => {
  const drops = Promise.withResolvers<void>();
  let times = 0;
  const { web, clock } = await desk(context, (_, response) => {
    response.write('{"a":', () => drops.resolve());
    times += 1;
  });
  const reading = failureOf(
    web.readDocument(address, { hosts: [host], mostBytes: 1000, expects: 'json' }),
    'stalled',
  );
  await drops.promise;
  const isOver = reading.then(() => 'over' as const);
  while ((await Promise.race([isOver, clock.pass(documentMs)])) !== 'over');
  assert.ok(times <= 6);
});

test('a host that cannot be reached is told by name, after some tries', async (context) => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const bound = closed.address();
  assert.ok(bound !== null && typeof bound === 'object');
  closed.close();
  await once(closed, 'close');
  const { reopen, order, clock } = await desk(context, () => assert.fail());
  const web = reopen({ from: `http://127.0.0.1:${bound.port}` });
  const failure = await failureOf(web.download(order), 'unreachable');
  assert.match(
    failure.message,
    /mirror 127\.0\.0\.1:\d+ \(for files\.example\.org\) cannot be reached \(ECONNREFUSED\)/,
  );
  assert.equal(clock.waited.filter((ms) => ms > 100).length, 5);
});

test('a mirror is an address or a folder, nothing else', async (context) => {
  const { reopen } = await desk(context, () => assert.fail());
  for (const from of ['/is/not/there', 'ftp://127.0.0.1/', 'http://127.0.0.1/?a=b', ''])
    assert.throws(() => reopen({ from }), { kind: 'no mirror' });
});
