// Which police force is responsible for a place.

import { findForceOfArea, findForceOfAuthority, northernIrelandForce } from '../../uk/police.ts';
import type { PlaceNames } from '../postcodes/place-names.ts';
import type { Place } from '../postcodes/postcodes.ts';

/**
 * As the police's files name it. By the code of the police force area, which Code-Point Open has not, else by the
 * authority. Never by who reports there: where a force publishes nothing, a few rows of others still lie in its area.
 */
export function forceOf(place: Place, names: PlaceNames | undefined): string | undefined {
  if (place.nation === 'Northern Ireland') return northernIrelandForce;
  const { policeForceCode: code, authorityCode } = place;
  if (code !== null) {
    const known = findForceOfArea(code) ?? names?.find(code);
    if (known !== undefined) return known;
  }
  return authorityCode === null ? undefined : findForceOfAuthority(authorityCode);
}
