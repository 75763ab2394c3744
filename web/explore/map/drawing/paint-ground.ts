// Draws the ground: built-up land as soft discs around postcodes, parks, stations and names.

import { type Camera, type Size, spotOf } from './camera.ts';
import type { GroundTile } from './ground.ts';
import type { LabelRoom } from './labels.ts';
import { nowhere } from './point-grid.ts';
import { metresPerPixel, worldPixels } from './projection.ts';

/** Colours and letters of the page. */
export type Inks = {
  readonly colour: (name: string) => string;
  readonly sans: string;
  readonly serif: string;
};

export type Canvas = {
  readonly context: CanvasRenderingContext2D;
  readonly camera: Camera;
  /** Of the whole canvas, beyond what is seen. */
  readonly size: Size;
  readonly inks: Inks;
};

type PlacedTile = {
  readonly tile: GroundTile;
  readonly left: number;
  readonly top: number;
  readonly side: number;
};

/** Around a postcode, on the ground. */
const builtMetres = 55;
/** Smaller discs are squares: nobody sees the difference, and they are drawn in a fifth of the time. */
const leastDisc = 3;

export function placeTiles(tiles: readonly GroundTile[], { camera, size }: Canvas): readonly PlacedTile[] {
  return tiles.map((tile) => {
    const count = 2 ** tile.z;
    const { left, top } = spotOf({ x: tile.x / count, y: tile.y / count }, camera, size);
    return { tile, left, top, side: worldPixels(camera.zoom) / count };
  });
}

export function paintLand(canvas: Canvas, placed: readonly PlacedTile[]): void {
  const { context, camera, inks } = canvas;
  const reach = builtMetres / metresPerPixel(camera.y, camera.zoom);
  context.fillStyle = inks.colour('--map-built');
  for (const each of placed) {
    const cell = each.side / each.tile.grid;
    paintCells(canvas, each, Math.max(reach, cell * 0.75));
  }
  for (const each of placed) paintParks(canvas, each);
  if (reach < leastDisc) return;
  context.fillStyle = inks.colour('--map-home');
  for (const each of placed) paintCells(canvas, each, 1.1);
}

function paintCells({ context, size }: Canvas, { tile, left, top, side }: PlacedTile, reach: number): void {
  const { cellXs, cellYs } = tile;
  context.beginPath();
  for (let at = 0; at < cellXs.length; at += 1) {
    const x = left + (cellXs[at] ?? nowhere()) * side;
    const y = top + (cellYs[at] ?? nowhere()) * side;
    if (x < -reach || y < -reach || x > size.width + reach || y > size.height + reach) continue;
    if (reach < leastDisc) {
      context.rect(x - reach, y - reach, 2 * reach, 2 * reach);
    } else {
      context.moveTo(x + reach, y);
      context.arc(x, y, reach, 0, 2 * Math.PI);
    }
  }
  context.fill();
}

function paintParks({ context, inks }: Canvas, { tile, left, top, side }: PlacedTile): void {
  if (tile.parks.length === 0) return;
  context.save();
  // A park that crosses the edge is in both tiles.
  context.beginPath();
  // Half a pixel more, so that no seam shows.
  context.rect(left - 0.5, top - 0.5, side + 1, side + 1);
  context.clip();
  context.fillStyle = inks.colour('--map-park');
  for (const { outline } of tile.parks) {
    context.beginPath();
    for (let at = 0; at < outline.length; at += 2)
      context.lineTo(
        left + ((outline[at] ?? nowhere()) / 1000) * side,
        top + ((outline[at + 1] ?? nowhere()) / 1000) * side,
      );
    context.closePath();
    context.fill();
  }
  context.restore();
}

export function paintStations(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): void {
  const { context, inks } = canvas;
  context.font = `600 11px ${inks.sans}`;
  for (const { tile, left, top, side } of placed) {
    for (const { name, x, y } of tile.stations) {
      const [atX, atY] = [left + (x / 1000) * side, top + (y / 1000) * side];
      if (isFarOff(canvas, atX, atY)) continue;
      context.fillStyle = inks.colour('--map-station');
      context.strokeStyle = inks.colour('--map-paper');
      context.lineWidth = 1.5;
      context.beginPath();
      context.rect(atX - 3.5, atY - 3.5, 7, 7);
      context.fill();
      context.stroke();
      const words = shortStation(name);
      const width = context.measureText(words).width;
      if (room.take(atX, atY - 13, width, 12) === 'free')
        paintWords(canvas, words, atX, atY - 13, '--map-station');
    }
  }
}

const shortStation = (name: string): string =>
  name
    .replace(/ (?:Rail(?:way)?|Underground|DLR|Metro|Tram) (?:Station|Stop)$/i, '')
    .replace(/ Station$/i, '');

export function paintNames(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): void {
  const { context, inks } = canvas;
  const names = placed
    .flatMap(({ tile, left, top, side }) =>
      tile.names.map((one) => ({
        ...one,
        x: left + (one.x / 1000) * side,
        y: top + (one.y / 1000) * side,
      })),
    )
    .filter(({ x, y }) => !isFarOff(canvas, x, y))
    .sort((a, b) => b.postcodes - a.postcodes);
  for (const { name, kind, postcodes, x, y } of names) {
    const pixels = Math.min(19, Math.max(11, 6 + 2.6 * Math.log10(postcodes)) + (kind === 'ward' ? 2 : 0));
    context.font = `${kind === 'ward' ? 'italic ' : ''}${pixels}px ${inks.serif}`;
    const width = context.measureText(name).width;
    if (room.take(x, y, width, pixels, 8) === 'free') paintWords(canvas, name, x, y, '--map-name');
  }
}

/** Names of parks, where there is room within them. */
export function paintParkNames(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): void {
  const { context, inks } = canvas;
  context.font = `italic 11px ${inks.serif}`;
  for (const { tile, left, top, side } of placed) {
    for (const { name, outline } of tile.parks) {
      if (name === null) continue;
      const xs = outline.filter((_, at) => at % 2 === 0).map((x) => left + (x / 1000) * side);
      const ys = outline.filter((_, at) => at % 2 === 1).map((y) => top + (y / 1000) * side);
      const [west, east] = [Math.min(...xs), Math.max(...xs)];
      const [x, y] = [(west + east) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
      // Of a park in two tiles, the one with its middle names it.
      if (x < left || y < top || x >= left + side || y >= top + side || isFarOff(canvas, x, y)) continue;
      const width = context.measureText(name).width;
      if (width > (east - west) * 1.1) continue;
      if (room.take(x, y, width, 11) === 'free') paintWords(canvas, name, x, y, '--map-park-name');
    }
  }
}

const isFarOff = ({ size }: Canvas, x: number, y: number): boolean =>
  x < -60 || y < -30 || x > size.width + 60 || y > size.height + 30;

function paintWords({ context, inks }: Canvas, words: string, x: number, y: number, colour: string): void {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = inks.colour('--map-halo');
  context.strokeText(words, x, y);
  context.fillStyle = inks.colour(colour);
  context.fillText(words, x, y);
}
