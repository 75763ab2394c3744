// A PostgreSQL as an operator has it for a ledger: every commit is on the disk before it is acknowledged.

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '../postgres.ts';

const settings = {
  shared_buffers: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica',
  max_connections: '200',
  work_mem: '4MB',
};

export type Durable = {
  readonly url: string;
  readonly pid: number;
  readonly close: () => Promise<void>;
};

export async function startDurable(): Promise<Durable> {
  const parent = mkdtempSync(path.join(process.env.BENCH_FOLDER ?? tmpdir(), 'domesday-replicas-'));
  // As root the server runs under another user.
  chmodSync(parent, 0o755);
  const folder = path.join(parent, 'data');
  const port = await freePort();
  const { client, close } = await startPostgres(folder, port, settings);
  const { rows } = await client.query('SHOW server_version');
  console.log(`PostgreSQL ${rows[0]?.server_version}, fsync and synchronous_commit on`);
  return {
    url: `postgres://postgres:bench@127.0.0.1:${port}/postgres`,
    pid: Number.parseInt(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8'), 10),
    close: async () => {
      await close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
