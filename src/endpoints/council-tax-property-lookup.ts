// GET /council-tax/property-lookup: band and amount of one home, by the valuation list of its council.

import { type Context, endpoint } from '../contract/endpoint.ts';
import { postcode, taxYear, text } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import { nullable, number, object, oneOf, string } from '../contract/shape.ts';
import { openAuthorities } from '../tables/council-tax/authorities.ts';
import { openCouncilTax } from '../tables/council-tax/council-tax.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { openValuations } from '../tables/valuations.ts';
import { judgeAddress } from '../uk/address/address.ts';
import { matchAddress, type UnmatchedReason } from '../uk/address/match.ts';
import { formatDay } from '../uk/calendar.ts';
import { bands } from '../uk/council-tax-bands.ts';
import type { Postcode } from '../uk/postcode.ts';
import { formatTaxYear } from '../uk/tax-year.ts';
import { amountsOf, averageNote, bandAmounts, findYear, taxYearText } from './council-tax/amounts.ts';
import { refuseWithoutBands } from './council-tax/countries.ts';
import {
  authorityOfHome,
  citeCoverage,
  coverageOf,
  findRow,
  fullAddress,
  type Home,
  listNote,
  refuseShortfall,
  type Shortfall,
  withRecord,
} from './council-tax/valuations.ts';

const searchPage = 'https://www.tax.service.gov.uk/check-council-tax-band/search';

export const councilTaxPropertyLookup = endpoint({
  method: 'GET',
  path: '/council-tax/property-lookup',
  summary: 'Council tax band and amount of one property',
  description: `Finds one home in England or Wales by postcode and address, and gives its band and its council tax for a year. You can write the address as people usually do, but flat, number, building and street must agree with the list. If two entries match equally well, or a part differs, nothing is matched. The error then lists the nearest entries in \`suggestions\`, and you can send any of them as \`address\`. ${listNote} If no list of the council is loaded and the site is off, the answer is COUNCIL_TAX_NOT_FOUND with \`reason\` LIST_NOT_LOADED; if only a part of its list is loaded, which has no home in the postcode, with \`reason\` LIST_PARTIAL. If the site was asked and failed, it is VOA_ERROR; if it gave only part of an answer, PROPERTY_LOOKUP_INCOMPLETE. ${averageNote} A Welsh home can be in band I, which \`allBandAmounts\` does not have.`,
  credits: 1,
  envelope: 'data',
  datasets: ['council-tax', 'authorities', 'postcodes'],
  needs: [{ dataset: 'valuations', fields: 'every answer' }],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'Full postcode in England or Wales, in upper or lower case, with or without a space.',
      example: { sandbox: 'ZZ1 1AA' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
    address: text({
      description:
        'The address, as complete as possible: flat or unit, building name or number, street. A flat number alone or the name of a firm is refused.',
      example: { sandbox: 'Flat 2, Zenith Court, 11 High Street' },
      missing: 'MISSING_ADDRESS',
    }),
    taxYear: taxYear({
      description: 'Tax year of the amounts. Default: the current one.',
      example: '2026-27',
      fault: 'INVALID_TAX_YEAR',
    }),
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'MISSING_ADDRESS',
    'INVALID_TAX_YEAR',
    'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED',
    'FLAT_ONLY_ADDRESS',
    'ORGANISATION_OR_AGENT_NAME',
    'POSTCODE_NOT_FOUND',
    'PROPERTY_NOT_FOUND',
    'COUNCIL_TAX_NOT_FOUND',
    'PROPERTY_LOOKUP_INCOMPLETE',
    'VOA_ERROR',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('CouncilTaxPropertyLookup', {
    postcode: string({ description: 'The postcode, in capitals with one space.' }),
    searchAddress: string({ description: 'The address that you sent.' }),
    matchedAddress: string({ description: 'The matching entry in the valuation list, with its postcode.' }),
    councilTaxBand: oneOf(bands, { description: 'Band of the home. Band I exists in Wales only.' }),
    councilTaxAmount: number({ description: 'Council tax of that band, in pounds a year.' }),
    authority: string({ description: 'Full name of the billing authority.' }),
    ons_code: string({ description: 'Current ONS code of the authority.' }),
    taxYear: string({ description: taxYearText }),
    propertyDetails: object(
      'PropertyDetails',
      {
        voaDetailsLink: string({
          format: 'uri',
          description:
            'Page of the home on the public valuation site, if the band came from there. Otherwise the search page of that site, where you can enter the postcode.',
        }),
        reference: nullable(
          string({ description: 'Reference that the authority gave the home. Null: the list has none.' }),
        ),
        uprn: nullable(
          string({ description: 'Unique Property Reference Number, as digits. Null: the list has none.' }),
        ),
        effectiveDate: nullable(
          string({
            format: 'date',
            description: 'Day from which the band applies. Null: the list does not say.',
          }),
        ),
      },
      { description: 'More about the home.' },
    ),
    allBandAmounts: bandAmounts,
  }),
  together: (params) => {
    const unbanded = refuseWithoutBands(params.postcode);
    if (unbanded !== undefined) return unbanded;
    const judged = judgeAddress(params.address, params.postcode.text);
    if (judged.kind === 'flat-only') return refuse('FLAT_ONLY_ADDRESS');
    return judged.kind === 'organisation' ? refuse('ORGANISATION_OR_AGENT_NAME') : params;
  },
  handle: async (params, context) => {
    const { postcode: place } = params;
    const row = findRow(context.release, place);
    if ('kind' in row) return row;
    const coverage = await coverageOf(context, place, row);
    const result =
      coverage.kind === 'covered'
        ? await answerFrom(coverage.homes, row, params, context)
        : refuseFailure(coverage);
    return citeCoverage(coverage, result);
  },
});

type Wish = { readonly postcode: Postcode; readonly address: string; readonly taxYear: number | undefined };

async function answerFrom(homes: readonly Home[], row: PostcodeRow, wish: Wish, context: Context) {
  const { postcode: place, address, taxYear: asked } = wish;
  const { release, today } = context;
  const found = findHome(address, place, homes, release);
  if (found.kind === 'refused') return found;
  const authority = authorityOfHome(openAuthorities(release), found.home, row);
  if ('kind' in authority) return authority;
  const year = findYear(openCouncilTax(release), authority, asked, today);
  if ('kind' in year) return year;
  const band = bands.find((letter) => letter === found.home.band);
  const pence = band === undefined ? undefined : year.pence[bands.indexOf(band)];
  if (band === undefined || pence === undefined) {
    return refuse(
      'COUNCIL_TAX_NOT_FOUND',
      `The list has this property in band ${found.home.band}, but ${authority.fullName} has no amount for that band in ${formatTaxYear(year.taxYear)}; check the band with the council.`,
    );
  }
  const recorded = await withRecord(found.home, context);
  if (recorded.kind !== 'whole') return refuseFailure(recorded);
  const { home } = recorded;
  return {
    postcode: place.text,
    searchAddress: address,
    matchedAddress: fullAddress(home, place),
    councilTaxBand: band,
    councilTaxAmount: pence / 100,
    authority: authority.fullName,
    ons_code: authority.code,
    taxYear: formatTaxYear(year.taxYear),
    propertyDetails: {
      voaDetailsLink: home.record?.page ?? searchPage,
      reference: home.reference === '' ? null : home.reference,
      uprn: home.uprn === 0 ? null : String(home.uprn),
      effectiveDate: home.effective === undefined ? null : formatDay(home.effective),
    },
    allBandAmounts: amountsOf(year),
  };
}

const refuseFailure = (shortfall: Shortfall) =>
  refuseShortfall(shortfall.kind === 'incomplete' ? 'PROPERTY_LOOKUP_INCOMPLETE' : 'VOA_ERROR', shortfall);

function findHome(address: string, place: Postcode, homes: readonly Home[], release: Context['release']) {
  const lines = homes.map((home) => home.address);
  const isUncut =
    release.findDataset('valuations') !== undefined && lines.some((line) => !line.includes(','));
  const endings = isUncut ? openValuations(release).endingsAround(place) : undefined;
  const match = matchAddress(address, place.text, lines, endings);
  const home = match.kind === 'matched' ? homes[match.index] : undefined;
  if (home !== undefined) return { kind: 'found', home } as const;
  const nearest = match.kind === 'unmatched' ? match.suggestions : [];
  const suggestions = nearest.flatMap((index) => {
    const near = homes[index];
    return near === undefined ? [] : [fullAddress(near, place)];
  });
  return refuse(
    'PROPERTY_NOT_FOUND',
    sentenceFor(match.kind === 'unmatched' ? match.reason : undefined, suggestions.length),
    { candidateCount: homes.length, suggestions },
  );
}

function sentenceFor(reason: UnmatchedReason | undefined, suggestions: number): string | undefined {
  if (reason === 'no addresses in the postcode') {
    return 'The valuation list has no property in this postcode; check the postcode.';
  }
  if (reason === 'another postcode')
    return 'The address ends with another postcode; send the postcode of the address.';
  if (suggestions === 0) {
    return 'No property in the valuation list matches; /council-tax/property-candidates lists the addresses in the postcode.';
  }
  return reason === 'two fit equally well'
    ? 'More than one property fits equally well; send one of `suggestions` as `address`.'
    : undefined;
}
