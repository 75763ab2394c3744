// What publishable keys are bound to.

import type { Migration } from './migration.ts';

const columns = `
ALTER TABLE keys ADD COLUMN origins TEXT; -- with spaces between; NULL for keys that are bound to none
ALTER TABLE keys ADD COLUMN paths TEXT; -- of endpoints, with spaces between; NULL = all of them
`;

export const bindings: Migration = {
  version: 7,
  name: 'bindings',
  breaks: true, // a program that does not know it would move such keys without what they are bound to
  since: '0.2.0',
  up: (db) => db.exec(columns),
};
