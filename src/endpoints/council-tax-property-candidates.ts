// GET /council-tax/property-candidates: the addresses that the valuation lists have in a postcode.

import { endpoint } from '../contract/endpoint.ts';
import { postcode } from '../contract/params.ts';
import { integer, list, number, object, string } from '../contract/shape.ts';
import { refuseWithoutBands } from './council-tax/countries.ts';
import {
  citeCoverage,
  coverageOf,
  findRow,
  fullAddress,
  listNote,
  refuseShortfall,
} from './council-tax/valuations.ts';

export const councilTaxPropertyCandidates = endpoint({
  method: 'GET',
  path: '/council-tax/property-candidates',
  summary: 'Addresses in a postcode that have a council tax band',
  description: `Lists the addresses in a postcode of England or Wales, so that a person can choose one. You can send each of them as \`address\` to /council-tax/property-lookup. The call selects no band and costs nothing. ${listNote} A postcode without homes gives an empty list. If no list of the council is loaded and the site is off, the answer is COUNCIL_TAX_NOT_FOUND with \`reason\` LIST_NOT_LOADED; if only a part of its list is loaded, which has no home in the postcode, with \`reason\` LIST_PARTIAL. If the site was asked and failed, it is CANDIDATE_LOOKUP_FAILED.`,
  credits: 0,
  envelope: 'data',
  datasets: ['postcodes', 'authorities'],
  needs: [{ dataset: 'valuations', fields: 'every answer' }],
  maxAgeSeconds: 0,
  params: {
    postcode: postcode({
      description: 'Full postcode in England or Wales, in upper or lower case, with or without a space.',
      example: { sandbox: 'ZZ1 1AB' },
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED',
    'POSTCODE_NOT_FOUND',
    'COUNCIL_TAX_NOT_FOUND',
    'CANDIDATE_LOOKUP_FAILED',
    'AUTHENTICATION_REQUIRED',
    'DATABASE_ERROR',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('CouncilTaxPropertyCandidates', {
    postcode: string({ description: 'The postcode, in capitals with one space.' }),
    candidateCount: integer({ minimum: 0, description: 'Number of addresses.' }),
    candidates: list(string(), {
      description: 'Full addresses with their postcode, sorted. House numbers are sorted by value.',
    }),
    executionTime: number({ description: 'Time that the lookup took, in milliseconds.' }),
  }),
  csv: 'candidates',
  together: (params) => refuseWithoutBands(params.postcode) ?? params,
  handle: async ({ postcode: place }, context) => {
    const startMs = performance.now();
    const row = findRow(context.release, place);
    if ('kind' in row) return row;
    const coverage = await coverageOf(context, place, row);
    if (coverage.kind !== 'covered') {
      return citeCoverage(coverage, refuseShortfall('CANDIDATE_LOOKUP_FAILED', coverage));
    }
    const candidates = coverage.homes.map((home) => fullAddress(home, place));
    return citeCoverage(coverage, {
      postcode: place.text,
      candidateCount: candidates.length,
      candidates,
      executionTime: Math.round((performance.now() - startMs) * 100) / 100,
    });
  },
});
