// The refusal of records that a later program has made.

import type { Fitness } from '../ledger/stored/versions.ts';
import { recordsMigrations } from './migrations.ts';
import { RecordsUnavailable } from './records.ts';

export function tooNew({ version, since }: Extract<Fitness, { kind: 'too new' }>): RecordsUnavailable {
  const which = since === undefined ? 'that one' : `Domesday ${since} or later`;
  return new RecordsUnavailable(
    `The records were made by a newer Domesday (version ${version}, this one knows ${recordsMigrations.length}); use ${which}.`,
  );
}
