// Which police force is responsible for a place.

import { findForceOfArea, northernIrelandForce } from '../../uk/police.ts';
import { findForceAreaOfCounty, findForceAreaOfDistrict } from '../../uk/police-districts.ts';
import type { PlaceNames } from '../postcodes/place-names.ts';
import type { Place } from '../postcodes/postcodes.ts';

type Policed = Pick<Place, 'nation' | 'policeForceCode' | 'authorityCode' | 'countyCode'>;

/**
 * As the police's files name it. The directory's own police force area comes first: it is of the postcode itself and of
 * the directory's day. Without one (Code-Point Open), or with one that is not known here, the district tells, then the
 * county; last the name that is loaded for the area, which may be another than the files have. Never who reports there:
 * where a force publishes nothing, a few rows of others still lie in its area.
 */
export function forceOf(
  { nation, policeForceCode, authorityCode, countyCode }: Policed,
  names: PlaceNames | undefined,
): string | undefined {
  if (nation === 'Northern Ireland') return northernIrelandForce;
  const told = (code: string | null, find: (code: string) => string | undefined) =>
    code === null ? undefined : find(code);
  const area =
    told(authorityCode, findForceAreaOfDistrict) ?? told(countyCode, findForceAreaOfCounty) ?? null;
  return (
    told(policeForceCode, findForceOfArea) ??
    told(area, findForceOfArea) ??
    told(policeForceCode, (code) => names?.find(code))
  );
}
