// The contents page of the API: every endpoint, in the order of the contract.

import type { Endpoint } from '../contract/endpoint.ts';
import { bankRates } from './bank-rates.ts';
import { councilTaxAuthorities } from './council-tax-authorities.ts';
import { councilTaxAuthorityLookup } from './council-tax-authority-lookup.ts';
import { councilTaxLookup } from './council-tax-lookup.ts';

export const endpoints: readonly Endpoint[] = [
  councilTaxLookup,
  councilTaxAuthorities,
  councilTaxAuthorityLookup,
  bankRates,
];
