// What customers and operators come for, with ledger and records in files.

import { portalJourneys } from './journeys.ts';

portalJourneys('embedded', async () => ({}));
