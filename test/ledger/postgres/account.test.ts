// The account endpoints over a ledger in PostgreSQL.

import { accountSuite } from '../../endpoints/account-suite.ts';
import { freshStorage } from './bench.ts';

accountSuite('PostgreSQL', async () => {
  const { server, database, remove } = await freshStorage();
  return { databaseUrl: server.url(database), remove };
});
