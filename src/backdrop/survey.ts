// What the backdrop needs of a whole release: where its postcodes lie, and how many every ward and authority has with their middle.
// It goes through every postcode once, in short turns, so that calls are answered meanwhile.

import { setImmediate } from 'node:timers/promises';
import { defined } from '../out-of-range.ts';
import type { Release } from '../release/reader.ts';
import { findPlaceNames, type PlaceNames } from '../tables/postcodes/place-names.ts';
import { openPostcodes, type Postcodes } from '../tables/postcodes/postcodes.ts';
import type { Grid } from './cells.ts';
import { PostcodeCells } from './postcode-cells.ts';
import { type TileAddress, worldOf } from './tile-address.ts';

type Name = {
  readonly kind: 'authority' | 'ward';
  readonly name: string;
  readonly postcodes: number;
  /** Mean of its postcodes, in the square of the world. */
  readonly x: number;
  readonly y: number;
};

export type Survey = {
  readonly names: readonly Name[];
  /** Undefined where nobody lives. */
  readonly gridOf: (tile: TileAddress) => Promise<Grid | undefined>;
};

/** About two milliseconds each. */
const rowsATurn = 20_000;
const placesATurn = 1_000;

export async function surveyOf(release: Release): Promise<Survey> {
  if (release.findDataset('postcodes') === undefined) return { names: [], gridOf: async () => undefined };
  const postcodes = openPostcodes(release);
  const places = new Places();
  const cells = new PostcodeCells();
  for (let from = 0; from < postcodes.size; from += rowsATurn) {
    postcodes.eachInUse(
      (place, latitudeMicro, longitudeMicro, row) => {
        const { x, y } = worldOf(latitudeMicro / 1e6, longitudeMicro / 1e6);
        places.add(place, x, y, row);
        cells.add(x, y);
      },
      from,
      Math.min(from + rowsATurn, postcodes.size),
    );
    await setImmediate();
  }
  const names = findPlaceNames(release);
  return {
    names: names === undefined ? [] : await nameAreas(places, postcodes, names),
    gridOf: (tile) => cells.gridOf(tile),
  };
}

/** Sums over what postcodes have in common, in columns: there are some hundred thousand. */
class Places {
  #counts = new Uint32Array(1_024);
  #xs = new Float64Array(1_024);
  #ys = new Float64Array(1_024);
  /** A row of each, to find out what it is. */
  #rows = new Uint32Array(1_024);

  add(place: number, x: number, y: number, row: number): void {
    if (place >= this.#counts.length) this.#grow(place);
    this.#counts[place] = defined(this.#counts[place]) + 1;
    this.#xs[place] = defined(this.#xs[place]) + x;
    this.#ys[place] = defined(this.#ys[place]) + y;
    this.#rows[place] = row;
  }

  get size(): number {
    return this.#counts.length;
  }

  /** `count` is 0 where no postcode in use is of it. */
  at(place: number): {
    readonly count: number;
    readonly x: number;
    readonly y: number;
    readonly row: number;
  } {
    return {
      count: defined(this.#counts[place]),
      x: defined(this.#xs[place]),
      y: defined(this.#ys[place]),
      row: defined(this.#rows[place]),
    };
  }

  #grow(place: number): void {
    const size = 2 ** Math.ceil(Math.log2(place + 1));
    const [counts, xs, ys, rows] = [this.#counts, this.#xs, this.#ys, this.#rows];
    this.#counts = new Uint32Array(size);
    this.#xs = new Float64Array(size);
    this.#ys = new Float64Array(size);
    this.#rows = new Uint32Array(size);
    this.#counts.set(counts);
    this.#xs.set(xs);
    this.#ys.set(ys);
    this.#rows.set(rows);
  }
}

async function nameAreas(places: Places, postcodes: Postcodes, names: PlaceNames): Promise<readonly Name[]> {
  const sums = new Map<string, { kind: Name['kind']; count: number; x: number; y: number }>();
  for (let place = 0; place < places.size; place += 1) {
    if (place % placesATurn === 0) await setImmediate();
    const { count, x, y, row } = places.at(place);
    if (count === 0) continue;
    const { authorityCode, wardCode } = postcodes.at(row);
    const add = (kind: Name['kind'], code: string | null) => {
      if (code === null) return;
      const sum = sums.get(code) ?? { kind, count: 0, x: 0, y: 0 };
      sums.set(code, sum);
      sum.count += count;
      sum.x += x;
      sum.y += y;
    };
    add('authority', authorityCode);
    add('ward', wardCode);
  }
  return [...sums]
    .flatMap(([code, { kind, count, x, y }]) => {
      const name = names.find(code);
      return name === undefined ? [] : [{ kind, name, postcodes: count, x: x / count, y: y / count }];
    })
    .sort((a, b) => b.postcodes - a.postcodes || (a.name < b.name ? -1 : 1));
}
