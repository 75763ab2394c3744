// What an extract covers, as cells. The file does not say along which border it was cut. But every nation, county and
// district that lies wholly inside has its whole boundary in the file, and one that was cut lacks a piece of it. Off its
// coast is the sea, where nothing is missing; but only where no other land can be: see #takeSea.

import { defined } from '../../out-of-range.ts';
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
import type { MapBox } from '../../tables/amenities/map-box.ts';

/** The United Kingdom with its waters. What an extract has beyond is not used. */
const southmost = rowOf(49_000_000);
const northmost = rowOf(61_500_000);
const westmost = columnOf(-11_000_000);
const eastmost = columnOf(3_000_000);
const rows = northmost - southmost;
const columns = eastmost - westmost;
/** Cells without anything as far off a covered coast as circles reach. */
const seaReachCells = 10;

/** Latitude and longitude of one node after the other, in millionths of a degree. */
export type Line = Int32Array;

export class CoverageBuilder {
  readonly #cells = new Uint8Array(rows * columns);
  readonly #coast = new Set<number>();
  /** Cells from which land may go on that the file does not have. */
  readonly #shores = new Set<number>();
  readonly #bounds: MapBox | undefined;
  /** Rows and columns with anything but `outside`. */
  readonly #used = { bottom: rows, top: -1, left: columns, right: -1 };

  /** `bounds` are those of the header, which hold all of the extract and perhaps more. */
  constructor(bounds: MapBox | undefined) {
    this.#bounds = bounds;
  }

  /** The cells that lie wholly in a rectangle. */
  addBox({ west, east, north, south }: MapBox): void {
    const first = Math.ceil(west / cellLongitudeMicro);
    const end = Math.floor(east / cellLongitudeMicro);
    for (
      let row = Math.ceil(south / cellLatitudeMicro);
      row < Math.floor(north / cellLatitudeMicro);
      row += 1
    ) {
      if (row < southmost || row >= northmost) continue;
      for (let column = first; column < end; column += 1) {
        if (column >= westmost && column < eastmost)
          this.#mark((row - southmost) * columns + column - westmost, inside);
      }
    }
  }

  /** Everything inside these lines, which together are the outlines of one area; inner ones cut holes. */
  addArea(lines: readonly Line[]): void {
    for (const cell of cellsInside(lines)) this.#mark(cell, inside);
  }

  addCoast(line: Line): void {
    for (const cell of cellsOf(line)) this.#coast.add(cell);
  }

  /** A place where the coastline of the file breaks off. */
  addCoastEnd(place: Line): void {
    for (const cell of cellsOf(place)) this.#shores.add(cell);
  }

  /** Undefined where nothing of the United Kingdom is covered. */
  finish(): CoverageCells | undefined {
    this.#takeShore();
    this.#takeSea();
    return this.#crop();
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
        this.#cells[cell] === outside &&
        (this.#bounds === undefined || this.#isInBounds(cell)) &&
        neighbours(cell).some((next) => this.#cells[next] === inside),
    );
    for (const cell of shore) this.#mark(cell, inside);
  }

  /**
   * Cells off a covered coast, within the bounds of the extract and nearer to that coast than to where other land may
   * begin: a coast that is not covered, an end of the coastline, or a border of the covered area on land or in a river.
   */
  #takeSea(): void {
    if (this.#bounds === undefined) return;
    const isCovered = (cell: number) => this.#cells[cell] === inside;
    const isOurs = (cell: number) => isCovered(cell) || neighbours(cell).some(isCovered);
    const ours = [...this.#coast].filter(isOurs);
    const others = [...this.#coast].filter((cell) => !isOurs(cell));
    const doubtful = new Set(others);
    let doubts = [...others, ...this.#shores, ...this.#landBorder()];
    let edge = ours;
    for (let step = 0; step < seaReachCells; step += 1) {
      // First, so that what is equally near to both is no sea.
      doubts = this.#spread(doubts, (cell) => !doubtful.has(cell));
      for (const cell of doubts) doubtful.add(cell);
      edge = this.#spread(edge, (cell) => !doubtful.has(cell) && this.#isInBounds(cell));
      for (const cell of edge) this.#mark(cell, sea);
    }
  }

  /** Cells that are not covered around those of `edge`, each once. */
  #spread(edge: readonly number[], takes: (cell: number) => boolean): number[] {
    const next = new Set<number>();
    for (const cell of edge.flatMap(neighbours))
      if (this.#cells[cell] === outside && takes(cell)) next.add(cell);
    return [...next];
  }

  /** Covered cells at the edge of the covered area, but for those on a coast. */
  #landBorder(): readonly number[] {
    const { bottom, top, left, right } = this.#used;
    const border: number[] = [];
    for (let row = bottom; row <= top; row += 1) {
      for (let column = left; column <= right; column += 1) {
        const cell = row * columns + column;
        if (this.#cells[cell] !== inside) continue;
        const around = neighbours(cell);
        if (!around.some((next) => this.#cells[next] === outside)) continue;
        if (!this.#coast.has(cell) && !around.some((next) => this.#coast.has(next))) border.push(cell);
      }
    }
    return border;
  }

  #isInBounds(cell: number): boolean {
    if (this.#bounds === undefined) return false;
    const { west, east, north, south } = this.#bounds;
    const row = southmost + Math.floor(cell / columns);
    const column = westmost + (cell % columns);
    return (
      row * cellLatitudeMicro >= south &&
      (row + 1) * cellLatitudeMicro <= north &&
      column * cellLongitudeMicro >= west &&
      (column + 1) * cellLongitudeMicro <= east
    );
  }

  #crop(): CoverageCells | undefined {
    const { bottom, top, left, right } = this.#used;
    if (top < 0) return undefined;
    const window = {
      firstRow: southmost + bottom,
      firstColumn: westmost + left,
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

/** The cells in which a file has any node. */
export class FilledCells {
  readonly #cells = new Uint8Array(rows * columns);

  take(latitudes: ArrayLike<number>, longitudes: ArrayLike<number>, count: number): void {
    for (let node = 0; node < count; node += 1) {
      const row = rowOf(defined(latitudes[node])) - southmost;
      const column = columnOf(defined(longitudes[node])) - westmost;
      if (row >= 0 && row < rows && column >= 0 && column < columns) this.#cells[row * columns + column] = 1;
    }
  }

  /** Of the cells inside these lines. */
  shareOf(lines: readonly Line[]): number {
    const cells = cellsInside(lines);
    const filled = cells.filter((cell) => this.#cells[cell] === 1).length;
    return cells.length === 0 ? 0 : filled / cells.length;
  }

  /** Whether there is anything in the cells of a rectangle. */
  hasIn({ west, east, north, south }: MapBox): boolean {
    for (let row = rowOf(south); row <= rowOf(north); row += 1) {
      for (let column = columnOf(west); column <= columnOf(east); column += 1) {
        const [y, x] = [row - southmost, column - westmost];
        if (y >= 0 && y < rows && x >= 0 && x < columns && this.#cells[y * columns + x] === 1) return true;
      }
    }
    return false;
  }
}

/** Cells with their centres inside these lines, which together are the outlines of one area; inner ones cut holes. */
function cellsInside(lines: readonly Line[]): number[] {
  const crossings: number[][] = [];
  for (const line of lines) {
    for (let at = 0; at + 3 < line.length; at += 2)
      cross(
        defined(line[at]),
        defined(line[at + 1]),
        defined(line[at + 2]),
        defined(line[at + 3]),
        crossings,
      );
  }
  const cells: number[] = [];
  for (const [row, longitudes] of crossings.entries()) {
    if (longitudes === undefined) continue;
    longitudes.sort((a, b) => a - b);
    for (let at = 0; at + 1 < longitudes.length; at += 2) {
      const first = Math.ceil(defined(longitudes[at]) / cellLongitudeMicro - 0.5) - westmost;
      const end = Math.ceil(defined(longitudes[at + 1]) / cellLongitudeMicro - 0.5) - westmost;
      for (let column = Math.max(0, first); column < Math.min(columns, end); column += 1)
        cells.push(row * columns + column);
    }
  }
  return cells;
}

function* cellsOf(line: Line): Generator<number> {
  for (let at = 0; at + 1 < line.length; at += 2) {
    const row = rowOf(defined(line[at])) - southmost;
    const column = columnOf(defined(line[at + 1])) - westmost;
    if (row >= 0 && row < rows && column >= 0 && column < columns) yield row * columns + column;
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
  for (let row = Math.max(southmost, Math.ceil(low)); row < Math.min(northmost, Math.ceil(high)); row += 1) {
    const part = ((row + 0.5) * cellLatitudeMicro - latitude1) / (latitude2 - latitude1);
    const known = crossings[row - southmost] ?? [];
    crossings[row - southmost] = known;
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
