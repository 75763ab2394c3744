// What the panels of a place ask the API by themselves: known before any of them is drawn, so that the service answers while the
// page is made.

import type { ApiCall, ApiPath } from '../../api/call.ts';
import type { Payer } from '../payer.ts';
import type { Place } from '../place.ts';
import { type SaleWish, salesParams, saleWishIn, trendParams } from '../prices/question.ts';
import { askAhead } from './ask-once.ts';

/** Of what lies around a place on its map. */
export const radiusMetres = 800;

export const statisticsCall = (postcode: string): ApiCall<'/area/statistics'> => ({
  path: '/area/statistics',
  params: { postcode },
});

export const lookupCall = (postcode: string): ApiCall<'/postcodes/lookup'> => ({
  path: '/postcodes/lookup',
  params: { postcode },
});

export const aroundCall = (postcode: string): ApiCall<'/area/places'> => ({
  path: '/area/places',
  params: { postcode, radius: radiusMetres, limit: 500 },
});

export const crimeCall = (postcode: string): ApiCall<'/crime/by-postcode'> => ({
  path: '/crime/by-postcode',
  params: { postcode, months: 12, points: 'true', limit: 2000 },
});

export const councilTaxCall = (postcode: string): ApiCall<'/council-tax/lookup'> => ({
  path: '/council-tax/lookup',
  params: { postcode, allYears: 'true' },
});

export const bankRateCall: ApiCall<'/bank-rates'> = { path: '/bank-rates', params: { limit: 500 } };

export const trendCall = (place: Place, wish: SaleWish): ApiCall<'/area/sold-prices/trend'> => ({
  path: '/area/sold-prices/trend',
  params: trendParams(place, wish),
});

export const salesCall = (place: Place, wish: SaleWish): ApiCall<'/area/sold-prices'> => ({
  path: '/area/sold-prices',
  params: salesParams(place, wish),
});

/** Of the second of two places nothing is listed, so that neither page nor order matters. */
export const salesBesideCall = (place: Place, wish: SaleWish): ApiCall<'/area/sold-prices'> =>
  salesCall(place, { ...wish, sort: '', order: '', offset: '' });

const callsOf = (place: Place, wish: SaleWish): readonly ApiCall[] => [
  statisticsCall(place.postcode),
  lookupCall(place.postcode),
  aroundCall(place.postcode),
  crimeCall(place.postcode),
  trendCall(place, wish),
  salesCall(place, wish),
  bankRateCall,
  councilTaxCall(place.postcode),
];

const callsOfSecond = (place: Place, wish: SaleWish): readonly ApiCall[] => [
  statisticsCall(place.postcode),
  trendCall(place, wish),
  salesBesideCall(place, wish),
  crimeCall(place.postcode),
  councilTaxCall(place.postcode),
];

/** `query`: of the page, which may choose the sales. */
export function askAllOf(
  place: Place,
  beside: Place | undefined,
  query: URLSearchParams,
  payer: Payer,
): void {
  const wish = saleWishIn(query);
  const second = beside === undefined ? [] : callsOfSecond(beside, wish);
  for (const call of [...callsOf(place, wish), ...second]) askAhead<ApiPath>(call, payer);
}
