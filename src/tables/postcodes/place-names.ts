// Names of authorities, wards, counties, regions, LSOAs, MSOAs, police force areas and countries by their codes of the
// national statistics: one table for all, since a code tells its kind.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { currentAuthorityCode, findFormerAuthorityCode } from '../../uk/authority-codes.ts';

export const placeNamesPart = 'place-names';

const letterA = 65;
const digit0 = 48;
const perLetter = 1e8;

/** `E06000001` as a number that sorts as the text does; undefined where it is no such code. */
export function parsePlaceCode(code: string): number | undefined {
  const letter = code.charCodeAt(0) - letterA;
  if (code.length !== 9 || !(letter >= 0 && letter < 26)) return undefined;
  // By hand, as tables of every area in the country go through it at their opening.
  let digits = 0;
  for (let at = 1; at < 9; at += 1) {
    const digit = code.charCodeAt(at) - digit0;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    digits = 10 * digits + digit;
  }
  return letter * perLetter + digits;
}

const formatPlaceCode = (number: number) =>
  String.fromCharCode(letterA + Math.floor(number / perLetter)) + String(number % perLetter).padStart(8, '0');

/** By code, as parsePlaceCode gives it. */
export function encodePlaceNames(names: ReadonlyMap<number, string>): Columns {
  const ordered = [...names].sort(([a], [b]) => a - b);
  return {
    code: Float64Array.from(ordered, ([code]) => code),
    name: ordered.map(([, name]) => name),
  };
}

export class PlaceNames {
  readonly #codes: Float64Array;
  readonly #nameAt: (index: number) => string;

  /** `codes` ascending. */
  constructor(codes: Float64Array, nameAt: (index: number) => string) {
    this.#codes = codes;
    this.#nameAt = nameAt;
  }

  get size(): number {
    return this.#codes.length;
  }

  /** A recoded authority has its name under both codes, whichever was loaded. */
  find(code: string): string | undefined {
    return (
      this.#findExactly(code) ??
      this.#findExactly(currentAuthorityCode(code)) ??
      this.#findExactly(findFormerAuthorityCode(code) ?? '')
    );
  }

  *entries(): Generator<readonly [code: string, name: string]> {
    for (const [index, code] of this.#codes.entries()) yield [formatPlaceCode(code), this.#nameAt(index)];
  }

  #findExactly(code: string): string | undefined {
    const wanted = parsePlaceCode(code);
    if (wanted === undefined) return undefined;
    let low = 0;
    let high = this.#codes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#codes[middle] ?? outOfRange()) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#codes[low] === wanted ? this.#nameAt(low) : undefined;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('place-names')` first. */
export const openPlaceNames: (release: Release) => PlaceNames = oncePerRelease((release) => {
  const part = release.part(placeNamesPart);
  const names = part.strings('name');
  return new PlaceNames(part.f64('code'), (index) => names.at(index));
});

/** Undefined where no names are loaded. */
export const findPlaceNames = (release: Release): PlaceNames | undefined =>
  release.findDataset('place-names') === undefined ? undefined : openPlaceNames(release);
