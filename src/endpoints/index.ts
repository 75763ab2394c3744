// The contents page of the API: every endpoint, in the order of the contract, then those that go beyond it.

import type { Endpoint } from '../contract/endpoint.ts';
import { account } from './account.ts';
import { accountUsage } from './account-usage.ts';
import { areaPlaces } from './area-places.ts';
import { areaSoldPrices } from './area-sold-prices.ts';
import { areaSoldPricesTrend } from './area-sold-prices-trend.ts';
import { areaStatistics } from './area-statistics.ts';
import { bankRates } from './bank-rates.ts';
import { councilTaxAuthorities } from './council-tax-authorities.ts';
import { councilTaxAuthorityLookup } from './council-tax-authority-lookup.ts';
import { councilTaxLookup } from './council-tax-lookup.ts';
import { councilTaxPropertyCandidates } from './council-tax-property-candidates.ts';
import { councilTaxPropertyLookup } from './council-tax-property-lookup.ts';
import { crimeByPostcode } from './crime-by-postcode.ts';
import { postcodesComplete } from './postcodes-complete.ts';
import { postcodesLookup } from './postcodes-lookup.ts';
import { postcodesNear } from './postcodes-near.ts';

export const endpoints = [
  areaStatistics,
  councilTaxLookup,
  councilTaxPropertyLookup,
  councilTaxPropertyCandidates,
  councilTaxAuthorities,
  councilTaxAuthorityLookup,
  crimeByPostcode,
  areaSoldPrices,
  bankRates,
  areaSoldPricesTrend,
  areaPlaces,
  postcodesLookup,
  postcodesNear,
  postcodesComplete,
  account,
  accountUsage,
] as const satisfies readonly Endpoint[];
