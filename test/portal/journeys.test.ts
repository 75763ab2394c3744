// What customers and operators come for, with ledger and records in files.

import { endsAndPages } from './ends-and-pages.ts';
import { portalJourneys } from './journeys.ts';

portalJourneys('embedded', async () => ({}));
endsAndPages('embedded', async () => ({}));
