// GET /council-tax/lookup: the amounts of every band for the authority that a postcode lies in.

import { endpoint, qualify } from '../contract/endpoint.ts';
import { postcode, taxYear } from '../contract/params.ts';
import { object, optional, string } from '../contract/shape.ts';
import { openAuthorities } from '../tables/council-tax/authorities.ts';
import { openCouncilTax, publishers } from '../tables/council-tax/council-tax.ts';
import { formatTaxYear } from '../uk/tax-year.ts';
import {
  allYears,
  amountsOf,
  averageNote,
  bandAmounts,
  describeYears,
  findYear,
  taxYears,
  taxYearText,
} from './council-tax/amounts.ts';
import { refuseWithoutCouncilTax } from './council-tax/countries.ts';
import { authorityOf } from './council-tax/place.ts';
import { findInUse } from './postcodes/refusal.ts';

export const councilTaxLookup = endpoint({
  method: 'GET',
  path: '/council-tax/lookup',
  summary: 'Council tax by band for a postcode',
  description: `Gives the council tax that bands A to H pay a year in the authority of the postcode. ${averageNote} Without \`taxYear\`, you get the current year, which begins on 1 April. If its figures are not loaded yet, you get the newest earlier year, and \`taxYear\` in the answer says which.`,
  credits: 1,
  envelope: 'data',
  datasets: ['council-tax', 'authorities', 'postcodes'],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'Full postcode, in upper or lower case, with or without a space.',
      example: { sandbox: 'ZZ1 1AA', live: 'NP10 8WA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
    taxYear: taxYear({
      description: 'Tax year. Default: the current one.',
      example: '2026-27',
      fault: 'INVALID_TAX_YEAR',
    }),
    allYears,
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'INVALID_TAX_YEAR',
    'POSTCODE_NOT_FOUND',
    'COUNCIL_TAX_NOT_FOUND',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('CouncilTaxLookup', {
    postcode: string({ description: 'The postcode, in capitals with one space.' }),
    authority: string({ description: 'Full name of the billing authority.' }),
    ons_code: string({ description: 'Current ONS code of the authority.' }),
    taxYear: string({ description: taxYearText }),
    councilTaxBands: bandAmounts,
    years: optional(taxYears),
  }),
  handle: (params, { release, today }) => {
    const untaxed = refuseWithoutCouncilTax(params.postcode);
    if (untaxed !== undefined) return untaxed;
    const row = findInUse(release, params.postcode);
    if ('kind' in row) return row;
    const authority = authorityOf(openAuthorities(release), row);
    if ('kind' in authority) return authority;
    const table = openCouncilTax(release);
    const found = findYear(table, authority, params.taxYear, today);
    if ('kind' in found) return found;
    return qualify(
      { publisher: publishers[authority.nation] },
      {
        postcode: params.postcode.text,
        authority: authority.fullName,
        ons_code: authority.code,
        taxYear: formatTaxYear(found.taxYear),
        councilTaxBands: amountsOf(found),
        ...(params.allYears ? describeYears(table, authority) : {}),
      },
    );
  },
});
