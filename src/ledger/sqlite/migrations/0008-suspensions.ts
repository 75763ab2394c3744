// Suspended accounts, addresses that keys are bound to, and an index by which the few entries that are no charges are found
// without reading all the others.

import { journalKinds } from '../../told/entries.ts';
import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE accounts ADD COLUMN suspended_at INTEGER; -- NULL: it is not
ALTER TABLE accounts ADD COLUMN suspended_because TEXT CHECK ((suspended_because IS NULL) = (suspended_at IS NULL));
ALTER TABLE keys ADD COLUMN addresses TEXT; -- blocks of them, with spaces between; NULL = any
CREATE INDEX movements ON journal (account, at) WHERE kind <> ${journalKinds.indexOf('charge')};
`;

export const suspensions: Migration = {
  version: 8,
  name: 'suspensions',
  breaks: true, // a program that does not know it would answer whom it should refuse
  since: '0.2.0',
  up: (db) => db.exec(sql),
};
