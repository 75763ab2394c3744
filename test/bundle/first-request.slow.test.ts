// A copy of the program without a kept bundle: the first who asks for a page has it made, and where that cannot be, the page says
// so while the API and the documentation go on.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundledHome, startDomesday } from '../rig.ts';

const root = path.join(import.meta.dirname, '../..');

/** Runs a service from a copy whose packages lack those, and which has nothing kept. */
async function serviceWithout(lacking: readonly string[], context: TestContext) {
  const copy = mkdtempSync(path.join(tmpdir(), 'domesday-copy-'));
  const { home, remove } = await bundledHome();
  for (const name of [
    'bin',
    'src',
    'web',
    'data',
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'docs',
  ])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  const packages = path.join(copy, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '.cache' && !lacking.includes(name))
      symlinkSync(path.join(root, 'node_modules', name), path.join(packages, name));
  const running = await startDomesday(home, { LOG_FORMAT: 'json' }, path.join(copy, 'bin/domesday.js'));
  context.after(async () => {
    await running.stop();
    rmSync(copy, { recursive: true, force: true });
    remove();
  });
  const page = (at: string) => fetch(`${running.url}${at}`, { headers: { accept: 'text/html' } });
  return { running, page, kept: path.join(packages, '.cache/domesday-web') };
}

test('where nothing was kept, the first request for a page makes it and keeps it', async (context) => {
  const { page, kept } = await serviceWithout([], context);
  assert.equal(existsSync(kept), false, 'a start makes nothing');
  // Both wait for the same.
  const replies = await Promise.all([page('/account'), page('/')]);
  for (const reply of replies) {
    assert.equal(reply.status, 200);
    const [part = ''] = /\/assets\/main-\w+\.js/.exec(await reply.text()) ?? [];
    assert.equal((await page(part)).status, 200);
  }
});

test('where it cannot be made, the page says so, and the rest of the service goes on', async (context) => {
  const { running, page } = await serviceWithout(['esbuild', '@esbuild'], context);
  const reply = await page('/account');
  assert.equal(reply.status, 503);
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
  const text = await reply.text();
  assert.match(text, /<a href="\/docs">/);
  assert.doesNotMatch(text, /node_modules|\/src\/|at .*:\d+/, 'no path of the machine');
  assert.equal((await page('/docs')).status, 200);
  assert.equal((await fetch(`${running.url}/api/v1/datasets`)).status, 200);
});
