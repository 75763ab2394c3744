// The words of an area as its rows write them, by code: house names, streets, places.

import { ByteDictionary, TextDictionary } from '../../columns/byte-dictionary.ts';
import { TupleDictionary } from '../../columns/tuple-dictionary.ts';
import { defined } from '../../out-of-range.ts';
import { placeFields, type SaleWords } from '../../tables/sales/rows.ts';

/** Places by code, in the order in which they first came. */
class PlaceDictionary {
  readonly #tuples = new TupleDictionary(placeFields);
  readonly #place = new Uint32Array(placeFields);

  codeOf(street: number, locality: number, town: number, district: number, county: number): number {
    const place = this.#place;
    place[0] = street;
    place[1] = locality;
    place[2] = town;
    place[3] = district;
    place[4] = county;
    return this.#tuples.codeOf(place, 0);
  }

  get values(): Uint32Array {
    return this.#tuples.values;
  }
}

/** The words of one area. */
export class AreaWords {
  readonly paons = new TextDictionary();
  readonly saons = new TextDictionary();
  readonly streets = new TextDictionary();
  readonly names = new TextDictionary();
  readonly places = new PlaceDictionary();
  /** Places by the bytes of all five columns, which is one search instead of six. */
  readonly #written = new ByteDictionary();
  readonly #placeOfWritten: number[] = [];

  /** -1 where these bytes are new; then `setWritten` must say what place they are. */
  placeOf(bytes: Uint8Array, start: number, end: number): number {
    const code = this.#written.codeOf(bytes, start, end);
    return code === this.#placeOfWritten.length ? -1 : defined(this.#placeOfWritten[code]);
  }

  setWritten(place: number): void {
    this.#placeOfWritten.push(place);
  }

  get all(): SaleWords {
    return {
      paons: this.paons.texts,
      saons: this.saons.texts,
      streets: this.streets.texts,
      names: this.names.texts,
      places: this.places.values,
    };
  }
}

/** The words of both. Known ones keep their codes; `placeOf`, `paonOf` and `saonOf` give the new code of each added one. */
export function joinWords(known: SaleWords, added: SaleWords) {
  const paons = joinTexts(known.paons, added.paons);
  const saons = joinTexts(known.saons, added.saons);
  const streets = joinTexts(known.streets, added.streets);
  const names = joinTexts(known.names, added.names);
  const places = new PlaceDictionary();
  for (let at = 0; at < known.places.length; at += placeFields) {
    const code = (field: number) => defined(known.places[at + field]);
    places.codeOf(code(0), code(1), code(2), code(3), code(4));
  }
  const placeOf = new Uint32Array(added.places.length / placeFields);
  for (let place = 0; place < placeOf.length; place++) {
    const at = place * placeFields;
    const name = (field: number) => defined(names.codeOf[defined(added.places[at + field])]);
    const street = defined(streets.codeOf[defined(added.places[at])]);
    placeOf[place] = places.codeOf(street, name(1), name(2), name(3), name(4));
  }
  return {
    words: {
      paons: paons.texts,
      saons: saons.texts,
      streets: streets.texts,
      names: names.texts,
      places: places.values,
    },
    placeOf,
    paonOf: paons.codeOf,
    saonOf: saons.codeOf,
  };
}

/** Looks through the known texts for the few added ones, which is quicker than a table of all that are known. */
function joinTexts(known: readonly string[], added: readonly string[]) {
  const codes = new Map(added.map((text) => [text, -1]));
  for (const [code, text] of known.entries()) if (codes.get(text) === -1) codes.set(text, code);
  const texts = [...known];
  const codeOf = Uint32Array.from(added, (text) => {
    const code = codes.get(text) ?? -1;
    if (code !== -1) return code;
    codes.set(text, texts.length);
    return texts.push(text) - 1;
  });
  return { texts, codeOf };
}
