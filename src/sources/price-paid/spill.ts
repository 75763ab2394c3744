// Records of one area on their way from the files to its part: in memory while they are few, then in a file in the build's
// own folder. They keep the order of the files, because the last record about a sale counts.

import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { CsvRow } from '../../ingest/read/csv.ts';
import { defined } from '../../out-of-range.ts';
import type { SaleWords } from '../../tables/sales/rows.ts';
import type { SaleFields, SaleRecord } from './records.ts';
import { AreaWords } from './words.ts';

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
