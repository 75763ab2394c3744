// Every source that can be loaded; one line each. Recognition asks them in this order.

import type { Source } from '../ingest/source.ts';
import { bankRate } from './bank-rate.ts';

export const sources: readonly Source[] = [bankRate];
