// What customers and operators come for, with ledger and records in a database.

import { freshStorage } from '../ledger/postgres/bench.ts';
import { endsAndPages } from './ends-and-pages.ts';
import { portalJourneys } from './journeys.ts';

const open = async () => {
  const { server, database, remove } = await freshStorage();
  return { databaseUrl: server.url(database), remove };
};

portalJourneys('PostgreSQL', open);
endsAndPages('PostgreSQL', open);
