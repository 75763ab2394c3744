// Generated from src/endpoints/ by `npm run docs`; do not edit by hand.

import type { Answers } from './answers.ts';

/** Of a call that is answered. */
export const credits: Readonly<Record<keyof Answers, number>> = {
  '/area/statistics': 1,
  '/council-tax/lookup': 1,
  '/council-tax/property-lookup': 1,
  '/council-tax/property-candidates': 0,
  '/council-tax/authorities': 1,
  '/council-tax/authority-lookup': 1,
  '/crime/by-postcode': 1,
  '/area/sold-prices': 1,
  '/bank-rates': 1,
  '/area/sold-prices/trend': 1,
  '/area/places': 1,
  '/postcodes/lookup': 1,
  '/postcodes/near': 1,
  '/postcodes/complete': 0,
  '/account': 0,
  '/account/usage': 0,
};

/** Of the made-up town that the sandbox answers from: those worth a look. */
export const townPostcodes = ['ZZ1 1AA', 'ZZ1 1AB', 'ZZ1 2ZZ', 'ZZ2 9ZZ', 'ZZ3 1AA', 'ZZ4 1AA'] as const;
