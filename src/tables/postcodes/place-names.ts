// Names of authorities, wards, counties, regions, LSOAs, MSOAs, police force areas and countries by their codes of the
// national statistics: one table for all, since a code tells its kind.

import { indexIn } from '../../columns/sorted.ts';
import { f64, rising, strings } from '../../release/column.ts';
import type { Columns, Strings } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { currentAuthorityCode, findFormerAuthorityCode } from '../../uk/authority-codes.ts';

export const placeNamesPart = 'place-names';

export const placeNamesTable = table({
  part: placeNamesPart,
  origin: { dataset: 'place-names', layout: 1 },
  about: 'Names of areas by their codes of the national statistics.',
  order: 'by code',
  columns: {
    code: f64('name', 'of `E06000001`: 10⁸ × place of the letter, A being 0, + the eight digits', rising),
    name: strings('name', 'as published'),
  },
});

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
  return placeNamesTable.encode({
    code: Float64Array.from(ordered, ([code]) => code),
    name: ordered.map(([, name]) => name),
  });
}

export class PlaceNames {
  readonly #codes: Float64Array;
  readonly #names: Strings;

  constructor(release: Release) {
    const { code, name } = placeNamesTable.open(release);
    this.#codes = code;
    this.#names = name;
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
    for (const [index, code] of this.#codes.entries()) yield [formatPlaceCode(code), this.#names.at(index)];
  }

  #findExactly(code: string): string | undefined {
    const wanted = parsePlaceCode(code);
    if (wanted === undefined) return undefined;
    const at = indexIn(this.#codes, wanted);
    return at === -1 ? undefined : this.#names.at(at);
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('place-names')` first. */
export const openPlaceNames: (release: Release) => PlaceNames = oncePerRelease(
  (release) => new PlaceNames(release),
);

/** Undefined where no names are loaded. */
export const findPlaceNames = (release: Release): PlaceNames | undefined =>
  release.findDataset('place-names') === undefined ? undefined : openPlaceNames(release);
