// Which authorities the loaded valuation lists cover. Some lists name their authority; for the others it follows from where
// their postcodes lie.

import { oncePerRelease, type Release } from '../../release/reader.ts';
import { parsePostcode, unpackPostcode } from '../../uk/postcode.ts';
import { openAuthorities } from '../council-tax/authorities.ts';
import { openPostcodes } from '../postcodes/postcodes.ts';
import { openValuations } from './valuations.ts';

/** A list belongs to the authorities in which so much of it lies; strays across a border are fewer. */
const ownShare = 0.2;

/** Codes of the authorities whose lists are loaded: as the lists say, else by where their postcodes lie. */
export const listedAuthorities: (release: Release) => ReadonlySet<string> = oncePerRelease((release) => {
  const authorities = openAuthorities(release);
  const postcodes = openPostcodes(release);
  const codes = openValuations(release).lists.flatMap((list) => {
    if (list.authority !== '') return [list.authority];
    const found = list.postcodes.flatMap((packed) => {
      const postcode = parsePostcode(unpackPostcode(packed));
      return (postcode === undefined ? undefined : postcodes.find(postcode)?.authorityCode) ?? [];
    });
    return [...Map.groupBy(found, (code) => code)].flatMap(([code, those]) =>
      those.length >= ownShare * found.length ? [code] : [],
    );
  });
  // A list or a postcode may have a code from before a merger.
  return new Set(codes.flatMap((code) => [code, authorities.find(code)?.code ?? code]));
});
