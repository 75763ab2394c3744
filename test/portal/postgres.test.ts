// What customers and operators come for, with ledger and records in a database.

import { freshStorage } from '../ledger/postgres/bench.ts';
import { portalJourneys } from './journeys.ts';

portalJourneys('PostgreSQL', async () => {
  const { server, database, remove } = await freshStorage();
  return { databaseUrl: server.url(database), remove };
});
