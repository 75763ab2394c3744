// GET /council-tax/authority-lookup: the amounts of every band for a billing authority.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { taxYear, text } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import { object, oneOf, optional, string } from '../contract/shape.ts';
import { categories, openAuthorities } from '../tables/council-tax/authorities.ts';
import { openCouncilTax, publishers } from '../tables/council-tax/council-tax.ts';
import { formatDay } from '../uk/calendar.ts';
import { nations } from '../uk/council-tax-bands.ts';
import { formatTaxYear } from '../uk/tax-year.ts';
import {
  allYears,
  amountsOf,
  averageNote,
  bandAmountsWithI,
  describeYears,
  findYear,
  taxYears,
  taxYearText,
} from './council-tax/amounts.ts';

const instant = { format: 'date-time' } as const;

export const councilTaxAuthorityLookup = endpoint({
  method: 'GET',
  path: '/council-tax/authority-lookup',
  summary: 'Council tax by band for a billing authority',
  description: `Gives the council tax that each band pays a year in an authority. Band I exists in Wales only. ${averageNote} If an authority has a new code, the old code still works, and \`ons_code\` has the new one. Without \`taxYear\`, you get the current year, which begins on 1 April. If its figures are not loaded yet, you get the newest earlier year.`,
  credits: 1,
  envelope: 'data',
  datasets: ['council-tax', 'authorities'],
  maxAgeSeconds: 0,
  params: {
    authorityCode: text({
      description: 'ONS code of the authority, in upper or lower case.',
      example: { sandbox: 'E06000999', live: 'W06000022' },
      missing: 'MISSING_AUTHORITY_CODE',
    }),
    taxYear: taxYear({
      description: 'Tax year. Default: the current one.',
      example: '2026-27',
      fault: 'INVALID_TAX_YEAR',
    }),
    allYears,
  },
  errors: [
    'MISSING_AUTHORITY_CODE',
    'INVALID_TAX_YEAR',
    'AUTHORITY_NOT_FOUND',
    'COUNCIL_TAX_NOT_FOUND',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('CouncilTaxAuthorityLookup', {
    authorityCode: string({ description: 'Current ONS code of the authority.' }),
    authority: string({ description: 'Full name of the authority.' }),
    ons_code: string({ description: 'Same as `authorityCode`.' }),
    category: oneOf(categories, { description: 'Kind of council.' }),
    nation: oneOf(nations, { description: 'Nation of the authority.' }),
    taxYear: string({ description: taxYearText }),
    sourcePublishedAt: string({
      ...instant,
      description:
        'When the official table was first published: the date that the table states. If it states none, when the file was last saved, or else when it was loaded.',
    }),
    sourceUpdatedAt: string({
      ...instant,
      description:
        'When the table was last revised, by the same rule. If it was never revised, the day of publication.',
    }),
    councilTaxBands: bandAmountsWithI,
    years: optional(taxYears),
  }),
  handle: (params, { release, today }) => {
    const authorities = openAuthorities(release);
    const authority = authorities.find(params.authorityCode);
    if (authority === undefined) return refuseUnknown(release, params.authorityCode);
    const table = openCouncilTax(release);
    const found = findYear(table, authority, params.taxYear, today);
    if ('kind' in found) return found;
    return qualify(
      { publisher: publishers[authority.nation] },
      {
        authorityCode: authority.code,
        authority: authority.fullName,
        ons_code: authority.code,
        category: authority.category,
        nation: authority.nation,
        taxYear: formatTaxYear(found.taxYear),
        sourcePublishedAt: found.edition.publishedAt,
        sourceUpdatedAt: found.edition.updatedAt,
        councilTaxBands: amountsOf(found),
        ...(params.allYears ? describeYears(table, authority) : {}),
      },
    );
  },
});

function refuseUnknown(release: Context['release'], code: string) {
  if (release.manifest.kind === 'sandbox') {
    const message = 'A test key knows only fictional authorities; /council-tax/authorities lists them.';
    return refuse('AUTHORITY_NOT_FOUND', message);
  }
  const authorities = openAuthorities(release);
  const gone = authorities.findAbolished(code);
  if (gone === undefined) {
    // County councils, the GLA, police and fire authorities set a precept, which the district's bill collects.
    return /^E(10|12|23|31|47|61)\d{6}$/i.test(code.trim())
      ? refuse(
          'AUTHORITY_NOT_FOUND',
          'This code is not of a billing authority; the amounts of each district already include what its county, police and fire authorities charge, so ask for the district, which /council-tax/authorities finds.',
        )
      : refuse('AUTHORITY_NOT_FOUND');
  }
  const successors = gone.successors.flatMap((successor) => {
    const authority = authorities.find(successor);
    return authority === undefined ? [] : [{ authorityCode: authority.code, name: authority.fullName }];
  });
  const names = successors.map(({ name }) => name).join(' and ');
  const year = formatDay(gone.abolishedDay).slice(0, 4);
  return refuse(
    'AUTHORITY_NOT_FOUND',
    `${gone.name} was abolished in ${year}; ask for ${names}, as \`successors\` lists.`,
    { successors },
  );
}
