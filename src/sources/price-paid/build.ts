// From records to parts: every record goes to its area, sales without postcode to the area of their town, and every area
// that changes is written anew. The others keep their parts.

import type { CsvRow } from '../../ingest/read/csv.ts';
import type { Into } from '../../ingest/source.ts';
import { type Rejects, Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import { encodeSaleParts, type SaleParts } from '../../tables/sales/encode.ts';
import { noPostcode, placeFields, type SaleRows, type SaleWords } from '../../tables/sales/rows.ts';
import type { SalesIndex } from '../../tables/sales/sales.ts';
import { saleIdsPart, salesPart, unplacedArea } from '../../tables/sales/table.ts';
import {
  packedLimit,
  packedPerArea,
  packPostcode,
  parsePostcode,
  unpackPostcode,
} from '../../uk/postcode.ts';
import { knownIn, mergeArea, pickRows, type Release, recordsOf, textsOf } from './area.ts';
import type { AreaJob, FinishedArea } from './finish.ts';
import { type AreaFinisher, openFinishers } from './finishers.ts';
import { IdTable } from './ids.ts';
import { formatId, type SaleFields, type SaleRecord } from './records.ts';
import { AreaSpill } from './spill.ts';

/** Areas have numbers: that of their packed postcodes, and this one, after all of them, for sales without postcode. */
const unplaced = packedLimit / packedPerArea;

type AreaState = SalesIndex['areas'][number];
type Built = Pick<SalesIndex, 'areas' | 'areaOfTown'> & {
  /** `same` where every area is as the release before has it. */
  readonly outcome: 'same' | 'changed';
};

type Unplaced = { readonly rows: SaleRows; readonly words: SaleWords };

/** The release before, where its sales are built on. */
export type Before = { readonly release: Release; readonly index: SalesIndex };

export class SalesBuild {
  readonly #into: Into;
  readonly #spills = new Map<number, AreaSpill>();
  /** For every sale in the files: the number of the area that the last record puts it into. */
  #ids: IdTable;
  #outcome: Built['outcome'] = 'same';

  /** `expectedRows` saves growing the tables; it need not be exact. */
  constructor(into: Into, expectedRows: number) {
    this.#into = into;
    this.#ids = IdTable.empty(expectedRows);
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

  /** A record that does not count says in which area its town lies all the same: where a sale without postcode belongs must
   *  not depend on which file came first. */
  tellTown(row: CsvRow, fields: SaleFields, { postcode, status }: SaleRecord): void {
    if (status !== 'live' || postcode === noPostcode) return;
    const area = Math.floor(postcode / packedPerArea);
    (this.#spills.get(area) ?? this.#openSpill(area, areaName(postcode))).placeOf(row, fields);
  }

  /** The sales that the files added so far speak of. */
  get ids(): IdTable {
    return this.#ids;
  }

  #openSpill(number: number, area: string): AreaSpill {
    const spill = new AreaSpill(area, this.#into.scratch);
    this.#spills.set(number, spill);
    return spill;
  }

  async finish(before: Before | undefined): Promise<Built> {
    const areaOfTown = this.#tellTowns(before);
    if (before !== undefined) this.#unplaceStrays(before, areaOfTown);
    // Without a release before there is nothing to compare with.
    else this.#ids = IdTable.empty();
    const left = this.#placeByTown(before, areaOfTown);
    const states = left === undefined ? [] : [await this.#writeUnplaced(left)];
    states.push(...(await this.#finishAreas(before)));
    return {
      areas: states.toSorted((a, b) => (a.area < b.area ? -1 : 1)),
      areaOfTown,
      outcome: before === undefined ? 'changed' : this.#outcome,
    };
  }

  /** All areas but the unplaced sales. The largest comes first, so that no thread is left alone with it at the end. */
  async #finishAreas(before: Before | undefined): Promise<readonly AreaState[]> {
    const sizes = new Map<string, number>();
    for (const { area, rows } of before?.index.areas ?? []) if (area !== unplacedArea) sizes.set(area, rows);
    for (const { area, length } of this.#spills.values()) sizes.set(area, (sizes.get(area) ?? 0) + length);
    const queue = [...sizes].sort(([, a], [, b]) => b - a).map(([area]) => area);
    if (queue.length === 0) return [];
    const sales = [...sizes.values()].reduce((sum, rows) => sum + rows, 0);
    const inputs = { release: before?.release, whereabouts: this.#ids };
    const finishers = openFinishers(inputs, queue.length, sales);
    const finished = new Map<string, AreaState | undefined>();
    const revised = new Map<string, readonly Rejects[]>();
    const work = async (finisher: AreaFinisher) => {
      let written = Promise.resolve();
      try {
        for (let area = queue.shift(); area !== undefined; area = queue.shift()) {
          this.#into.progress({ phase: 'Writing the areas', done: finished.size, total: sizes.size });
          // The area before is written while this one is put together.
          const [done] = await Promise.all([finisher.finish(this.#jobOf(area)), written]);
          finished.set(area, stateOf(area, done, before));
          if (done.kind === 'kept') this.#keep(area);
          else {
            revised.set(area, done.revised);
            if (done.kind === 'changed' || before?.index.areas.some((known) => known.area === area))
              this.#outcome = 'changed';
          }
          if (done.kind === 'changed') written = this.#write(area, done.parts);
        }
      } finally {
        // Also after a fault: nothing may be written once the build is removed.
        await written;
      }
    };
    try {
      const outcomes = await Promise.allSettled(
        finishers.map((finisher) => work(finisher).finally(() => queue.splice(0))),
      );
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    } finally {
      await Promise.all(finishers.map((finisher) => finisher.close()));
    }
    const areas = [...finished.keys()].sort();
    for (const area of areas) this.#into.tally.reviseAll(revised.get(area) ?? []);
    return areas.flatMap((area) => finished.get(area) ?? []);
  }

  /** A town whose sales all lie in one area tells where a sale without postcode belongs. */
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

  /** A sale that came to its area through its town leaves it when the town turns out to lie in several areas. */
  #unplaceStrays({ release, index }: Before, areaOfTown: ReadonlyMap<string, string>): void {
    const areas = new Set<string>();
    for (const [town, area] of index.areaOfTown) {
      if (area !== '' && areaOfTown.get(town) === '') areas.add(area);
    }
    for (const area of areas) {
      const known = knownIn(release, area);
      for (const [row, postcode] of known.rows.postcodes.entries()) {
        if (postcode !== noPostcode) continue;
        const texts = textsOf(known, row);
        if (areaOfTown.get(townKey(texts.names)) !== '' || this.#ids.find(texts.idWords, 0) !== -1) continue;
        this.#ids.put(texts.idWords, 0, unplaced);
        (this.#spills.get(unplaced) ?? this.#openSpill(unplaced, unplacedArea)).addTexts(texts);
      }
    }
  }

  /** Undefined where no sale is left without an area. */
  #placeByTown(before: Before | undefined, areaOfTown: ReadonlyMap<string, string>): Unplaced | undefined {
    const spilled = this.#spills.get(unplaced)?.close();
    this.#spills.delete(unplaced);
    const known = knownIn(before?.release, unplacedArea);
    // Sales that now find their area are not reported.
    const merged = mergeArea(known, recordsOf(spilled), this.#ids, unplaced, new Tally());
    const sales = merged.kind === 'same' ? known : merged;
    const left: number[] = [];
    for (let row = 0; row < sales.rows.days.length; row++) {
      const texts = textsOf(sales, row);
      const area = areaOfTown.get(townKey(texts.names));
      if (area !== undefined && area !== '') {
        const number = numberOf(area);
        (this.#spills.get(number) ?? this.#openSpill(number, area)).addTexts(texts);
        continue;
      }
      left.push(row);
      // Those of the release before were told when they came.
      if (before !== undefined && this.#ids.find(texts.idWords, 0) === -1) continue;
      const id = formatId(new Uint8Array(texts.idWords.buffer));
      this.#into.tally.reject('no postcode, and its town does not decide the area', `transaction ${id}`);
    }
    if (merged.kind === 'changed' || left.length < known.rows.days.length) this.#outcome = 'changed';
    return left.length === 0 ? undefined : { rows: pickRows(sales.rows, left), words: sales.words };
  }

  #jobOf(area: string): AreaJob {
    const number = numberOf(area);
    const spilled = this.#spills.get(number)?.close();
    this.#spills.delete(number);
    return { area, number, spilled };
  }

  #keep(area: string): void {
    this.#into.keepPart(salesPart(area));
    this.#into.keepPart(saleIdsPart(area));
  }

  async #write(area: string, parts: SaleParts): Promise<void> {
    await this.#into.writeEncoded(salesPart(area), parts.sales);
    await this.#into.writeEncoded(saleIdsPart(area), parts.ids);
  }

  async #writeUnplaced({ rows, words }: Unplaced): Promise<AreaState> {
    await this.#write(unplacedArea, encodeSaleParts(rows, words));
    return { area: unplacedArea, rows: rows.days.length, newestDay: defined(rows.days[0]) };
  }
}

/** The area's new entry in the index; undefined where it has no sales any more. */
function stateOf(area: string, finished: FinishedArea, before: Before | undefined): AreaState | undefined {
  if (finished.kind === 'empty') return undefined;
  if (finished.kind === 'kept') return before?.index.areas.find((state) => state.area === area);
  return { area, rows: finished.rows, newestDay: finished.newestDay };
}

function areaName(postcode: number): string {
  return postcode === noPostcode ? unplacedArea : defined(parsePostcode(unpackPostcode(postcode))?.area);
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
    const town = defined(places[at + 2]);
    const district = defined(places[at + 3]);
    const county = defined(places[at + 4]);
    const key = `${town} ${district} ${county}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const name = (code: number) => defined(names[code]);
    yield townKey(['', name(town), name(district), name(county)]);
  }
}

const townKey = ([, town, district, county]: readonly [string, string, string, string]) =>
  `${town}\n${district}\n${county}`;
