// Records of one area on their way from the files to its part: in memory while they are few, then in a file in the build's
// own folder. They keep the order of the files, because the last record about a sale counts.

import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ByteDictionary, TextDictionary } from '../../columns/byte-dictionary.ts';
import { TupleDictionary } from '../../columns/tuple-dictionary.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import { defined } from '../../out-of-range.ts';
import { placeFields, type SaleWords } from '../../tables/sales/rows.ts';
import type { SaleFields, SaleRecord } from './records.ts';

/** A record is so many words: price, postcode, place, paon, saon, then day, flags and status in one, and four of the id. */
export const recordWords = 10;
export const idWord = 6;
const recordsInMemory = 4096;

export const at = { price: 0, postcode: 1, place: 2, paon: 3, saon: 4, rest: 5 } as const;
export const dayOfRest = (rest: number): number => rest & 0xffff;
export const flagsOfRest = (rest: number): number => (rest >>> 16) & 0xff;
export const isLiveRest = (rest: number): boolean => rest >>> 24 === 1;

/** A sale with its texts, for the few that move from one area to another. */
export type SaleTexts = {
  readonly day: number;
  readonly pricePounds: number;
  readonly flags: number;
  readonly postcode: number;
  readonly paon: string;
  readonly saon: string;
  readonly street: string;
  readonly names: readonly [locality: string, town: string, district: string, county: string];
  readonly idWords: Uint32Array;
};

// The words of an area as its rows write them, by code: house names, streets, places.

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
class AreaWords {
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

function codeOf(texts: AreaWords['paons'], row: CsvRow, field: number): number {
  return texts.codeOf(row.bytes, row.start(field), row.end(field), defined(row.fields[3 * field + 2]));
}

export class AreaSpill {
  readonly area: string;
  readonly words = new AreaWords();
  readonly #folder: () => string;
  #records = new Uint32Array(64 * recordWords);
  #used = 0;
  #count = 0;
  #file: number | undefined;

  constructor(area: string, folder: () => string) {
    this.area = area;
    this.#folder = folder;
  }

  add(row: CsvRow, fields: SaleFields, record: SaleRecord): void {
    const { words } = this;
    const place = this.placeOf(row, fields);
    const paon = codeOf(words.paons, row, fields.paon);
    const saon = codeOf(words.saons, row, fields.saon);
    const { pricePounds, postcode, day, flags, idWords } = record;
    this.#put(pricePounds, postcode, place, paon, saon, day | (flags << 16) | (1 << 24), idWords);
  }

  /** The code of the row's place, which is among the area's words from then on. */
  placeOf(row: CsvRow, fields: SaleFields): number {
    const { words } = this;
    // Every layout has the five columns of a place side by side, the street first.
    const known = words.placeOf(row.bytes, row.start(fields.street), row.end(fields.county));
    if (known !== -1) return known;
    const place = this.#readPlace(row, fields);
    words.setWritten(place);
    return place;
  }

  #readPlace(row: CsvRow, fields: SaleFields): number {
    const { streets, names, places } = this.words;
    return places.codeOf(
      codeOf(streets, row, fields.street),
      codeOf(names, row, fields.locality),
      codeOf(names, row, fields.town),
      codeOf(names, row, fields.district),
      codeOf(names, row, fields.county),
    );
  }

  addTexts({ day, pricePounds, flags, postcode, paon, saon, street, names, idWords }: SaleTexts): void {
    const { words } = this;
    const [locality, town, district, county] = names;
    const place = words.places.codeOf(
      words.streets.codeOfText(street),
      words.names.codeOfText(locality),
      words.names.codeOfText(town),
      words.names.codeOfText(district),
      words.names.codeOfText(county),
    );
    const paonCode = words.paons.codeOfText(paon);
    const saonCode = words.saons.codeOfText(saon);
    this.#put(pricePounds, postcode, place, paonCode, saonCode, day | (flags << 16) | (1 << 24), idWords);
  }

  /** From here on the sale is not in this area, whatever earlier records said. */
  addDeletion(idWords: Uint32Array): void {
    this.#put(0, 0, 0, 0, 0, 0, idWords);
  }

  #put(
    price: number,
    postcode: number,
    place: number,
    paon: number,
    saon: number,
    rest: number,
    id: Uint32Array,
  ): void {
    if (this.#used === this.#records.length) this.#makeRoom();
    const records = this.#records;
    const to = this.#used;
    records[to] = price;
    records[to + at.postcode] = postcode;
    records[to + at.place] = place;
    records[to + at.paon] = paon;
    records[to + at.saon] = saon;
    records[to + at.rest] = rest;
    for (let word = 0; word < 4; word++) records[to + idWord + word] = defined(id[word]);
    this.#used = to + recordWords;
    this.#count += 1;
  }

  /** How many records it has. */
  get length(): number {
    return this.#count;
  }

  #makeRoom(): void {
    if (this.#records.length < recordsInMemory * recordWords) {
      const larger = new Uint32Array(2 * this.#records.length);
      larger.set(this.#records);
      this.#records = larger;
      return;
    }
    this.#file ??= openSync(this.#path, 'w');
    const bytes = new Uint8Array(this.#records.buffer, 0, this.#used * 4);
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#file, bytes, done);
    this.#used = 0;
  }

  get #path(): string {
    return path.join(this.#folder(), `${this.area.toLowerCase()}.records`);
  }

  /** What `readSpilled` needs, in any thread. Nothing can be added afterwards. */
  close(): Spilled {
    const rest = this.#records.slice(0, this.#used);
    const words = this.words.all;
    if (this.#file === undefined) return { file: undefined, rest, words };
    closeSync(this.#file);
    return { file: this.#path, rest, words };
  }
}

/** The records of one area: those in the file come first. */
export type Spilled = {
  readonly file: string | undefined;
  readonly rest: Uint32Array;
  readonly words: SaleWords;
};

/** Returns all records in order, and removes the file. */
export function readSpilled({ file, rest }: Spilled): Uint32Array {
  if (file === undefined) return rest;
  const written = readFileSync(file);
  rmSync(file);
  const all = new Uint32Array(written.length / 4 + rest.length);
  new Uint8Array(all.buffer).set(written);
  all.set(rest, written.length / 4);
  return all;
}
