// What the views of a place need of the API at once: known before any of it is drawn, so that it is one request.

import type { ApiCall } from '../../api/call.ts';
import type { PanelsWish, Place } from '../place.ts';
import { type SaleWish, salesParams, saleWishIn, trendParams, usual } from '../prices/question.ts';

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

/** `query`: of the page, which may choose the sales. */
export function callsOfPage({ place, beside }: PanelsWish, query: URLSearchParams): readonly ApiCall[] {
  const wish = saleWishIn(query);
  const first = [
    statisticsCall(place.postcode),
    lookupCall(place.postcode),
    aroundCall(place.postcode),
    crimeCall(place.postcode),
    trendCall(place, wish),
    salesCall(place, wish),
    bankRateCall,
    councilTaxCall(place.postcode),
  ];
  if (beside === undefined) return first;
  return [
    ...first,
    statisticsCall(beside.postcode),
    trendCall(beside, wish),
    salesBesideCall(beside, wish),
    crimeCall(beside.postcode),
    councilTaxCall(beside.postcode),
  ];
}

/** What the panels ask, so that whoever comes from there pays nothing again. */
export const callsOfReport = ({ place, beside }: PanelsWish): readonly ApiCall[] =>
  [place, ...(beside === undefined ? [] : [beside])].flatMap((each) => [
    lookupCall(each.postcode),
    statisticsCall(each.postcode),
    salesCall(each, usual),
    crimeCall(each.postcode),
    councilTaxCall(each.postcode),
  ]);
