// An id that a batch has several times is charged once, also where the first of them made no charge: a call that was repeated, or
// one that its balance did not allow.

import { chargeFunction } from './0005-shorter-charges.ts';
import type { Migration } from './migration.ts';

const isInBatch =
  'EXISTS (SELECT FROM unnest(array_positions(new_ids, new_ids[nth])) AS same WHERE seqs[same] IS NOT NULL)';

export const idsInABatch: Migration = {
  version: 6,
  name: 'ids in a batch',
  breaks: false,
  since: '0.2.0',
  sql: chargeFunction('CREATE OR REPLACE', isInBatch),
};
