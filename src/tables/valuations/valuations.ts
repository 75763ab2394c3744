// Valuation lists: per postcode the addresses with their council tax band. One part per postcode area, in which
// addresses share their common endings (a street and town, a block of flats) with each other.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { type Postcode, packPostcode } from '../../uk/postcode.ts';

/** Names the lists; the entries are in parts by area. */
export const valuationListsPart = 'valuation-lists';
export const valuationsPart = (area: string): string => `valuations-${area.toLowerCase()}`;

export const valuationBands = 'ABCDEFGHI';

/** One council's list. */
export type ValuationList = {
  /** Tells it from other lists, and a new edition of it by. */
  readonly name: string;
  /** GSS code of the authority; empty where its file does not say. */
  readonly authority: string;
  /** Some of its postcodes, evenly from all of them: where they lie tells whose list it is. */
  readonly postcodes: readonly number[];
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
/** Flat 2 before Flat 10. */
const postcodesKept = 200;

/** `rows` are those of all lists. */
export function encodeValuationLists(
  lists: readonly Omit<ValuationList, 'postcodes'>[],
  rows: readonly ValuationRow[],
): Columns {
  const byList = Map.groupBy(rows, ({ list }) => list);
  const kept = lists.map((_, index) =>
    spread([...new Set(byList.get(index)?.map(({ postcode }) => postcode))].sort((a, b) => a - b)),
  );
  return {
    name: lists.map(({ name }) => name),
    authority: lists.map(({ authority }) => authority),
    postcode: Uint32Array.from(kept.flat()),
    'postcodes-end': Uint32Array.from(lists, (_, index) => kept.slice(0, index + 1).flat().length),
  };
}

/** At most `postcodesKept` of them, evenly. */
function spread(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= postcodesKept) return sorted;
  return Array.from(
    { length: postcodesKept },
    (_, at) => sorted[Math.floor((at * sorted.length) / postcodesKept)] ?? outOfRange(),
  );
}

/** `rows` of one postcode area, in any order. */
export function encodeValuations(rows: readonly ValuationRow[]): Columns {
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
  return {
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
  };
}

type AreaColumns = ReturnType<typeof openArea>;

function openArea(release: Release, name: string) {
  const part = release.part(name);
  return {
    postcode: part.u32('postcode'),
    first: part.u32('first'),
    band: part.u8('band'),
    list: part.u16('list'),
    beginning: part.strings('beginning'),
    ending: part.u32('ending'),
    endings: part.strings('endings'),
    effective: part.i32('effective'),
    reference: part.strings('reference'),
    uprn: part.f64('uprn'),
  };
}

export class Valuations {
  readonly lists: readonly ValuationList[];
  readonly #release: Release;
  readonly #areas = new Map<string, AreaColumns>();

  constructor(release: Release, lists: readonly ValuationList[]) {
    this.#release = release;
    this.lists = lists;
  }

  /** In the order of their addresses; none where no list has the postcode. */
  entriesOf(postcode: Postcode): readonly Valuation[] {
    const name = valuationsPart(postcode.area);
    if (!this.#release.has(name)) return [];
    const columns = this.#areas.get(name) ?? openArea(this.#release, name);
    this.#areas.set(name, columns);
    const at = indexOf(columns.postcode, packPostcode(postcode));
    const start = columns.first[at];
    const end = columns.first[at + 1];
    if (at === -1 || start === undefined || end === undefined) return [];
    return Array.from({ length: end - start }, (_, index) => this.#entry(columns, start + index));
  }

  /** Every row, as it was given to encodeValuations; for building the next release. */
  *rowsOf(name: string): Generator<ValuationRow> {
    const columns = openArea(this.#release, name);
    for (const [at, postcode] of columns.postcode.entries()) {
      const end = columns.first[at + 1] ?? outOfRange();
      for (let index = columns.first[at] ?? outOfRange(); index < end; index += 1) {
        yield { ...this.#entry(columns, index), postcode, list: columns.list[index] ?? outOfRange() };
      }
    }
  }

  #entry(columns: AreaColumns, index: number): Valuation {
    const list = this.lists[columns.list[index] ?? -1];
    const effective = columns.effective[index] ?? noDay;
    if (list === undefined) throw new RangeError(`Valuation ${index} belongs to no list.`);
    return {
      address: columns.beginning.at(index) + columns.endings.at(columns.ending[index] ?? -1),
      band: valuationBands.charAt(columns.band[index] ?? -1),
      reference: columns.reference.length === 0 ? '' : columns.reference.at(index),
      uprn: columns.uprn[index] ?? outOfRange(),
      effective: effective === noDay ? undefined : effective,
      list,
    };
  }
}

function indexOf(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? outOfRange()) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : -1;
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('valuations')` first. */
export const openValuations: (release: Release) => Valuations = oncePerRelease((release) => {
  const part = release.part(valuationListsPart);
  const names = part.strings('name');
  const authorities = part.strings('authority');
  const postcodes = part.u32('postcode');
  const ends = part.u32('postcodes-end');
  const lists = Array.from({ length: names.length }, (_, index) => ({
    name: names.at(index),
    authority: authorities.at(index),
    postcodes: [...postcodes.subarray(ends[index - 1] ?? outOfRange(), ends[index])],
  }));
  return new Valuations(release, lists);
});
