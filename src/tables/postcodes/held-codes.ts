// Which codes the loaded directory gives at all: Code-Point Open has no regions, for one.

import { oncePerRelease, type Release } from '../../release/reader.ts';
import { placeCodes } from './postcodes.ts';
import { postcodesTable } from './postcodes-table.ts';

type CodeName = (typeof placeCodes)[number];

/** Those that at least one postcode has. */
export const findHeldCodes: (release: Release) => ReadonlySet<CodeName> = oncePerRelease((release) => {
  const columns = postcodesTable.open(release);
  const byName: Readonly<Record<CodeName, Uint32Array>> = {
    authorityCode: columns['place-authority'],
    wardCode: columns['place-ward'],
    countyCode: columns['place-county'],
    regionCode: columns['place-region'],
    lsoaCode: columns['place-lsoa'],
    msoaCode: columns['place-msoa'],
    policeForceCode: columns['place-police-force'],
  };
  // 0 is none.
  return new Set(placeCodes.filter((name) => byName[name].some((code) => code > 0)));
});
