// What the backdrop needs of a whole release: how many postcodes every ward and authority has and where their middle lies, and
// the grid of the country. It goes through every postcode once, in short turns, so that calls are answered meanwhile.

import { setImmediate } from 'node:timers/promises';
import { outOfRange } from '../columns/out-of-range.ts';
import type { Release } from '../release/reader.ts';
import { findPlaceNames, type PlaceNames } from '../tables/postcodes/place-names.ts';
import { openPostcodes, type Postcodes } from '../tables/postcodes/postcodes.ts';
import type { Grid } from './cells.ts';
import { worldOf } from './tile-address.ts';

export type Name = {
  readonly kind: 'authority' | 'ward';
  readonly name: string;
  readonly postcodes: number;
  /** Mean of its postcodes, in the square of the world. */
  readonly x: number;
  readonly y: number;
};

export type Survey = {
  readonly names: readonly Name[];
  /** The grid of a tile of the first level; undefined where nobody lives. */
  readonly countryGrid: (x: number, y: number) => Grid | undefined;
};

/** About two milliseconds each. */
const rowsATurn = 20_000;
const placesATurn = 1_000;

const countrySide = 256;
const countryTiles = 64;

export async function surveyOf(release: Release): Promise<Survey> {
  if (release.findDataset('postcodes') === undefined) return { names: [], countryGrid: () => undefined };
  const postcodes = openPostcodes(release);
  const places = new Places();
  const country = new Map<number, Grid>();
  for (let from = 0; from < postcodes.size; from += rowsATurn) {
    postcodes.eachInUse(
      (place, latitudeMicro, longitudeMicro, row) => {
        const { x, y } = worldOf(latitudeMicro / 1e6, longitudeMicro / 1e6);
        places.add(place, x, y, row);
        addTo(country, x * countryTiles, y * countryTiles);
      },
      from,
      Math.min(from + rowsATurn, postcodes.size),
    );
    await setImmediate();
  }
  const names = findPlaceNames(release);
  return {
    names: names === undefined ? [] : await nameAreas(places, postcodes, names),
    countryGrid: (x, y) => country.get(y * countryTiles + x),
  };
}

function addTo(country: Map<number, Grid>, x: number, y: number): void {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const tile = row * countryTiles + column;
  const grid = country.get(tile) ?? { side: countrySide, counts: new Uint16Array(countrySide ** 2) };
  country.set(tile, grid);
  const at = Math.floor((y - row) * countrySide) * countrySide + Math.floor((x - column) * countrySide);
  grid.counts[at] = Math.min(65_535, (grid.counts[at] ?? outOfRange()) + 1);
}

/** Sums over what postcodes have in common. */
class Places {
  readonly #known: { count: number; x: number; y: number; readonly row: number }[] = [];

  add(place: number, x: number, y: number, row: number): void {
    const known = this.#known[place];
    if (known === undefined) {
      this.#known[place] = { count: 1, x, y, row };
      return;
    }
    known.count += 1;
    known.x += x;
    known.y += y;
  }

  all(): readonly { readonly count: number; readonly x: number; readonly y: number; readonly row: number }[] {
    return Object.values(this.#known);
  }
}

async function nameAreas(places: Places, postcodes: Postcodes, names: PlaceNames): Promise<readonly Name[]> {
  const sums = new Map<string, { kind: Name['kind']; count: number; x: number; y: number }>();
  for (const [at, { count, x, y, row }] of places.all().entries()) {
    if (at % placesATurn === 0) await setImmediate();
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
