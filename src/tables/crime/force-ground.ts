// Whose ground a circle touches: the postcodes in use, each with the force responsible for it, in cells of about a kilometre.
// Ground without a postcode is not seen. It depends on postcodes and names alone, and is made at the end of an ingest
// (force-ground-builder.ts).

import type { Circle } from '../../columns/point-bands.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { encodePart, Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { Views } from '../../release/table.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { deriveForceGround } from './force-ground-builder.ts';
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

/** Where another version of the rule made the part, it is worked out in memory, once a thread. Throws ReleaseDamaged when the
 *  release has no postcodes. */
export const openForceGround: (release: Release) => ForceGround = oncePerRelease((release) => {
  const columns = release.hasDerived(crimeGroundPart)
    ? crimeGroundTable.open(release)
    : crimeGroundTable.read(Part.open(encodePart(deriveForceGround(release)).buffer));
  return new ForceGround(columns);
});
