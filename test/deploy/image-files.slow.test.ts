// What the Dockerfile copies is enough: the program runs from those files alone. Needs no container, so that a file that
// was forgotten is told everywhere.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** What comes from the checkout, not from an earlier stage. */
const copied = [...read('Dockerfile').matchAll(/^COPY (?:--chown=\S+ )?([^-].*) \S+$/gm)].flatMap(
  ([, names = '']) => names.split(' '),
);

test('the image is built from what .dockerignore lets through, and from all of it', () => {
  const allowed = [...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, name = '']) => name);
  assert.deepEqual(copied.toSorted(), allowed.toSorted());
  assert.match(read('.dockerignore'), /^\*$/m);
});

test('the files of the image are enough to start on an empty home, and for its pages and answers', async (context) => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-files-'));
  context.after(() => rmSync(scratch, { recursive: true, force: true }));
  for (const name of copied) cpSync(path.join(root, name), path.join(scratch, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  const child = spawn(process.execPath, [path.join(scratch, 'bin/domesday.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DOMESDAY_HOME: path.join(scratch, 'home'),
      NODE_COMPILE_CACHE: path.join(scratch, 'compiled'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let output = '';
  const address = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      const url = /listens on (http:\/\/\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([address, ended.then(() => assert.fail(`it ended: ${output}`))]);
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
  const page = await (await fetch(`${url}/docs`)).text();
  const parts = [...page.matchAll(/(?:src|href)="(\/docs\/[^"#]+)"/g)].map(([, part = '']) => part);
  assert.ok(parts.length > 0);
  for (const part of new Set(parts)) assert.equal((await fetch(`${url}${part}`)).status, 200, part);
  const sandbox = { headers: { 'x-api-key': 'dd_test_PublicSandboxKeyForAnyone26NNv4' } };
  const answer = await fetch(`${url}/api/v1/area/statistics?postcode=ZZ1+1AA`, sandbox);
  assert.equal(answer.status, 200);
  const health = path.join(scratch, 'deploy/docker/health.js');
  for (const [port, status] of [
    [new URL(url).port, 0],
    ['1', 1],
  ] as const) {
    const check = spawn(process.execPath, [health, 'ready'], { env: { PORT: port }, stdio: 'ignore' });
    assert.deepEqual(await once(check, 'close'), [status, null]);
  }
});
