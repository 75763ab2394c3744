// Whose ground a circle touches: the postcodes in use, each with the force responsible for it, in cells of about a kilometre.
// Ground without a postcode is not seen. It depends on postcodes and names alone, and is made at the end of an ingest.

import type { Circle } from '../../columns/point-bands.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { type Columns, encodePart, Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { Views } from '../../release/table.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { scottishForce } from '../../uk/police.ts';
import { findPlaceNames } from '../postcodes/place-names.ts';
import { openPostcodes, type Place, type Postcodes } from '../postcodes/postcodes.ts';
import { forceOf } from './police-forces.ts';
import { cellHigh, cellWide, crimeGroundPart, crimeGroundTable } from './tables.ts';

const metresPerDegree = 111_195;

class ForceGround {
  readonly #forces: readonly string[];
  readonly #south: number;
  readonly #west: number;
  readonly #columns: number;
  /** First postcode of every cell, row by row from the south-west, and the end. */
  readonly #starts: Uint32Array;
  readonly #north: Uint16Array;
  readonly #east: Uint16Array;
  readonly #force: Uint8Array;
  readonly #setOfCell: Uint16Array;
  readonly #sets: readonly Uint8Array[];

  constructor(columns: Views<typeof crimeGroundTable.columns>) {
    [this.#south = outOfRange(), this.#west = outOfRange()] = columns.corner;
    [this.#columns = outOfRange()] = columns.wide;
    this.#forces = columns.forces.list();
    this.#starts = columns.starts;
    this.#north = columns.north;
    this.#east = columns.east;
    this.#force = columns.force;
    this.#setOfCell = columns['cell-set'];
    const { sets, 'set-force': members } = columns;
    this.#sets = Array.from({ length: sets.length - 1 }, (_, set) =>
      members.subarray(sets[set], sets[set + 1]),
    );
  }

  /** Forces that have a postcode in the circle, by name. Only those that `isWanted` takes are looked for. */
  within(circle: Circle, isWanted: (force: string) => boolean): readonly string[] {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const high = (1.01 * radiusMetres) / metresPerDegree;
    const wide = high / Math.cos(((Math.abs(latitudeDegrees) + high) * Math.PI) / 180);
    const cellOf = (degrees: number, size: number, first: number) =>
      Math.floor((degrees * 1e6) / size) - first;
    const [south, west] = [this.#south, this.#west];
    const rows = this.#columns === 0 ? 0 : this.#setOfCell.length / this.#columns;
    const lastRow = Math.min(cellOf(latitudeDegrees + high, cellHigh, south), rows - 1);
    const lastColumn = Math.min(cellOf(longitudeDegrees + wide, cellWide, west), this.#columns - 1);
    const open = new Map<number, boolean>();
    const found: string[] = [];
    for (let row = Math.max(0, cellOf(latitudeDegrees - high, cellHigh, south)); row <= lastRow; row += 1) {
      const first = Math.max(0, cellOf(longitudeDegrees - wide, cellWide, west));
      for (let column = first; column <= lastColumn; column += 1) {
        const cell = row * this.#columns + column;
        for (const force of defined(this.#sets[defined(this.#setOfCell[cell])])) {
          const name = defined(this.#forces[force]);
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
    const south = (Math.floor(cell / this.#columns) + this.#south) * cellHigh;
    const west = ((cell % this.#columns) + this.#west) * cellWide;
    const end = defined(this.#starts[cell + 1]);
    for (let at = defined(this.#starts[cell]); at < end; at += 1) {
      if (this.#force[at] !== force) continue;
      const latitude = (south + defined(this.#north[at])) / 1e6;
      const longitude = (west + defined(this.#east[at])) / 1e6;
      if (distanceMetres(latitudeDegrees, longitudeDegrees, latitude, longitude) <= radiusMetres) return true;
    }
    return false;
  }
}

// Puts the postcodes in use into cells, each with the force responsible for it.

const noForce = 255;

/** The release needs postcodes. */
export function deriveForceGround(release: Release): Columns {
  const names = findPlaceNames(release);
  return encodeForceGround(openPostcodes(release), (place) =>
    place.nation === 'Scotland' ? scottishForce : forceOf(place, names),
  );
}

function encodeForceGround(postcodes: Postcodes, forceAt: (place: Place) => string | undefined): Columns {
  const { forces, forceOfPlace } = numberForces(postcodes.places(), forceAt);
  const visit: Visit = (take) =>
    postcodes.eachInUse((place, latitude, longitude) => {
      const force = defined(forceOfPlace[place]);
      if (force !== noForce) take(force, latitude, longitude);
    });
  const grid = gridAround(visit);
  const placed = sortByCell(visit, grid);
  const { setOfCell, sets } = collectSets(placed);
  const setStarts = [0];
  for (const members of sets) setStarts.push(defined(setStarts.at(-1)) + members.length);
  return crimeGroundTable.encode({
    corner: Int32Array.of(grid.south, grid.west),
    wide: Uint32Array.of(grid.columns),
    ...placed,
    'cell-set': setOfCell,
    sets: Uint32Array.from(setStarts),
    'set-force': Uint8Array.from(sets.flat()),
    forces,
  });
}

/** Goes through all postcodes that have a force. */
type Visit = (take: (force: number, latitudeMicro: number, longitudeMicro: number) => void) => void;

function numberForces(places: readonly Place[], forceAt: (place: Place) => string | undefined) {
  const numbers = new Map<string, number>();
  const forceOfPlace = Uint8Array.from(places, (place) => {
    const name = forceAt(place);
    if (name === undefined) return noForce;
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  });
  return { forces: [...numbers.keys()], forceOfPlace };
}

type Grid = {
  /** The south-west corner, counted in cells. */
  readonly south: number;
  readonly west: number;
  readonly columns: number;
  readonly rows: number;
  readonly postcodes: number;
};

function gridAround(visit: Visit): Grid {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  let postcodes = 0;
  visit((_, latitude, longitude) => {
    postcodes += 1;
    if (latitude < south) south = latitude;
    if (latitude > north) north = latitude;
    if (longitude < west) west = longitude;
    if (longitude > east) east = longitude;
  });
  if (postcodes === 0) return { south: 0, west: 0, columns: 0, rows: 0, postcodes };
  const [firstRow, firstColumn] = [Math.floor(south / cellHigh), Math.floor(west / cellWide)];
  return {
    south: firstRow,
    west: firstColumn,
    columns: Math.floor(east / cellWide) - firstColumn + 1,
    rows: Math.floor(north / cellHigh) - firstRow + 1,
    postcodes,
  };
}

type Placed = {
  /** First postcode of every cell, row by row from the south-west, and the end. */
  readonly starts: Uint32Array;
  readonly north: Uint16Array;
  readonly east: Uint16Array;
  readonly force: Uint8Array;
};

/** Counts first, then puts each to its place. */
function sortByCell(visit: Visit, { south, west, columns, rows, postcodes }: Grid): Placed {
  const starts = new Uint32Array(rows * columns + 1);
  const north = new Uint16Array(postcodes);
  const east = new Uint16Array(postcodes);
  const forces = new Uint8Array(postcodes);
  visit((_, latitude, longitude) => {
    const cell =
      (Math.floor(latitude / cellHigh) - south) * columns + Math.floor(longitude / cellWide) - west;
    starts[cell] = defined(starts[cell]) + 1;
  });
  let end = 0;
  for (let cell = 0; cell < starts.length; cell += 1) {
    end += defined(starts[cell]);
    starts[cell] = end;
  }
  // From the end of each cell to its start, where the numbers then are.
  visit((force, latitude, longitude) => {
    const row = Math.floor(latitude / cellHigh);
    const column = Math.floor(longitude / cellWide);
    const cell = (row - south) * columns + column - west;
    const at = defined(starts[cell]) - 1;
    starts[cell] = at;
    north[at] = latitude - row * cellHigh;
    east[at] = longitude - column * cellWide;
    forces[at] = force;
  });
  return { starts, north, east, force: forces };
}

/** Which forces each cell has, as the number of a set. Set 0 is empty. */
function collectSets({ starts, force: forces }: Placed) {
  const sets: (readonly number[])[] = [[]];
  const setOfCell = new Uint16Array(starts.length - 1);
  /** Set and force → the set with it. */
  const wider = new Map<number, number>();
  const widen = (set: number, force: number): number => {
    const members = defined(sets[set]);
    if (members.includes(force)) return set;
    const known = wider.get(set * 256 + force);
    if (known !== undefined) return known;
    const made = sets.push([...members, force]) - 1;
    wider.set(set * 256 + force, made);
    return made;
  };
  for (let cell = 0; cell < setOfCell.length; cell += 1) {
    const end = defined(starts[cell + 1]);
    let set = 0;
    let last = noForce;
    for (let at = defined(starts[cell]); at < end; at += 1) {
      const force = defined(forces[at]);
      if (force === last) continue;
      last = force;
      set = widen(set, force);
    }
    setOfCell[cell] = set;
  }
  return { setOfCell, sets };
}

/** Where another version of the rule made the part, it is worked out in memory, once a thread. Throws ReleaseDamaged when the
 *  release has no postcodes. */
export const openForceGround: (release: Release) => ForceGround = oncePerRelease((release) => {
  const columns = release.hasDerived(crimeGroundPart)
    ? crimeGroundTable.open(release)
    : crimeGroundTable.read(Part.open(encodePart(deriveForceGround(release)).buffer));
  return new ForceGround(columns);
});
