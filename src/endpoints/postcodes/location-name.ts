// What people call the place of a postcode. It is a name in any case: callers show it, and nobody knows a place by a code.

import type { Context } from '../../contract/endpoint.ts';
import { openAuthorities } from '../../tables/council-tax/authorities.ts';
import { findPlaceNames } from '../../tables/postcodes/place-names.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';

/** Its ward, else its district, as far as they have a name here; else the nation. */
export function locationNameOf(
  release: Context['release'],
  { wardCode, authorityCode, nation }: Pick<PostcodeRow, 'wardCode' | 'authorityCode' | 'nation'>,
): string {
  const names = findPlaceNames(release);
  const councils = release.findDataset('authorities') === undefined ? undefined : openAuthorities(release);
  const found = (code: string | null, find: (code: string) => string | undefined) =>
    code === null ? undefined : find(code);
  return (
    found(wardCode, (code) => names?.find(code)) ??
    found(authorityCode, (code) => names?.find(code) ?? councils?.find(code)?.fullName) ??
    nation ??
    'United Kingdom'
  );
}
