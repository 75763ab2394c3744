// What an extract covers, as cells. The file does not say along which border it was cut. But every nation, county and
// district that lies wholly inside has its whole boundary in the file, and one that was cut lacks a piece of it.

import { outOfRange } from '../../columns/out-of-range.ts';
import {
  CoverageCells,
  cellLatitudeMicro,
  cellLongitudeMicro,
  columnOf,
  inside,
  outside,
  rowOf,
  sea,
} from '../../tables/amenities/coverage-cells.ts';

/** The United Kingdom with its waters. What an extract has beyond is not used. */
const south = rowOf(49_000_000);
const north = rowOf(61_500_000);
const west = columnOf(-11_000_000);
const east = columnOf(3_000_000);
const rows = north - south;
const columns = east - west;
/** Cells without anything as far off a covered coast as circles reach. */
const seaReachCells = 10;

/** Latitude and longitude of one node after the other, in millionths of a degree. */
export type Line = Int32Array;

export class CoverageBuilder {
  readonly #cells = new Uint8Array(rows * columns);
  readonly #coast = new Set<number>();
  /** Rows and columns with anything but `outside`. */
  readonly #used = { bottom: rows, top: -1, left: columns, right: -1 };

  /** Everything inside these lines, which together are the outlines of one area; inner ones cut holes. */
  addArea(lines: readonly Line[]): void {
    const crossings: number[][] = [];
    for (const line of lines) {
      for (let at = 0; at + 3 < line.length; at += 2)
        cross(
          line[at] ?? outOfRange(),
          line[at + 1] ?? outOfRange(),
          line[at + 2] ?? outOfRange(),
          line[at + 3] ?? outOfRange(),
          crossings,
        );
    }
    for (const [row, longitudes] of crossings.entries()) {
      if (longitudes === undefined) continue;
      longitudes.sort((a, b) => a - b);
      for (let at = 0; at + 1 < longitudes.length; at += 2)
        this.#fillRow(row, longitudes[at] ?? outOfRange(), longitudes[at + 1] ?? outOfRange());
    }
  }

  addCoast(line: Line): void {
    for (let at = 0; at + 1 < line.length; at += 2) {
      const row = rowOf(line[at] ?? outOfRange()) - south;
      const column = columnOf(line[at + 1] ?? outOfRange()) - west;
      if (row >= 0 && row < rows && column >= 0 && column < columns) this.#coast.add(row * columns + column);
    }
  }

  /** Undefined where nothing of the United Kingdom is covered. */
  finish(): CoverageCells | undefined {
    this.#takeShore();
    this.#takeSea();
    return this.#crop();
  }

  /** Cells with their centre from the one longitude to the other. */
  #fillRow(row: number, from: number, to: number): void {
    const first = Math.ceil(from / cellLongitudeMicro - 0.5) - west;
    const last = Math.ceil(to / cellLongitudeMicro - 0.5) - west;
    if (last <= 0 || first >= columns || first >= last) return;
    const start = row * columns + Math.max(0, first);
    const end = row * columns + Math.min(columns, last);
    this.#cells.fill(inside, start, end);
    this.#use(start);
    this.#use(end - 1);
  }

  #use(cell: number): void {
    const used = this.#used;
    const row = Math.floor(cell / columns);
    const column = cell % columns;
    used.bottom = Math.min(used.bottom, row);
    used.top = Math.max(used.top, row);
    used.left = Math.min(used.left, column);
    used.right = Math.max(used.right, column);
  }

  #mark(cell: number, kind: number): void {
    this.#cells[cell] = kind;
    this.#use(cell);
  }

  /** Boundaries follow the shore, so the centre of a cell on the coast may lie in the water. */
  #takeShore(): void {
    const shore = [...this.#coast].filter(
      (cell) =>
        this.#cells[cell] === outside && neighbours(cell).some((next) => this.#cells[next] === inside),
    );
    for (const cell of shore) this.#mark(cell, inside);
  }

  #takeSea(): void {
    let edge = [...this.#coast].filter(
      (cell) => this.#cells[cell] === inside || neighbours(cell).some((next) => this.#cells[next] === inside),
    );
    for (let step = 0; step < seaReachCells; step += 1) {
      const next: number[] = [];
      for (const cell of edge.flatMap(neighbours)) {
        if (this.#cells[cell] !== outside) continue;
        this.#mark(cell, sea);
        next.push(cell);
      }
      edge = next;
    }
  }

  #crop(): CoverageCells | undefined {
    const { bottom, top, left, right } = this.#used;
    if (top < 0) return undefined;
    const window = {
      firstRow: south + bottom,
      firstColumn: west + left,
      rows: top - bottom + 1,
      columns: right - left + 1,
    };
    const cells = new Uint8Array(window.rows * window.columns);
    for (let row = 0; row < window.rows; row += 1) {
      const from = (bottom + row) * columns + left;
      cells.set(this.#cells.subarray(from, from + window.columns), row * window.columns);
    }
    return new CoverageCells(window, cells);
  }
}

function neighbours(cell: number): number[] {
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  const found: number[] = [];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1)
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1)
      if (y !== row || x !== column) found.push(y * columns + x);
  return found;
}

/** Notes where a stretch of outline crosses the middle of each row. */
function cross(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
  crossings: number[][],
): void {
  if (latitude1 === latitude2) return;
  const low = Math.min(latitude1, latitude2) / cellLatitudeMicro - 0.5;
  const high = Math.max(latitude1, latitude2) / cellLatitudeMicro - 0.5;
  for (let row = Math.max(south, Math.ceil(low)); row < Math.min(north, Math.ceil(high)); row += 1) {
    const part = ((row + 0.5) * cellLatitudeMicro - latitude1) / (latitude2 - latitude1);
    const known = crossings[row - south] ?? [];
    crossings[row - south] = known;
    known.push(longitude1 + part * (longitude2 - longitude1));
  }
}

/** Whether every cell inside the one map is inside the other. */
export function isWithin(map: CoverageCells, other: CoverageCells): boolean {
  const { firstRow, firstColumn, columns: wide } = map.window;
  return map.cells.every(
    (kind, cell) =>
      kind !== inside || other.at(firstRow + Math.floor(cell / wide), firstColumn + (cell % wide)) === inside,
  );
}
