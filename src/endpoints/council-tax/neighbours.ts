// The billing authorities around a postcode, for whoever compares what a home pays on the other side of a border.

import { type Context, qualify } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/refusal.ts';
import { type Authority, openAuthorities } from '../../tables/council-tax/authorities.ts';
import { openCouncilTax } from '../../tables/council-tax/council-tax.ts';
import { openPostcodesNear } from '../../tables/postcodes/near.ts';
import { nationOfCode } from '../../uk/council-tax-bands.ts';
import type { Postcode } from '../../uk/postcode.ts';
import { formatTaxYear, taxYearOn } from '../../uk/tax-year.ts';
import { findInUse } from '../postcodes/refusal.ts';

export const neighboursMost = 25;
export const farthestKilometres = 100;

export const describeAuthority = (authority: Authority) => ({
  authorityCode: authority.code,
  name: authority.fullName,
  category: authority.category,
  nation: authority.nation,
  isBillingAuthority: true,
  isSelectable: true,
  websiteUrl: authority.websiteUrl,
});

export function neighboursOf(near: Postcode, limit: number, { release, today }: Context) {
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
