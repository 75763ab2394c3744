// What is true of every edition of the Welsh list of schools. It stands apart from the loaders, which a first start would
// otherwise import for the sake of the bundled sample.

import type { DatasetFacts } from '../../ingest/source.ts';
import type { AgesTaught } from './edition.ts';

export const schoolsWalesFacts: DatasetFacts = {
  publisher: 'Welsh Government',
  publisherShort: 'Welsh Government',
  licence: 'Open Government Licence v3.0',
  attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
  coverage: {
    Wales:
      'maintained primary, middle and secondary schools; special, independent and referral schools only where ages are stated',
  },
};

export const agesOfSector: ReadonlyMap<string, AgesTaught> = new Map([
  ['Primary', { teachesPrimary: true, teachesSecondary: false }],
  ['Secondary', { teachesPrimary: false, teachesSecondary: true }],
  // From 3 or 4 to 16 or 19.
  ['Middle', { teachesPrimary: true, teachesSecondary: true }],
]);
