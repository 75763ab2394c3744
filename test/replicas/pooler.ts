// PgBouncer in transaction mode in front of a test's PostgreSQL, as operators of many services run it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Ending } from '../deploy/proxies.ts';
import { freePort, type TestPostgres, user } from '../postgres.ts';

/** Tells its port. */
export async function startPooler(context: Ending, program: string, server: TestPostgres): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-pooler-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    max_client_conn: 200,
    default_pool_size: 10,
    // After a restart of the server it would wait for 15 s.
    server_login_retry: 1,
  };
  const file = path.join(folder, 'pgbouncer.ini');
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    file,
    `[databases]\n* = host=127.0.0.1 port=${server.port} user=domesday\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const child = spawn(program, [file], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const ready = Promise.withResolvers<void>();
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
    if (said.includes('process up')) ready.resolve();
  });
  const ended = once(child, 'exit');
  ended.then(() => ready.reject(new Error(`PgBouncer ended: ${said}`)));
  context.after(async () => {
    child.kill('SIGQUIT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await ready.promise;
  assert.ok(child.pid);
  return port;
}
