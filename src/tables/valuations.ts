// Valuation lists: the addresses of each postcode with their council tax bands. There is one part per postcode area, in
// which addresses share their endings (a street and town, a block of flats).

import { indexIn, lowerBound } from '../columns/sorted.ts';
import { defined } from '../out-of-range.ts';
import {
  ends,
  f64,
  i32,
  into,
  intoPart,
  oneOf,
  orNone,
  rising,
  starts,
  strings,
  u8,
  u16,
  u32,
} from '../release/column.ts';
import type { Columns } from '../release/part.ts';
import { oncePerRelease, type Release } from '../release/reader.ts';
import { table, type Views } from '../release/table.ts';
import { type Endings, learnEndings } from '../uk/address/lines.ts';
import { type Postcode, packPostcode, parsePostcode, unpackPostcode } from '../uk/postcode.ts';
import { openAuthorities } from './council-tax/authorities.ts';
import { openPostcodes } from './postcodes/postcodes.ts';

/** Names the lists; the entries are in parts by area. */
export const valuationListsPart = 'valuation-lists';
export const valuationsPart = (area: string): string => `valuations-${area.toLowerCase()}`;

export const valuationBands = 'ABCDEFGHI';

const origin = { dataset: 'valuations', layout: 1 } as const;

export const valuationListsTable = table({
  part: valuationListsPart,
  origin,
  about: 'The lists that were loaded.',
  order: 'as loaded',
  columns: {
    name: strings('list', 'tells it from other lists'),
    authority: strings('list', 'GSS code of the authority; empty where the list does not say'),
    postcode: u32('postcode', 'packed (`src/uk/postcode.ts`): some of each list, evenly from all of them'),
    'postcodes-end': ends('list', 'postcode'),
    day: i32('list', 'of which day it is, in days since 1970-01-01'),
    homes: u32('list', 'how many it has'),
  },
});

const valuationColumns = {
  postcode: u32('postcode', 'packed (`src/uk/postcode.ts`)', rising),
  first: starts('postcode', 'entry'),
  band: u8('entry', 'council tax band', oneOf([...valuationBands])),
  list: u16('entry', 'the list that it is from', intoPart(valuationListsPart, 'list')),
  beginning: strings('entry', 'how its address begins; the ending follows'),
  ending: u32('entry', 'how its address ends', into('ending')),
  endings: strings('ending', 'each ending once'),
  effective: i32('entry', 'first day of the band, in days since 1970-01-01; −2³¹: none'),
  reference: strings(orNone('entry'), "the authority's reference; empty: none"),
  uprn: f64(orNone('entry'), 'unique property reference number; 0: none'),
};

const tableIn = (part: string) =>
  table({
    part,
    origin,
    about: 'Addresses of one postcode area with their bands.',
    order: 'by postcode, then address',
    columns: valuationColumns,
  });
export const valuationsTable = (area: string) => tableIn(valuationsPart(area));

/** One council's list. */
export type ValuationList = {
  /** The same for every edition of a list. */
  readonly name: string;
  /** GSS code of the authority; empty where its file does not say. */
  readonly authority: string;
  /** The day that it is of. */
  readonly day: number;
  /** Some of its postcodes, evenly from all of them: where they lie tells whose list it is. */
  readonly postcodes: readonly number[];
  /** How many it has. */
  readonly homes: number;
};

export type Valuation = {
  /** Without the postcode. */
  readonly address: string;
  /** A to I. */
  readonly band: string;
  /** The authority's own reference; empty where the list has none. */
  readonly reference: string;
  /** 0 where the list has none. */
  readonly uprn: number;
  /** Day from which the band applies. */
  readonly effective: number | undefined;
  readonly list: ValuationList;
};

/** As a source collects it. */
export type ValuationRow = Omit<Valuation, 'list'> & {
  /** Packed. */
  readonly postcode: number;
  /** Index of its list. */
  readonly list: number;
};

const noDay = -0x8000_0000;
const postcodesKept = 200;

/** `rows` are those of all lists. */
export function encodeValuationLists(
  lists: readonly Omit<ValuationList, 'postcodes' | 'homes'>[],
  rows: readonly ValuationRow[],
): Columns {
  const byList = Map.groupBy(rows, ({ list }) => list);
  const kept = lists.map((_, index) =>
    spread([...new Set(byList.get(index)?.map(({ postcode }) => postcode))].sort((a, b) => a - b)),
  );
  return valuationListsTable.encode({
    name: lists.map(({ name }) => name),
    authority: lists.map(({ authority }) => authority),
    postcode: Uint32Array.from(kept.flat()),
    'postcodes-end': Uint32Array.from(lists, (_, index) => kept.slice(0, index + 1).flat().length),
    day: Int32Array.from(lists, ({ day }) => day),
    homes: Uint32Array.from(lists, (_, index) => byList.get(index)?.length ?? 0),
  });
}

/** At most `postcodesKept` of them, evenly. */
function spread(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= postcodesKept) return sorted;
  return Array.from({ length: postcodesKept }, (_, at) =>
    defined(sorted[Math.floor((at * sorted.length) / postcodesKept)]),
  );
}

/** `rows` of the postcode area, in any order. */
export function encodeValuations(area: string, rows: readonly ValuationRow[]): Columns {
  // Flat 2 before Flat 10.
  const { compare } = new Intl.Collator('en', { numeric: true });
  const ordered = [...rows].sort((a, b) => a.postcode - b.postcode || compare(a.address, b.address));
  const postcodes: number[] = [];
  const firsts: number[] = [];
  const endings = new Map<string, number>();
  const endingOf: number[] = [];
  const beginnings: string[] = [];
  for (const [index, { postcode, address }] of ordered.entries()) {
    if (postcodes.at(-1) !== postcode) {
      postcodes.push(postcode);
      firsts.push(index);
    }
    const comma = address.indexOf(', ');
    const ending = comma === -1 ? '' : address.slice(comma);
    const known = endings.get(ending) ?? endings.size;
    endings.set(ending, known);
    endingOf.push(known);
    beginnings.push(address.slice(0, address.length - ending.length));
  }
  const hasReferences = ordered.some(({ reference }) => reference !== '');
  const hasUprns = ordered.some(({ uprn }) => uprn !== 0);
  return valuationsTable(area).encode({
    postcode: Uint32Array.from(postcodes),
    first: Uint32Array.from([...firsts, ordered.length]),
    band: Uint8Array.from(ordered, ({ band }) => valuationBands.indexOf(band)),
    list: Uint16Array.from(ordered, ({ list }) => list),
    beginning: beginnings,
    ending: Uint32Array.from(endingOf),
    endings: [...endings.keys()],
    effective: Int32Array.from(ordered, ({ effective }) => effective ?? noDay),
    reference: hasReferences ? ordered.map(({ reference }) => reference) : [],
    uprn: Float64Array.from(hasUprns ? ordered : [], ({ uprn }) => uprn),
  });
}

type AreaColumns = Views<typeof valuationColumns>;

/** Entries on either side of a postcode that are looked at. */
const aroundEachSide = 600;

/** Addresses without commas of the postcodes around one. */
function* linesAround(columns: AreaColumns, packed: number): Generator<string> {
  const at = lowerBound(columns.postcode, packed);
  const middle = defined(columns.first[at]);
  const end = Math.min(columns.beginning.length, middle + aroundEachSide);
  for (let index = Math.max(0, middle - aroundEachSide); index < end; index += 1) {
    if (columns.endings.at(defined(columns.ending[index])) === '') yield columns.beginning.at(index);
  }
}

export class Valuations {
  readonly lists: readonly ValuationList[];
  readonly #release: Release;
  readonly #areas = new Map<string, AreaColumns>();
  /** By district. */
  readonly #endings = new Map<string, Endings>();

  constructor(release: Release, lists: readonly ValuationList[]) {
    this.#release = release;
    this.lists = lists;
  }

  /** In the order of their addresses; none where no list has the postcode. */
  entriesOf(postcode: Postcode): readonly Valuation[] {
    const columns = this.#columnsOf(postcode);
    if (columns === undefined) return [];
    const at = indexIn(columns.postcode, packPostcode(postcode));
    if (at === -1) return [];
    const start = defined(columns.first[at]);
    const end = defined(columns.first[at + 1]);
    return Array.from({ length: end - start }, (_, index) => this.#entry(columns, start + index));
  }

  /** What lines without commas end with around a postcode, as the lines of its district and the next ones show. */
  endingsAround(postcode: Postcode): Endings {
    const known = this.#endings.get(postcode.outcode);
    if (known !== undefined) return known;
    const columns = this.#columnsOf(postcode);
    const endings =
      columns === undefined ? new Map() : learnEndings(linesAround(columns, packPostcode(postcode)));
    this.#endings.set(postcode.outcode, endings);
    return endings;
  }

  /** Undefined where no list has the postcode area. */
  #columnsOf({ area }: Postcode): AreaColumns | undefined {
    const own = valuationsTable(area);
    if (!own.isIn(this.#release)) return undefined;
    const columns = this.#areas.get(area) ?? own.open(this.#release);
    this.#areas.set(area, columns);
    return columns;
  }

  /** Every row, as it was given to encodeValuations; for building the next release. */
  *rowsOf(part: string): Generator<ValuationRow> {
    const columns = tableIn(part).open(this.#release);
    for (const [at, postcode] of columns.postcode.entries()) {
      const end = defined(columns.first[at + 1]);
      for (let index = defined(columns.first[at]); index < end; index += 1) {
        yield { ...this.#entry(columns, index), postcode, list: defined(columns.list[index]) };
      }
    }
  }

  #entry(columns: AreaColumns, index: number): Valuation {
    const effective = defined(columns.effective[index]);
    return {
      address: columns.beginning.at(index) + columns.endings.at(defined(columns.ending[index])),
      band: defined(valuationBands[defined(columns.band[index])]),
      reference: columns.reference.length === 0 ? '' : columns.reference.at(index),
      uprn: columns.uprn.length === 0 ? 0 : defined(columns.uprn[index]),
      effective: effective === noDay ? undefined : effective,
      list: defined(this.lists[defined(columns.list[index])]),
    };
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('valuations')` first. */
export const openValuations: (release: Release) => Valuations = oncePerRelease((release) => {
  const {
    name: names,
    authority,
    postcode,
    'postcodes-end': postcodesEnd,
    day: days,
    homes,
  } = valuationListsTable.open(release);
  let start = 0;
  const lists = names.list().map((name, index) => {
    const day = defined(days[index]);
    const end = defined(postcodesEnd[index]);
    const postcodes = [...postcode.subarray(start, end)];
    start = end;
    return { name, authority: authority.at(index), day, postcodes, homes: defined(homes[index]) };
  });
  return new Valuations(release, lists);
});

// Which authorities the loaded valuation lists cover. Some lists name their authority; for the others it follows from where
// their postcodes lie.

/** A list belongs to the authorities in which so much of it lies; strays across a border are fewer. */
const ownShare = 0.2;

/** Homes of each authority in the loaded lists, by its codes: as the lists say, else by where their postcodes lie. */
export const listedHomes: (release: Release) => ReadonlyMap<string, number> = oncePerRelease((release) => {
  const authorities = openAuthorities(release);
  const postcodes = openPostcodes(release);
  const homes = new Map<string, number>();
  const add = (code: string, count: number) => {
    // A list or a postcode may have a code from before a merger.
    for (const known of new Set([code, authorities.find(code)?.code ?? code]))
      homes.set(known, (homes.get(known) ?? 0) + count);
  };
  for (const list of openValuations(release).lists) {
    if (list.authority !== '') {
      add(list.authority, list.homes);
      continue;
    }
    const found = list.postcodes.flatMap((packed) => {
      const postcode = parsePostcode(unpackPostcode(packed));
      return (postcode === undefined ? undefined : postcodes.find(postcode)?.authorityCode) ?? [];
    });
    for (const [code, those] of Map.groupBy(found, (code) => code)) {
      const share = those.length / found.length;
      if (share >= ownShare) add(code, Math.round(share * list.homes));
    }
  }
  return homes;
});
