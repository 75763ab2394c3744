// The contents page of the API: every endpoint, in the order of the contract.

import type { Endpoint } from '../contract/endpoint.ts';
import { areaSoldPrices } from './area-sold-prices.ts';
import { areaStatistics } from './area-statistics.ts';
import { bankRates } from './bank-rates.ts';
import { councilTaxAuthorities } from './council-tax-authorities.ts';
import { councilTaxAuthorityLookup } from './council-tax-authority-lookup.ts';
import { councilTaxLookup } from './council-tax-lookup.ts';
import { councilTaxPropertyCandidates } from './council-tax-property-candidates.ts';
import { councilTaxPropertyLookup } from './council-tax-property-lookup.ts';
import { crimeByPostcode } from './crime-by-postcode.ts';

export const endpoints: readonly Endpoint[] = [
  areaStatistics,
  councilTaxLookup,
  councilTaxPropertyLookup,
  councilTaxPropertyCandidates,
  councilTaxAuthorities,
  councilTaxAuthorityLookup,
  crimeByPostcode,
  areaSoldPrices,
  bankRates,
];
