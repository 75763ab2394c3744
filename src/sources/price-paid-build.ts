// From records to parts: every record goes to its area, sales without postcode to the area of their town, and each
// area that changes is written anew. Areas that nothing touches stay as they are.

import type { CsvRow } from '../ingest/csv.ts';
import type { Into } from '../ingest/source.ts';
import { type SalesIndex, saleIdsPart, salesPart, unplacedArea } from '../tables/sales.ts';
import { noPostcode, placeFields, type SaleRows, type SaleWords } from '../tables/sales-part.ts';
import { packedLimit, packedPerArea, packPostcode, parsePostcode, unpackPostcode } from '../uk/postcode.ts';
import { mergeArea, type Release, RowsBuilder, readIdWords, readKnown, textsOf } from './price-paid-area.ts';
import { SalesEncoder } from './price-paid-encoder.ts';
import { formatId, type SaleFields, type SaleRecord } from './price-paid-records.ts';
import { AreaSpill } from './price-paid-spill.ts';
import { AreaWords, IdTable } from './price-paid-words.ts';

/** Areas by number: a packed postcode's, or the one after all for sales without postcode. */
const unplaced = packedLimit / packedPerArea;

type AreaState = SalesIndex['areas'][number];
export type Built = Pick<SalesIndex, 'areas' | 'areaOfTown'>;

type ChangedArea = {
  readonly kind: 'changed';
  readonly area: string;
  readonly rows: SaleRows;
  readonly words: SaleWords;
};
type FinishedArea = 'empty' | { readonly kind: 'kept'; readonly state: AreaState } | ChangedArea;

/** The release before, where its sales are to be built on. */
export type Before = { readonly release: Release; readonly index: SalesIndex };

export class SalesBuild {
  readonly #into: Into;
  readonly #spills = new Map<number, AreaSpill>();
  /** Of every sale in the files, the number of the area that the last record puts it into. */
  #ids: IdTable;

  /** `expectedRows` spares the growing of tables; it need not be right. */
  constructor(into: Into, expectedRows: number) {
    this.#into = into;
    this.#ids = new IdTable(expectedRows);
  }

  add(row: CsvRow, fields: SaleFields, record: SaleRecord): void {
    const { postcode, idWords } = record;
    const area = postcode === noPostcode ? unplaced : Math.floor(postcode / packedPerArea);
    const before = this.#ids.put(idWords, 0, area);
    if (before !== -1 && before !== area) this.#spills.get(before)?.addDeletion(idWords);
    const spill = this.#spills.get(area) ?? this.#openSpill(area, areaName(postcode));
    if (record.status === 'live') spill.add(row, fields, record);
    else spill.addDeletion(idWords);
  }

  #openSpill(number: number, area: string): AreaSpill {
    const spill = new AreaSpill(area, this.#into.scratch);
    this.#spills.set(number, spill);
    return spill;
  }

  async finish(before: Before | undefined): Promise<Built> {
    const encoder = new SalesEncoder();
    try {
      return await this.#finishAll(before, encoder);
    } finally {
      await encoder.close();
    }
  }

  async #finishAll(before: Before | undefined, encoder: SalesEncoder): Promise<Built> {
    const areaOfTown = this.#tellTowns(before);
    if (before !== undefined) this.#unplaceStrays(before, areaOfTown);
    // Without a release before, nothing is left to compare with.
    else this.#ids = new IdTable();
    const states: AreaState[] = [];
    const left = this.#placeByTown(before, areaOfTown);
    if (left !== undefined) states.push(await this.#write(left, encoder));
    const areas = new Set([...this.#spills.values()].map(({ area }) => area));
    for (const { area } of before?.index.areas ?? []) if (area !== unplacedArea) areas.add(area);
    const names = [...areas].sort();
    let last: Promise<AreaState> | undefined;
    for (const [done, area] of names.entries()) {
      this.#into.progress({ phase: 'Writing the areas', done, total: names.length });
      const finished = this.#finishArea(before, area, numberOf(area));
      if (finished === 'empty') continue;
      if (finished.kind === 'kept') {
        states.push(finished.state);
        continue;
      }
      // The last area is encoded while this one is put together.
      if (last !== undefined) states.push(await last);
      last = this.#write(finished, encoder);
    }
    if (last !== undefined) states.push(await last);
    return { areas: states.toSorted((a, b) => (a.area < b.area ? -1 : 1)), areaOfTown };
  }

  /** Towns whose sales all lie in one area tell where a sale without postcode belongs. */
  #tellTowns(before: Before | undefined): Map<string, string> {
    const areaOfTown = new Map(before?.index.areaOfTown);
    for (const { area, words } of this.#spills.values()) {
      if (area === unplacedArea) continue;
      for (const town of townsOf(words.all)) {
        const known = areaOfTown.get(town);
        if (known !== area) areaOfTown.set(town, known === undefined ? area : '');
      }
    }
    return areaOfTown;
  }

  /** Sales that were placed by their town lose that place when the town turns out to lie in several areas. */
  #unplaceStrays({ release, index }: Before, areaOfTown: ReadonlyMap<string, string>): void {
    const areas = new Set<string>();
    for (const [town, area] of index.areaOfTown) {
      if (area !== '' && areaOfTown.get(town) === '') areas.add(area);
    }
    for (const area of areas) {
      const words = new AreaWords();
      const known = readKnown(release, area, words);
      for (const [row, postcode] of known.rows.postcodes.entries()) {
        if (postcode !== noPostcode) continue;
        const texts = textsOf(known, words, row);
        if (areaOfTown.get(townKey(texts.names)) !== '' || this.#ids.find(texts.idWords, 0) !== -1) continue;
        this.#ids.put(texts.idWords, 0, unplaced);
        (this.#spills.get(unplaced) ?? this.#openSpill(unplaced, unplacedArea)).addTexts(texts);
      }
    }
  }

  #placeByTown(before: Before | undefined, areaOfTown: ReadonlyMap<string, string>): ChangedArea | undefined {
    const spill = this.#spills.get(unplaced) ?? new AreaSpill(unplacedArea, this.#into.scratch);
    const known = readKnown(before?.release, unplacedArea, spill.words);
    const merged = mergeArea(known, spill.take(), this.#isNotIn(unplaced), () => {});
    const left = new RowsBuilder(merged.rows.days.length);
    for (let row = 0; row < merged.rows.days.length; row++) {
      const texts = textsOf(merged, spill.words, row);
      const area = areaOfTown.get(townKey(texts.names));
      if (area !== undefined && area !== '') {
        const number = numberOf(area);
        (this.#spills.get(number) ?? this.#openSpill(number, area)).addTexts(texts);
        continue;
      }
      left.copy(merged.rows, merged.idWords, row);
      const id = formatId(new Uint8Array(texts.idWords.buffer));
      this.#into.tally.reject('no postcode, and its town does not tell the area', `transaction ${id}`);
    }
    this.#spills.delete(unplaced);
    if (left.length === 0) return undefined;
    return { kind: 'changed', area: unplacedArea, rows: left.built, words: spill.words.all };
  }

  readonly #isNotIn = (number: number) => (words: Uint32Array, at: number) => {
    const mark = this.#ids.find(words, at);
    return mark !== -1 && mark !== number;
  };

  #finishArea(before: Before | undefined, area: string, number: number): FinishedArea {
    const spill = this.#spills.get(number);
    this.#spills.delete(number);
    const state = before?.index.areas.find((known) => known.area === area);
    if (state !== undefined && before !== undefined && spill === undefined) {
      if (!this.#hasLost(before.release, area, number)) return this.#keep(state);
    }
    const words = spill?.words ?? new AreaWords();
    const known = readKnown(state && before?.release, area, words);
    const merged = mergeArea(
      known,
      spill?.take() ?? new Uint32Array(0),
      this.#isNotIn(number),
      (fate, ids, at) => {
        const id = formatId(new Uint8Array(ids.slice(at, at + 4).buffer));
        this.#into.tally.revise(`sale ${fate} by a later record`, `transaction ${id}`);
      },
    );
    if (!merged.hasChanged && state !== undefined) return this.#keep(state);
    return merged.rows.days.length === 0
      ? 'empty'
      : { kind: 'changed', area, rows: merged.rows, words: words.all };
  }

  /** Whether the files put a sale of this area elsewhere, or delete it. */
  #hasLost(release: Release, area: string, number: number): boolean {
    if (this.#ids.size === 0) return false;
    const ids = readIdWords(release, area);
    const isNotHere = this.#isNotIn(number);
    for (let at = 0; at < ids.length; at += 4) if (isNotHere(ids, at)) return true;
    return false;
  }

  #keep(state: AreaState): FinishedArea {
    this.#into.keepPart(salesPart(state.area));
    this.#into.keepPart(saleIdsPart(state.area));
    return { kind: 'kept', state };
  }

  async #write({ area, rows, words }: ChangedArea, encoder: SalesEncoder): Promise<AreaState> {
    const count = rows.days.length;
    let newestDay = 0;
    for (const day of rows.days) if (day > newestDay) newestDay = day;
    const parts = await encoder.encode({ rows, words });
    this.#into.writeEncoded(salesPart(area), parts.sales);
    this.#into.writeEncoded(saleIdsPart(area), parts.ids);
    return { area, rows: count, newestDay };
  }
}

function areaName(postcode: number): string {
  return postcode === noPostcode
    ? unplacedArea
    : (parsePostcode(unpackPostcode(postcode))?.area ?? unplacedArea);
}

/** The number of an area known by its name: that of any postcode that could be in it. */
function numberOf(area: string): number {
  if (area === unplacedArea) return unplaced;
  const postcode = parsePostcode(area === 'GIR' ? 'GIR 0AA' : `${area}1 1AA`);
  if (postcode === undefined) throw new RangeError(`${area} is not a postcode area.`);
  return Math.floor(packPostcode(postcode) / packedPerArea);
}

function* townsOf({ places, names }: SaleWords): Generator<string> {
  const seen = new Set<string>();
  for (let at = 0; at < places.length; at += placeFields) {
    const [town = 0, district = 0, county = 0] = places.subarray(at + 2, at + placeFields);
    const key = `${town} ${district} ${county}`;
    if (seen.has(key)) continue;
    seen.add(key);
    yield townKey(['', names[town] ?? '', names[district] ?? '', names[county] ?? '']);
  }
}

const townKey = ([, town, district, county]: readonly [string, string, string, string]) =>
  `${town}\n${district}\n${county}`;
