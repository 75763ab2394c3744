// Whose ground a circle touches: the postcodes in use, each with the force responsible for it, in cells of about a kilometre.
// It is built once per release when crime is first asked for. Ground without a postcode is not seen.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Circle } from '../../columns/point-bands.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { scottishForce } from '../../uk/police.ts';
import { findPlaceNames } from '../postcodes/place-names.ts';
import { openPostcodes, type Place, type Postcodes } from '../postcodes/postcodes.ts';
import { forceOf } from './police-forces.ts';

/** Millionths of a degree, below 2 ** 16: a point keeps its distance from the corner of its cell in 16 bits. */
const cellHigh = 9_000;
const cellWide = 14_400;
const metresPerDegree = 111_195;
const noForce = 255;

type Corner = { readonly south: number; readonly west: number };

class ForceGround {
  readonly #forces: string[] = [];
  /** South-west corner of all cells, in cells. */
  readonly #corner: Corner;
  readonly #columns: number;
  /** First point of every cell, row by row from the south-west, and the end. */
  readonly #starts: Uint32Array;
  readonly #north: Uint16Array;
  readonly #east: Uint16Array;
  readonly #force: Uint8Array;
  /** Number of the cell's set of forces; set 0 is empty. */
  readonly #setOfCell: Uint16Array;
  readonly #sets: (readonly number[])[] = [[]];

  constructor(postcodes: Postcodes, forceAt: (place: Place) => string | undefined) {
    const numbers = new Map<string, number>();
    const forceOfPlace = Uint8Array.from(postcodes.places(), (place) => {
      const name = forceAt(place);
      if (name === undefined) return noForce;
      const known = numbers.get(name) ?? this.#forces.push(name) - 1;
      numbers.set(name, known);
      return known;
    });
    let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
    let count = 0;
    postcodes.eachInUse((place, latitude, longitude) => {
      if (forceOfPlace[place] === noForce) return;
      count += 1;
      if (latitude < south) south = latitude;
      if (latitude > north) north = latitude;
      if (longitude < west) west = longitude;
      if (longitude > east) east = longitude;
    });
    this.#corner = { south: Math.floor(south / cellHigh), west: Math.floor(west / cellWide) };
    this.#columns = count === 0 ? 0 : Math.floor(east / cellWide) - this.#corner.west + 1;
    const cells = count === 0 ? 0 : this.#columns * (Math.floor(north / cellHigh) - this.#corner.south + 1);
    this.#starts = new Uint32Array(cells + 1);
    this.#setOfCell = new Uint16Array(cells);
    this.#north = new Uint16Array(count);
    this.#east = new Uint16Array(count);
    this.#force = new Uint8Array(count);
    this.#fill(postcodes, forceOfPlace);
    this.#collectSets();
  }

  /** Forces that have a postcode in the circle, by name. Only those that `isWanted` takes are looked for. */
  within(circle: Circle, isWanted: (force: string) => boolean): readonly string[] {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const high = (1.01 * radiusMetres) / metresPerDegree;
    const wide = high / Math.cos(((Math.abs(latitudeDegrees) + high) * Math.PI) / 180);
    const cellOf = (degrees: number, size: number, first: number) =>
      Math.floor((degrees * 1e6) / size) - first;
    const { south, west } = this.#corner;
    const rows = this.#columns === 0 ? 0 : this.#setOfCell.length / this.#columns;
    const lastRow = Math.min(cellOf(latitudeDegrees + high, cellHigh, south), rows - 1);
    const lastColumn = Math.min(cellOf(longitudeDegrees + wide, cellWide, west), this.#columns - 1);
    const open = new Map<number, boolean>();
    const found: string[] = [];
    for (let row = Math.max(0, cellOf(latitudeDegrees - high, cellHigh, south)); row <= lastRow; row += 1) {
      const first = Math.max(0, cellOf(longitudeDegrees - wide, cellWide, west));
      for (let column = first; column <= lastColumn; column += 1) {
        const cell = row * this.#columns + column;
        for (const force of this.#sets[this.#setOfCell[cell] ?? outOfRange()] ?? outOfRange()) {
          const name = this.#forces[force] ?? outOfRange();
          const isOpen = open.get(force) ?? isWanted(name);
          const isFound = isOpen && this.#isIn(circle, cell, force);
          open.set(force, isOpen && !isFound);
          if (isFound) found.push(name);
        }
      }
    }
    return found.sort();
  }

  #isIn({ latitudeDegrees, longitudeDegrees, radiusMetres }: Circle, cell: number, force: number): boolean {
    const south = (Math.floor(cell / this.#columns) + this.#corner.south) * cellHigh;
    const west = ((cell % this.#columns) + this.#corner.west) * cellWide;
    const end = this.#starts[cell + 1] ?? outOfRange();
    for (let at = this.#starts[cell] ?? outOfRange(); at < end; at += 1) {
      if (this.#force[at] !== force) continue;
      const latitude = (south + (this.#north[at] ?? outOfRange())) / 1e6;
      const longitude = (west + (this.#east[at] ?? outOfRange())) / 1e6;
      if (distanceMetres(latitudeDegrees, longitudeDegrees, latitude, longitude) <= radiusMetres) return true;
    }
    return false;
  }

  /** Sorts the points by cell: counts first, then each to its place. */
  #fill(postcodes: Postcodes, forceOfPlace: Uint8Array): void {
    const { south, west } = this.#corner;
    const columns = this.#columns;
    const [starts, norths, easts, forces] = [this.#starts, this.#north, this.#east, this.#force];
    postcodes.eachInUse((place, latitude, longitude) => {
      if (forceOfPlace[place] === noForce) return;
      const cell =
        (Math.floor(latitude / cellHigh) - south) * columns + Math.floor(longitude / cellWide) - west;
      starts[cell] = (starts[cell] ?? outOfRange()) + 1;
    });
    let end = 0;
    for (let cell = 0; cell < starts.length; cell += 1) {
      end += starts[cell] ?? outOfRange();
      starts[cell] = end;
    }
    // From the end of each cell to its start, where the numbers then are.
    postcodes.eachInUse((place, latitude, longitude) => {
      const force = forceOfPlace[place] ?? outOfRange();
      if (force === noForce) return;
      const row = Math.floor(latitude / cellHigh);
      const column = Math.floor(longitude / cellWide);
      const cell = (row - south) * columns + column - west;
      const at = (starts[cell] ?? outOfRange()) - 1;
      starts[cell] = at;
      norths[at] = latitude - row * cellHigh;
      easts[at] = longitude - column * cellWide;
      forces[at] = force;
    });
  }

  #collectSets(): void {
    const [starts, forces, sets] = [this.#starts, this.#force, this.#setOfCell];
    /** Set and force → the set with it. */
    const wider = new Map<number, number>();
    for (let cell = 0; cell < sets.length; cell += 1) {
      const end = starts[cell + 1] ?? outOfRange();
      let set = 0;
      let last = noForce;
      for (let at = starts[cell] ?? outOfRange(); at < end; at += 1) {
        const force = forces[at] ?? outOfRange();
        if (force === last) continue;
        last = force;
        set = this.#widen(set, force, wider);
      }
      sets[cell] = set;
    }
  }

  #widen(set: number, force: number, wider: Map<number, number>): number {
    const members = this.#sets[set] ?? outOfRange();
    if (members.includes(force)) return set;
    const known = wider.get(set * 256 + force);
    if (known !== undefined) return known;
    const made = this.#sets.push([...members, force]) - 1;
    wider.set(set * 256 + force, made);
    return made;
  }
}

/** Throws ReleaseDamaged when the release has no postcodes. */
export const openForceGround: (release: Release) => ForceGround = oncePerRelease((release) => {
  const names = findPlaceNames(release);
  return new ForceGround(openPostcodes(release), (place) =>
    place.nation === 'Scotland' ? scottishForce : forceOf(place, names),
  );
});
