// Works out the places of completions-table.ts from postcodes and names: where the middle of each lies, and which texts it
// is found by.

import { defined } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { foldWords } from '../../uk/place-name.ts';
import { type PackedRange, packedPerOutcode, packPostcodeText } from '../../uk/postcode.ts';
import { type Authorities, openAuthorities } from '../council-tax/authorities.ts';
import { type CompletionKind, completionKinds, completionsTable, keyForms } from './completions-table.ts';
import { findPlaceNames, type PlaceNames } from './place-names.ts';
import { noPoint, openPostcodes, type Place, type Postcodes } from './postcodes.ts';

type Found = {
  readonly kind: CompletionKind;
  readonly code: string;
  readonly name: string;
  /** Names beside that one. */
  readonly otherNames: readonly string[];
  readonly within: string;
};

/** The release needs postcodes. */
export function deriveCompletions(release: Release): Columns {
  const postcodes = openPostcodes(release);
  const names = findPlaceNames(release);
  const councils = release.findDataset('authorities') === undefined ? undefined : openAuthorities(release);
  const { places, placesOf } = collect(postcodes, (place) => describe(place, names, councils));
  const middleOf = findMiddles(postcodes, places.length, placesOf);
  const inUse = places.flatMap((place, index) => {
    const middle =
      middleOf(index) ?? (place.kind === 'outcode' ? withoutPoint(postcodes, place.name) : undefined);
    return middle === undefined ? [] : [{ place, middle, folded: foldWords(place.name) }];
  });
  return encode(inUse.sort((a, b) => compare(a, b)));
}

type InUse = { readonly place: Found; readonly middle: Middle; readonly folded: string };

/** What a combination of areas lies in, as far as it has a name. */
function describe(
  { authorityCode, wardCode, countyCode, regionCode, nation }: Place,
  names: PlaceNames | undefined,
  councils: Authorities | undefined,
): readonly Found[] {
  const within = nation ?? '';
  const council = authorityCode === null ? undefined : councils?.find(authorityCode);
  const [fullName, ...others] = council === undefined ? [] : (councils?.namesOf(council) ?? []);
  const published = authorityCode === null ? undefined : names?.find(authorityCode);
  const authority = fullName ?? published;
  const named = (kind: CompletionKind, code: string | null, around: string): readonly Found[] => {
    const name = code === null ? undefined : names?.find(code);
    return code === null || name === undefined ? [] : [{ kind, code, name, otherNames: [], within: around }];
  };
  return [
    ...(authorityCode === null || authority === undefined
      ? []
      : [
          {
            kind: 'authority' as const,
            code: authorityCode,
            name: authority,
            otherNames: [...others, ...(published === undefined ? [] : [published])],
            within,
          },
        ]),
    ...named('region', regionCode, within),
    ...named('county', countyCode, within),
    ...named('ward', wardCode, authority ?? within),
  ];
}

/** Every place once. `placesOf` gives the numbers of those that a row lies in: `combination` is its place in the table. */
function collect(postcodes: Postcodes, describePlace: (place: Place) => readonly Found[]) {
  const places: Found[] = postcodes.outcodes().map((name) => ({
    kind: 'outcode' as const,
    code: '',
    name,
    otherNames: [],
    within: '',
  }));
  const numbers = new Map<string, number>();
  const combinations = postcodes.places().map((combination) =>
    describePlace(combination).map((found) => {
      const known = numbers.get(found.code) ?? places.push(found) - 1;
      numbers.set(found.code, known);
      return known;
    }),
  );
  return { places, placesOf: (combination: number) => defined(combinations[combination]) };
}

type Middle = { readonly latitude: number; readonly longitude: number; readonly postcode: string };

/** The mean of the points of each place, and the postcode nearest to it. Undefined where none in use has a point. */
function findMiddles(
  postcodes: Postcodes,
  count: number,
  placesOf: (combination: number) => readonly number[],
): (place: number) => Middle | undefined {
  const [latitudes, longitudes, points] = [
    new Float64Array(count),
    new Float64Array(count),
    new Uint32Array(count),
  ];
  const add = (place: number, latitude: number, longitude: number) => {
    latitudes[place] = defined(latitudes[place]) + latitude;
    longitudes[place] = defined(longitudes[place]) + longitude;
    points[place] = defined(points[place]) + 1;
  };
  visit(postcodes, placesOf, add);
  const mean = (sums: Float64Array, place: number) =>
    Math.round(defined(sums[place]) / defined(points[place]));
  const middleLatitude = Float64Array.from(latitudes, (_, place) => mean(latitudes, place));
  const middleLongitude = Float64Array.from(longitudes, (_, place) => mean(longitudes, place));
  const nearest = new Float64Array(count).fill(Infinity);
  const rows = new Uint32Array(count);
  // A degree of longitude is shorter than one of latitude.
  const shorter = Float64Array.from(middleLatitude, (micro) => Math.cos((micro / 1e6) * (Math.PI / 180)));
  visit(postcodes, placesOf, (place, latitude, longitude, row) => {
    const north = latitude - defined(middleLatitude[place]);
    const east = (longitude - defined(middleLongitude[place])) * defined(shorter[place]);
    const square = north * north + east * east;
    if (square >= defined(nearest[place])) return;
    nearest[place] = square;
    rows[place] = row;
  });
  return (place) =>
    points[place] === 0
      ? undefined
      : {
          latitude: defined(middleLatitude[place]),
          longitude: defined(middleLongitude[place]),
          postcode: postcodes.at(defined(rows[place])).postcode,
        };
}

/** All postcodes in use that have a point, once for every place that they lie in. */
function visit(
  postcodes: Postcodes,
  placesOf: (combination: number) => readonly number[],
  take: (place: number, latitudeMicro: number, longitudeMicro: number, row: number) => void,
): void {
  for (let outcode = 0; outcode < postcodes.outcodes().length; outcode += 1) {
    const { from, to } = postcodes.rowsOfOutcode(outcode);
    const takeAll = (combination: number, latitude: number, longitude: number, row: number) => {
      take(outcode, latitude, longitude, row);
      for (const place of placesOf(combination)) take(place, latitude, longitude, row);
    };
    postcodes.eachInUse(takeAll, from, to);
  }
}

/** The islands of the Crown have postcodes without points. Undefined where all of them were withdrawn. */
function withoutPoint(postcodes: Postcodes, outcode: string): Middle | undefined {
  const [first] = postcodes.inUseIn(packedRangeOf(outcode), 1);
  return first === undefined ? undefined : { latitude: noPoint, longitude: 0, postcode: first.postcode };
}

function packedRangeOf(outcode: string): PackedRange {
  const from = defined(packPostcodeText(`${outcode} 0AA`));
  return { from, to: from + packedPerOutcode };
}

function compare(a: InUse, b: InUse): number {
  const kinds = completionKinds.indexOf(a.place.kind) - completionKinds.indexOf(b.place.kind);
  return (
    kinds ||
    compareTexts(a.folded, b.folded) ||
    compareTexts(a.place.within, b.place.within) ||
    compareTexts(a.place.code, b.place.code)
  );
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function encode(places: readonly InUse[]): Columns {
  const keys = places
    .flatMap(({ place }, index) => keysOf(place).map((key) => ({ ...key, index })))
    .sort((a, b) => compareTexts(a.text, b.text) || a.index - b.index || a.form - b.form);
  return completionsTable.encode({
    kind: Uint8Array.from(places, ({ place }) => completionKinds.indexOf(place.kind)),
    code: places.map(({ place }) => place.code),
    name: places.map(({ place }) => place.name),
    within: places.map(({ place }) => place.within),
    latitude: Int32Array.from(places, ({ middle }) => middle.latitude),
    longitude: Int32Array.from(places, ({ middle }) => middle.longitude),
    postcode: Uint32Array.from(places, ({ middle }) => defined(packPostcodeText(middle.postcode))),
    'key-text': keys.map(({ text }) => text),
    'key-place': Uint32Array.from(keys, ({ index }) => index),
    'key-form': Uint8Array.from(keys, ({ form }) => form),
  });
}

/** Every name from each of its words on. Whoever types St or Saint finds either. */
function keysOf({ name, otherNames }: Found): readonly { readonly text: string; readonly form: number }[] {
  const wholes = new Set(
    [name, ...otherNames]
      .map(foldWords)
      .flatMap((text) => [
        text.replace(/(?<![^ ])saint(?![^ ])/g, 'st'),
        text.replace(/(?<![^ ])st(?![^ ])/g, 'saint'),
      ]),
  );
  const later = new Set(
    [...wholes].flatMap((text) => [...text.matchAll(/(?<= )./gu)].map(({ index }) => text.slice(index))),
  );
  return [
    ...[...wholes].map((text) => ({ text, form: keyForms.indexOf('whole name') })),
    ...[...later].map((text) => ({ text, form: keyForms.indexOf('from a later word') })),
  ];
}
