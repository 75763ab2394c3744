// Which places a map covers, as cells of about 550 metres: a count of nothing is only a zero where somebody looked.
// Cells lie in rows from south to north, each from west to east.

import { defined, outOfRange } from '../../out-of-range.ts';
import { exactly, i32, oneOf, u8 } from '../../release/column.ts';
import type { Values, Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';

export const cellLatitudeMicro = 5_000;
export const cellLongitudeMicro = 8_000;
const metresPerDegree = 111_195.0797;
const radians = Math.PI / 180;

/** What a cell holds. */
export const outside = 0;
export const inside = 1;
/** Off a covered coast: nothing is missing there. */
export const sea = 2;

/** Rows and columns count from latitude and longitude 0. */
type CellWindow = {
  readonly firstRow: number;
  readonly firstColumn: number;
  readonly rows: number;
  readonly columns: number;
};

export const rowOf = (latitudeMicro: number): number => Math.floor(latitudeMicro / cellLatitudeMicro);
export const columnOf = (longitudeMicro: number): number => Math.floor(longitudeMicro / cellLongitudeMicro);

export class CoverageCells {
  readonly window: CellWindow;
  readonly cells: Uint8Array;

  constructor(window: CellWindow, cells: Uint8Array) {
    this.window = window;
    this.cells = cells;
  }

  /** Whether the map covers a place and all that lies within the radius: every cell that the circle touches. Cells
   *  are inside by their centre, so that the edge of a map is told to within half a cell. */
  covers({ latitudeDegrees, longitudeDegrees }: LatLong, radiusMetres: number): boolean {
    const ownRow = rowOf(latitudeDegrees * 1e6);
    const ownColumn = columnOf(longitudeDegrees * 1e6);
    if (this.at(ownRow, ownColumn) !== inside) return false;
    const perRow = (cellLatitudeMicro / 1e6) * metresPerDegree;
    const perColumn = (cellLongitudeMicro / 1e6) * metresPerDegree * Math.cos(latitudeDegrees * radians);
    // From the place to the centre of its own cell.
    const north = (ownRow + 0.5 - (latitudeDegrees * 1e6) / cellLatitudeMicro) * perRow;
    const east = (ownColumn + 0.5 - (longitudeDegrees * 1e6) / cellLongitudeMicro) * perColumn;
    const rows = Math.floor(radiusMetres / perRow) + 1;
    const columns = Math.floor(radiusMetres / perColumn) + 1;
    for (let row = -rows; row <= rows; row += 1) {
      const y = Math.max(0, Math.abs(north + row * perRow) - perRow / 2);
      for (let column = -columns; column <= columns; column += 1) {
        const x = Math.max(0, Math.abs(east + column * perColumn) - perColumn / 2);
        if (x * x + y * y > radiusMetres * radiusMetres) continue;
        if (this.at(ownRow + row, ownColumn + column) === outside) return false;
      }
    }
    return true;
  }

  /** These cells as far as their middles lie within; the others count as outside. */
  limitedTo(isWithin: (middle: LatLong) => boolean): CoverageCells {
    const { firstRow, firstColumn, columns } = this.window;
    const limited = this.cells.map((kind, cell) => {
      const middle = {
        latitudeDegrees: ((firstRow + Math.floor(cell / columns) + 0.5) * cellLatitudeMicro) / 1e6,
        longitudeDegrees: ((firstColumn + (cell % columns) + 0.5) * cellLongitudeMicro) / 1e6,
      };
      return kind === outside || isWithin(middle) ? kind : outside;
    });
    return new CoverageCells(this.window, limited);
  }

  at(row: number, column: number): number {
    const { firstRow, firstColumn, rows, columns } = this.window;
    const y = row - firstRow;
    const x = column - firstColumn;
    if (y < 0 || y >= rows || x < 0 || x >= columns) return outside;
    return defined(this.cells[y * columns + x]);
  }
}

export const cellColumns = {
  window: i32(exactly(4), 'first row, first column, number of rows, number of columns'),
  cells: u8(
    'cell',
    'row by row: 0 outside the map, 1 inside, 2 sea off a covered coast',
    oneOf(['outside', 'inside', 'sea']),
  ),
};

export const encodeCells = ({
  window: { firstRow, firstColumn, rows, columns },
  cells,
}: CoverageCells): Values<typeof cellColumns> => ({
  window: Int32Array.of(firstRow, firstColumn, rows, columns),
  cells,
});

export function openCells({ window, cells }: Views<typeof cellColumns>): CoverageCells {
  const [firstRow = outOfRange(), firstColumn = outOfRange(), rows = outOfRange(), columns = outOfRange()] =
    window;
  if (rows * columns !== cells.length) outOfRange();
  return new CoverageCells({ firstRow, firstColumn, rows, columns }, cells);
}
