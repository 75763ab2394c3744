// Draws amenities: every cell within reach of a place that its extract covers, and every object in them.

import { type Mapped, readBack } from '../src/tables/amenities/amenities-builder.ts';
import {
  type CoverageCells,
  cellLatitudeMicro,
  cellLongitudeMicro,
  columnOf,
  outside,
  rowOf,
} from '../src/tables/amenities/coverage-cells.ts';
import type { MapBox } from '../src/tables/amenities/map-box.ts';
import { around, type Csv, type Drawn, degreesOf, type Place, placeMetres } from './sample-drawn.ts';

/** The largest circle that is counted, and all of every cell that it touches. */
const mapMetres = placeMetres + 3_000 + 1_000;

type Extract = {
  readonly region: string;
  readonly asOf: string;
  /** Of a map that was cut to a rectangle: its edges, in millionths of a degree. The rows are all that it has in it. */
  readonly box?: MapBox;
  readonly firstRow: number;
  readonly firstColumn: number;
  /** From south to north, each from west to east: 0 not covered, 1 covered, 2 sea. */
  readonly cells: readonly string[];
};

export function drawAmenities({ release, places }: Drawn): {
  readonly objects: Csv;
  readonly extracts: readonly Extract[];
} {
  const pieces = [...readBack(release)];
  const objects: (readonly string[])[] = [];
  const extracts = places.map((place): Extract => {
    const piece = pieces.find(({ extract }) => extract.cells.covers(place.centre, 0));
    if (piece === undefined) throw new Error(`No extract covers ${place.centre.postcode}.`);
    const { cells, asOfMs, box } = piece.extract;
    const window = cut(cells, place);
    const isIn = (latitudeMicro: number, longitudeMicro: number) =>
      window.has(rowOf(latitudeMicro), columnOf(longitudeMicro)) ||
      (box !== undefined && isInBox(box, latitudeMicro, longitudeMicro));
    for (const mapped of piece.found)
      if (pairsOf(mapped).some(([latitude, longitude]) => isIn(latitude, longitude)))
        objects.push([place.region, mapped.kind, String(mapped.object), outlineOf(mapped)]);
    const asOf = new Date(asOfMs).toISOString();
    return { region: place.region, asOf, ...(box === undefined ? {} : { box }), ...window.made };
  });
  objects.sort((a, b) => (a.slice(0, 3).join() < b.slice(0, 3).join() ? -1 : 1));
  return { objects: [['extract', 'kind', 'object', 'outline'], ...objects], extracts };
}

const isInBox = ({ west, east, north, south }: MapBox, latitude: number, longitude: number) =>
  latitude >= south && latitude <= north && longitude >= west && longitude <= east;

/** Cells whose middle lies within reach. */
function cut(cells: CoverageCells, { centre }: Place) {
  const isNear = around(centre, mapMetres);
  const rows = Math.ceil((mapMetres / 111_195) * (1e6 / cellLatitudeMicro)) + 1;
  const columns = Math.ceil((mapMetres / 65_000) * (1e6 / cellLongitudeMicro)) + 1;
  const firstRow = rowOf(centre.latitudeDegrees * 1e6) - rows;
  const firstColumn = columnOf(centre.longitudeDegrees * 1e6) - columns;
  const kindAt = (row: number, column: number) => {
    const middle = degreesOf({
      latitudeMicro: (row + 0.5) * cellLatitudeMicro,
      longitudeMicro: (column + 0.5) * cellLongitudeMicro,
    });
    return isNear(middle) ? cells.at(row, column) : outside;
  };
  const texts = Array.from({ length: 2 * rows + 1 }, (_, y) =>
    Array.from({ length: 2 * columns + 1 }, (_, x) => kindAt(firstRow + y, firstColumn + x)).join(''),
  );
  return {
    made: { firstRow, firstColumn, cells: texts },
    has: (row: number, column: number) => kindAt(row, column) !== outside,
  };
}

function pairsOf(mapped: Mapped): readonly (readonly [number, number])[] {
  if (mapped.kind !== 'park') return [[mapped.latitudeMicro, mapped.longitudeMicro]];
  const { outline } = mapped;
  return Array.from({ length: outline.length / 2 }, (_, at) => [
    outline[2 * at] ?? Number.NaN,
    outline[2 * at + 1] ?? Number.NaN,
  ]);
}

/** Each pair after the first as the difference from the one before. */
const outlineOf = (mapped: Mapped): string =>
  pairsOf(mapped)
    .map(([latitude, longitude], at, all) => {
      const [south, west] = all[at - 1] ?? [0, 0];
      return `${latitude - south} ${longitude - west}`;
    })
    .join(' ');
