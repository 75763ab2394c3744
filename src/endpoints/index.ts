// The contents page of the API: every endpoint, in the order of the contract.

import type { Endpoint } from '../contract/endpoint.ts';
import { bankRates } from './bank-rates.ts';

export const endpoints: readonly Endpoint[] = [bankRates];
