// The ledger's identity: what tells it from every other ledger and from older copies of itself.

import type { Migration } from './migration.ts';

const table = `
CREATE TABLE identity (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT NOT NULL,
  generation INTEGER NOT NULL, -- raised by every start of a service and every restore
  pulse INTEGER NOT NULL, -- raised at most once a second while the service writes
  backed_up_at INTEGER
) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(16))), 0, 0, NULL);
`;

export const identity: Migration = {
  version: 5,
  name: 'identity',
  breaks: false,
  since: '0.2.0',
  up: (db) => db.exec(table),
};
