// GET /council-tax/authorities: search among the billing authorities of Great Britain.

import { type Context, endpoint, qualify } from '../contract/endpoint.ts';
import { optionalPostcode, optionalText, wholeNumber } from '../contract/params.ts';
import { refuse } from '../contract/refusal.ts';
import {
  boolean,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
} from '../contract/shape.ts';
import { type Authority, categories, openAuthorities } from '../tables/council-tax/authorities.ts';
import { openCouncilTax } from '../tables/council-tax/council-tax.ts';
import { openPostcodesNear } from '../tables/postcodes/near.ts';
import { nationOfCode, nations } from '../uk/council-tax-bands.ts';
import type { Postcode } from '../uk/postcode.ts';
import { formatTaxYear, taxYearOn } from '../uk/tax-year.ts';
import { findInUse } from './postcodes/refusal.ts';

// The billing authorities around a postcode, for whoever compares what a home pays on the other side of a border.

const neighboursMost = 25;
const farthestKilometres = 100;

const describeAuthority = (authority: Authority) => ({
  authorityCode: authority.code,
  name: authority.fullName,
  category: authority.category,
  nation: authority.nation,
  isBillingAuthority: true,
  isSelectable: true,
  websiteUrl: authority.websiteUrl,
});

function neighboursOf(near: Postcode, limit: number, { release, today }: Context) {
  if (release.findDataset('postcodes') === undefined) {
    const message = 'This service holds no postcodes, so it cannot tell what is near; send `q` instead.';
    return {
      ...refuse('SERVICE_UNAVAILABLE', message, { dataset: 'postcodes' }),
      retrySeconds: 'never',
    } as const;
  }
  const row = findInUse(release, near);
  if ('kind' in row) return qualify({ datasets: ['postcodes'] }, row);
  if (row.point === null) {
    const message = 'This postcode has no grid reference; send one nearby as `near`.';
    return qualify({ datasets: ['postcodes'] }, refuse('POSTCODE_NOT_FOUND', message));
  }
  const authorities = openAuthorities(release);
  const table = release.findDataset('council-tax') === undefined ? undefined : openCouncilTax(release);
  const found = openPostcodesNear(release).nearestAuthorities(row.point, {
    most: Math.min(limit, neighboursMost),
    farthest: 1_000 * farthestKilometres,
    own: row.authorityCode,
    // Northern Ireland has no council tax.
    counts: (code) => nationOfCode(code) !== undefined && authorities.find(code) !== undefined,
  });
  const listed = found.flatMap(({ code, metres }) => {
    const authority = authorities.find(code);
    if (authority === undefined) return [];
    const year = table?.findActive(authority.code, taxYearOn(today));
    const pence = year?.pence[3];
    return [
      {
        ...describeAuthority(authority),
        distanceMetres: Math.round(metres),
        taxYear: year === undefined ? null : formatTaxYear(year.taxYear),
        band_d: pence === undefined ? null : pence / 100,
      },
    ];
  });
  return qualify({ datasets: ['authorities', 'postcodes', 'council-tax'] }, { authorities: listed });
}

export const councilTaxAuthorities = endpoint({
  method: 'GET',
  path: '/council-tax/authorities',
  summary: 'Search billing authorities by name or code',
  description:
    'Finds the billing authorities of Great Britain that match, best match first: the exact code, then the exact name, then names with a word that begins with the text, then names that contain it anywhere. Equal matches are sorted by name and then by code. A name is the short or the full one (Westminster, City of Westminster). Case, accents, hyphens, commas and apostrophes do not matter, `&` means `and`, and `St.` means `Saint`. If nothing matches, the list is empty. While there are more, a `Link` header with rel="next" has the address of the next page. With `near` you get the authorities around a postcode instead, nearest first: its own, then those with the nearest postcodes.',
  credits: 1,
  envelope: 'data',
  datasets: ['authorities'],
  needs: [
    { dataset: 'postcodes', fields: [], also: 'every answer with near' },
    { dataset: 'council-tax', fields: [], also: 'taxYear and band_d with near' },
  ],
  maxAgeSeconds: 0,
  params: {
    q: optionalText({
      description: 'Part of a name or authority code. Default: all authorities, by name.',
      example: { sandbox: 'zed', live: 'newport' },
    }),
    nation: optionalText({ description: `One of ${nations.join(', ')}, in any case.`, example: 'England' }),
    category: optionalText({
      description: `One of ${categories.join(', ')}, in any case.`,
      example: 'London borough',
    }),
    near: optionalPostcode({
      description: `A full postcode: lists its own authority and those around it, nearest first, with distance and band D. At most ${neighboursMost}, none farther than ${farthestKilometres} km. Send it without q, nation, category and offset.`,
      fault: 'INVALID_PARAMETER',
    }),
    limit: wholeNumber({
      description: 'Number of authorities on a page.',
      min: 1,
      max: 100,
      fallback: 25,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
    offset: wholeNumber({
      description: 'Number of authorities to skip before the page.',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
  },
  together: (params) => {
    const { near, q, nation, category, offset } = params;
    const isMixed = [q, nation, category].some((sent) => sent !== undefined) || offset > 0;
    return near !== undefined && isMixed
      ? refuse('INVALID_PARAMETER', 'Send `near` without q, nation, category and offset.', { field: 'near' })
      : params;
  },
  errors: [
    'INVALID_PARAMETER',
    'POSTCODE_NOT_FOUND',
    'SERVICE_UNAVAILABLE',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('CouncilTaxAuthorities', {
    authorities: list(
      object(
        'BillingAuthority',
        {
          authorityCode: string({ description: 'Current ONS code.' }),
          name: string({ description: 'Full name of the authority. Every endpoint uses this name.' }),
          category: oneOf(categories, { description: 'Kind of council.' }),
          nation: oneOf(nations, { description: 'Nation of the authority.' }),
          isBillingAuthority: boolean({ description: 'Always true: only billing authorities are listed.' }),
          isSelectable: boolean({ description: 'Whether you can send it to /council-tax/authority-lookup.' }),
          websiteUrl: nullable(
            string({ format: 'uri', description: 'Website of the council. Null: unknown.' }),
          ),
          distanceMetres: optional(
            integer({
              minimum: 0,
              description:
                'With `near`: metres from the postcode to the nearest postcode in use of the authority.',
            }),
          ),
          taxYear: optional(nullable(string({ description: 'With `near`: tax year of `band_d`.' }))),
          band_d: optional(
            nullable(
              number({
                description: 'With `near`: pounds a year for band D. Null if no figures are loaded.',
              }),
            ),
          ),
        },
        { description: 'A council that bills council tax.' },
      ),
      { description: 'The authorities of this page, best match first.' },
    ),
  }),
  csv: 'authorities',
  // Looks again only after a full page.
  nextPage: ({ authorities }, { near, q, nation, category, limit, offset }, { release }) => {
    if (near !== undefined) return undefined;
    const after = { text: q, nation, category, limit: 1, offset: offset + limit };
    return authorities.length === limit && openAuthorities(release).search(after).length > 0
      ? { offset: offset + limit }
      : undefined;
  },
  handle: ({ near, q, nation, category, limit, offset }, context) =>
    near === undefined
      ? {
          authorities: openAuthorities(context.release)
            .search({ text: q, nation, category, limit, offset })
            .map(describeAuthority),
        }
      : neighboursOf(near, limit, context),
});
