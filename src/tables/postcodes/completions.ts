// What a half typed text can mean: outward codes and postcodes that begin so, and places with a word that does, or with the text
// as their whole code. Postcodes come from their own table, whose order is that of the alphabet; the rest is worked out at the
// ingest.

import { firstIndex } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { i32, into, oneOf, strings, u8, u32 } from '../../release/column.ts';
import { type Columns, encodePart, Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import { foldWords } from '../../uk/place-name.ts';
import { type PackedRange, packedPerOutcode, packPostcodeText, unpackPostcode } from '../../uk/postcode.ts';
import { type Authorities, openAuthorities } from '../council-tax/authorities.ts';
import { findPlaceNames, type PlaceNames } from './place-names.ts';
import { noPoint, openPostcodes, type Place, type PostcodeRow, type Postcodes } from './postcodes.ts';

/** No name is longer; what is, is not looked at. */
const longestText = 100;

// What a half typed text can mean beside postcodes: outward codes, authorities, regions, counties and wards that have postcodes
// in use, with the words to find them by. It depends on postcodes and names, and is made at the end of an ingest.

/** In the order in which equal matches are listed. Only ever add at the end. */
export const completionKinds = ['outcode', 'authority', 'region', 'county', 'ward'] as const;
type CompletionKind = (typeof completionKinds)[number];

export const completionsPart = { part: 'completions', version: 1 } as const;

/** How a key was made of a name. */
const keyForms = ['whole name', 'from a later word'] as const;

export const completionsTable = table({
  part: completionsPart.part,
  origin: { derivedVersion: completionsPart.version },
  about:
    'Places that a half typed text can mean. A *place* is an outward code, authority, region, county or ward with postcodes in use; a *key* is a text that it is found by: its name in small letters without accents and signs, from its first or a later word on.',
  order: 'places by kind, name and code; keys by text',
  columns: {
    kind: u8('place', 'what it is', oneOf(completionKinds)),
    code: strings('place', 'code of the national statistics; empty for an outward code'),
    name: strings('place', 'as answers have it'),
    within: strings('place', 'name of the authority or nation that it lies in; empty: not known'),
    latitude: i32('place', 'mean of its postcodes in use, millionths of a degree; −2³¹: none has a point'),
    longitude: i32('place', 'likewise'),
    postcode: u32(
      'place',
      'the postcode in use nearest to that mean, else the first, as `src/uk/postcode.ts` packs it',
    ),
    'key-text': strings('key', 'in rising order'),
    'key-place': u32('key', 'the place', into('place')),
    'key-form': u8('key', 'how it was made', oneOf(keyForms)),
  },
});

export type CompletedPlace = {
  readonly kind: CompletionKind;
  /** Null for an outward code. */
  readonly code: string | null;
  readonly name: string;
  /** Authority or nation that it lies in, where known. */
  readonly within: string | null;
  /** The mean of its postcodes in use. */
  readonly point: LatLong | null;
  /** The one in use nearest to it. */
  readonly postcode: string;
};

type Completed = {
  readonly outcodes: readonly CompletedPlace[];
  readonly postcodes: readonly PostcodeRow[];
  readonly places: readonly CompletedPlace[];
};

class Completions {
  readonly #postcodes: Postcodes;
  readonly #columns: Views<typeof completionsTable.columns>;
  #placesByCode: ReadonlyMap<string, number> | undefined;

  constructor(postcodes: Postcodes, columns: Views<typeof completionsTable.columns>) {
    this.#postcodes = postcodes;
    this.#columns = columns;
  }

  /**
   * At most `limit` of each sort. Case, accents and signs do not matter. A space after a whole outward code ends it; any other
   * space within a postcode counts for nothing. Postcodes are listed from the first digit on. A whole code means its place.
   */
  complete(text: string, limit: number): Completed {
    if (text.length > longestText) return { outcodes: [], postcodes: [], places: [] };
    const coded = this.#withCode(text.trim().toUpperCase());
    if (coded !== undefined) return { outcodes: [], postcodes: [], places: [this.#describe(coded)] };
    const isOutcode = (kind: CompletionKind) => kind === 'outcode';
    const places = this.#placesWith(foldWords(text), (kind) => !isOutcode(kind), limit);
    const upper = text.toUpperCase();
    const [, first = '', rest = ''] = /^\s*(\S+)\s(.*)$/s.exec(upper) ?? [];
    const ended = this.#ofOutcode(first, compact(rest), limit);
    if (ended.length > 0) {
      const outcodes = compact(rest) === '' ? this.#placesWith(foldWords(first), isOutcode, 1) : [];
      return { outcodes, postcodes: ended, places };
    }
    const start = compact(upper);
    if (!/^[A-Z][A-Z0-9]{0,6}$/.test(start)) return { outcodes: [], postcodes: [], places };
    return {
      outcodes: this.#placesWith(start.toLowerCase(), isOutcode, limit),
      postcodes: /\d/.test(start) ? this.#beginningWith(start, limit) : [],
      places,
    };
  }

  /** Only whole codes: the beginning of one, such as S12, is an outward code to whoever types it. */
  #withCode(code: string): number | undefined {
    if (!/^[A-Z]\d{8}$/.test(code)) return undefined;
    const { code: codes, kind: kinds } = this.#columns;
    this.#placesByCode ??= new Map(Array.from(kinds, (_, place) => [codes.at(place), place]));
    return this.#placesByCode.get(code);
  }

  /** A text that is a key comes first, then what begins with it, then what has a later word that does; each by kind and
   *  name. */
  #placesWith(
    start: string,
    isWanted: (kind: CompletionKind) => boolean,
    limit: number,
  ): readonly CompletedPlace[] {
    if (start === '') return [];
    const { 'key-text': texts, 'key-place': places, 'key-form': forms, kind: kinds } = this.#columns;
    const ranks: number[] = [];
    const first = firstIndex(0, texts.length, (key) => texts.at(key) >= start);
    for (let key = first; key < texts.length; key += 1) {
      const text = texts.at(key);
      if (!text.startsWith(start)) break;
      const place = defined(places[key]);
      if (!isWanted(defined(completionKinds[defined(kinds[place])]))) continue;
      const form = defined(forms[key]);
      ranks.push((form === 0 ? (text === start ? 0 : 1) : 2) * kinds.length + place);
    }
    const found = new Set<number>();
    for (const rank of Uint32Array.from(ranks).sort()) {
      found.add(rank % kinds.length);
      if (found.size === limit) break;
    }
    return [...found].map((place) => this.#describe(place));
  }

  #describe(place: number): CompletedPlace {
    const { kind, code, name, within, latitude, longitude, postcode } = this.#columns;
    const north = defined(latitude[place]);
    return {
      kind: defined(completionKinds[defined(kind[place])]),
      code: code.at(place) || null,
      name: name.at(place),
      within: within.at(place) || null,
      point:
        north === noPoint
          ? null
          : { latitudeDegrees: north / 1e6, longitudeDegrees: defined(longitude[place]) / 1e6 },
      postcode: unpackPostcode(defined(postcode[place])),
    };
  }

  /** Postcodes of an outward code whose second half begins so. */
  #ofOutcode(outcode: string, incode: string, limit: number): readonly PostcodeRow[] {
    const range = rangeOf(outcode, incode);
    return range === undefined ? [] : this.#postcodes.inUseIn(range, limit);
  }

  /** `PO30` begins PO3 0AA as well as PO30 1AA. */
  #beginningWith(start: string, limit: number): readonly PostcodeRow[] {
    const found: PostcodeRow[] = [];
    for (const length of [2, 3, 4]) {
      if (found.length < limit && length < start.length) {
        found.push(...this.#ofOutcode(start.slice(0, length), start.slice(length), limit - found.length));
      }
    }
    const outcodes = this.#postcodes.outcodes();
    const first = firstIndex(0, outcodes.length, (at) => defined(outcodes[at]) >= start);
    for (let at = first; found.length < limit; at += 1) {
      const outcode = outcodes[at];
      if (outcode === undefined || !outcode.startsWith(start)) break;
      found.push(...this.#ofOutcode(outcode, '', limit - found.length));
    }
    return found;
  }
}

const compact = (text: string) => text.replace(/\s+/g, '');

/** Of the postcodes of an outward code whose second half begins with a text; undefined where none could be. */
function rangeOf(outcode: string, incode: string): PackedRange | undefined {
  const [lowest, highest] = ['0AA', '9ZZ'].map((end) => incode + end.slice(incode.length));
  const from = packPostcodeText(`${outcode} ${lowest}`);
  if (incode.length > 3 || from === undefined) return undefined;
  // GIR has one postcode, and no 9ZZ.
  return { from, to: 1 + (packPostcodeText(`${outcode} ${highest}`) ?? from) };
}

/** Where another version of the rule made the part, it is worked out in memory, once a thread. Throws ReleaseDamaged when the
 *  release has no postcodes. */
export const openCompletions: (release: Release) => Completions = oncePerRelease((release) => {
  const columns = release.hasDerived(completionsPart)
    ? completionsTable.open(release)
    : completionsTable.read(Part.open(encodePart(deriveCompletions(release)).buffer));
  return new Completions(openPostcodes(release), columns);
});

// Works out those places from postcodes and names: where the middle of each lies, and which texts it
// is found by.

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
