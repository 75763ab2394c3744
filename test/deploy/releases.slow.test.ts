// Published releases behind nginx as the guide has it: the file of deploy/ as it is, but for port and folder; the publisher
// writes for itself alone, and nginx reads under a user of its own.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../postgres.ts';
import { nginx, testWith } from '../requirements.ts';
import { bundledHome, runDomesday, temporaryHome } from '../rig.ts';

const file = path.join(import.meta.dirname, '../../deploy/nginx/domesday-releases.conf');

/** Tells its address. */
async function serve(context: TestContext, program: string, depot: string, folder: string): Promise<string> {
  const port = await freePort();
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of [
    ['listen 8081;', `listen 127.0.0.1:${port};`],
    ['root /srv/domesday-releases;', `root ${depot};`],
  ] as const) {
    assert.ok(text.includes(from), from);
    text = text.replace(from, to);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = path.join(folder, 'nginx.conf');
  // As Debian's own nginx does; only root can.
  const group = () => execFileSync('id', ['-gn', 'nobody'], { encoding: 'utf8' }).trim();
  const user = process.getuid?.() === 0 ? `user nobody ${group()};` : '';
  writeFileSync(
    configuration,
    `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; events {}\nhttp {\n${temporary
      .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      .join('\n')}\n${text}}\n`,
  );
  const child = spawn(program, ['-p', folder, '-e', 'stderr', '-c', configuration], { stdio: 'ignore' });
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const address = `http://127.0.0.1:${port}`;
  for (;;) {
    assert.equal(child.exitCode, null, 'nginx ended');
    const isThere = await fetch(address).then(
      () => true,
      () => false,
    );
    if (isThere) return address;
    await setTimeout(20);
  }
}

testWith(
  nginx,
  'a replica fetches through nginx what a publisher with a umask of 0077 has published, signed',
  async (program, context) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'domesday-published-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    // Of the way there nobody is kept away, and of the folder, as the guide makes it, neither.
    chmodSync(folder, 0o755);
    const depot = path.join(folder, 'releases');
    mkdirSync(depot);
    chmodSync(depot, 0o755);
    const umask = process.umask(0o077);
    context.after(() => process.umask(umask));
    const key = path.join(folder, 'signing.pem');
    const { out } = await runDomesday(['releases', 'keygen', key]);
    const [, publicKey = ''] = /^DOMESDAY_RELEASE_PUBLIC_KEY=(\S+)$/m.exec(out) ?? [];
    const publisher = await bundledHome();
    context.after(publisher.remove);
    const publishing = ['releases', 'publish', depot, '--home', publisher.home, '--sample', '--keep', '3'];
    const published = await runDomesday(publishing, { DOMESDAY_SIGNING_KEY: key });
    assert.equal(published.code, 0, published.err);

    const address = await serve(context, program, depot, folder);
    const replica = temporaryHome();
    context.after(replica.remove);
    const fetched = await runDomesday(['releases', 'fetch', '--from', address, '--home', replica.home], {
      DOMESDAY_RELEASE_PUBLIC_KEY: publicKey,
    });
    assert.equal(fetched.code, 0, fetched.err);

    const cached = async (place: string) => {
      const reply = await fetch(`${address}/${place}`);
      return [reply.status, reply.headers.get('cache-control')];
    };
    assert.deepEqual(await cached('newest'), [200, 'no-cache']);
    for (const below of ['files', 'releases'])
      for (const name of readdirSync(path.join(depot, below)).slice(0, 1))
        assert.deepEqual(await cached(`${below}/${name}`), [200, 'max-age=31536000, immutable']);
    // Neither what is being written nor a list of what is there.
    writeFileSync(path.join(depot, 'files/.arriving-1'), 'half', { mode: 0o644 });
    chmodSync(path.join(depot, 'files/.arriving-1'), 0o644);
    for (const hidden of ['files/.arriving-1', '.publishing.lock', 'files/', ''])
      assert.ok([403, 404].includes(Number((await cached(hidden))[0])), hidden);
  },
);
