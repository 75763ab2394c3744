// Draws the ground: built-up land as soft discs around postcodes, parks, stations and names.

import { type MapLayer, shrinkAt, stationSign } from '../layer.ts';
import { type Spot, spotOf } from './camera.ts';
import type { Canvas, Steps } from './canvas.ts';
import type { GroundTile } from './ground.ts';
import { type LabelRoom, square } from './labels.ts';
import { stampsOf } from './paint-layers.ts';
import { nowhere } from './point-grid.ts';
import { metresPerPixel, worldPixels } from './projection.ts';
import { Stamps } from './stamps.ts';

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
/** A postcode on its built-up land: smaller where that is small, so that it stays in sight. */
const speckReach = { least: 1, most: 1.75 } as const;

const squareWork = 0.3;
const parkWork = 15;
const wordsWork = 60;
/** So much is painted before it is looked whether the frame has time for more. */
const stepWork = 100;

export function placeTiles(tiles: readonly GroundTile[], { camera, size }: Canvas): readonly PlacedTile[] {
  return tiles.map((tile) => {
    const count = 2 ** tile.z;
    const { left, top } = spotOf({ x: tile.x / count, y: tile.y / count }, camera, size);
    return { tile, left, top, side: worldPixels(camera.zoom) / count };
  });
}

export function* paintLand(canvas: Canvas, placed: readonly PlacedTile[]): Steps {
  const { camera, inks } = canvas;
  const reach = builtMetres / metresPerPixel(camera.y, camera.zoom);
  for (const each of placed) {
    const cell = each.side / each.tile.grid;
    yield* paintCells(canvas, each, Math.max(reach, cell * 0.75), inks.colour('--map-built'));
  }
  for (const each of placed) {
    paintParks(canvas, each);
    yield parkWork * each.tile.parks.length;
  }
  if (reach < leastDisc) return;
  const speck = Math.min(speckReach.most, Math.max(speckReach.least, reach / 7));
  for (const each of placed) yield* paintCells(canvas, each, speck, inks.colour('--map-home'));
}

/** Cell after cell: one outline of all of them would take many times as long, where they overlap. */
function* paintCells(
  { context, size, ratio }: Canvas,
  { tile, left, top, side }: PlacedTile,
  reach: number,
  colour: string,
): Steps {
  const { cellXs, cellYs } = tile;
  const stamps =
    reach < leastDisc ? undefined : new Stamps({ shape: 'disc', fill: colour, opacity: 1 }, ratio);
  context.save();
  context.fillStyle = colour;
  if (stamps !== undefined) context.resetTransform();
  let work = 0;
  for (let at = firstFrom(cellYs, (-reach - top) / side); at < cellYs.length; at += 1) {
    const y = top + (cellYs[at] ?? nowhere()) * side;
    if (y > size.height + reach) break;
    const x = left + (cellXs[at] ?? nowhere()) * side;
    if (x < -reach || x > size.width + reach) continue;
    if (stamps === undefined) {
      context.fillRect(x - reach, y - reach, 2 * reach, 2 * reach);
      work += squareWork;
    } else {
      work += stamps.put(context, x, y, reach);
    }
    if (work < stepWork) continue;
    yield work;
    work = 0;
  }
  context.restore();
  yield work;
}

/** The first that is no less; they rise. */
function firstFrom(values: Float32Array, least: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? nowhere()) < least) low = middle + 1;
    else high = middle;
  }
  return low;
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

/** With the sign of their layer, but for those that the layer itself has drawn. */
export function* paintStations(
  canvas: Canvas,
  placed: readonly PlacedTile[],
  drawn: MapLayer | undefined,
  room: LabelRoom,
): Steps {
  const stamps = stampsOf(canvas, stationSign.tone, 'left out');
  const radius = stationSign.radius * shrinkAt(canvas.camera.zoom);
  const { context } = canvas;
  for (const each of placed) {
    context.save();
    context.resetTransform();
    for (const station of each.tile.stations) {
      const { left, top } = spotInTile(each, station);
      if (isFarOff(canvas, left, top) || (drawn !== undefined && isDrawn(drawn, each.tile, station)))
        continue;
      stamps.put(context, left, top, radius);
      room.cover(left, top, radius, 'solid');
    }
    context.restore();
    yield wordsWork;
  }
}

const spotInTile = (
  { left, top, side }: PlacedTile,
  { x, y }: { readonly x: number; readonly y: number },
): Spot => ({ left: left + (x / 1000) * side, top: top + (y / 1000) * side });

/** A tile tells places in thousandths of its side. */
function isDrawn(
  { grid }: MapLayer,
  tile: GroundTile,
  { x, y }: { readonly x: number; readonly y: number },
): boolean {
  const count = 2 ** tile.z;
  const [middleX, middleY, reach] = [(tile.x + x / 1000) / count, (tile.y + y / 1000) / count, 0.001 / count];
  let isFound = false;
  grid.eachIn(
    { west: middleX - reach, east: middleX + reach, north: middleY - reach, south: middleY + reach },
    () => {
      isFound = true;
    },
  );
  return isFound;
}

export function* paintStationNames(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): Steps {
  const { context, inks } = canvas;
  context.font = `600 11px ${inks.sans}`;
  const gap = stationSign.radius * shrinkAt(canvas.camera.zoom) + square;
  for (const each of placed) {
    for (const station of each.tile.stations) {
      const { left, top } = spotInTile(each, station);
      if (isFarOff(canvas, left, top)) continue;
      const words = shortStation(station.name);
      const width = context.measureText(words).width;
      const spots = stationSides.map(([across, down]) => ({
        left: left + across * (gap + width / 2),
        top: top + down * (gap + 6),
      }));
      const spot = room.take(spots, { width, height: 12, air: 3 });
      if (spot !== undefined) paintWords(canvas, words, spot, '--map-station');
      yield wordsWork;
    }
  }
}

/** Where the name of a station may stand beside its sign. */
const stationSides = [
  [0, -1],
  [1, 0],
  [-1, 0],
  [0, 1],
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
] as const;

/** Where the name of an area may stand: in widths and lines from its middle, the nearest first. */
const nameSteps = [-0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75]
  .flatMap((across) => [-3, -2, -1, 0, 1, 2, 3].map((down) => [across, down] as const))
  .sort((one, other) => stepsAway(one) - stepsAway(other));

function stepsAway([across, down]: readonly [number, number]): number {
  return Math.hypot(4 * across, down);
}

const shortStation = (name: string): string =>
  name
    .replace(/ (?:Rail(?:way)?|Underground|DLR|Metro|Tram) (?:Station|Stop)$/i, '')
    .replace(/ Station$/i, '');

export function* paintNames(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): Steps {
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
    const spots = nameSteps.map(([across, down]) => ({
      left: x + across * width,
      top: y + down * (pixels + 6),
    }));
    const spot = room.take(spots, { width, height: pixels, air: 8 });
    if (spot !== undefined) paintWords(canvas, name, spot, '--map-name');
    yield wordsWork;
  }
}

/** Names of parks, where there is room within them. */
export function* paintParkNames(canvas: Canvas, placed: readonly PlacedTile[], room: LabelRoom): Steps {
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
      const spots = [0, -1, 1].map((down) => ({ left: x, top: y + 15 * down }));
      const spot = room.take(spots, { width, height: 11, air: 3 });
      if (spot !== undefined) paintWords(canvas, name, spot, '--map-park-name');
      yield wordsWork;
    }
  }
}

const isFarOff = ({ size }: Canvas, x: number, y: number): boolean =>
  x < -60 || y < -30 || x > size.width + 60 || y > size.height + 30;

function paintWords({ context, inks }: Canvas, words: string, { left, top }: Spot, colour: string): void {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = inks.colour('--map-halo');
  context.strokeText(words, left, top);
  context.fillStyle = inks.colour(colour);
  context.fillText(words, left, top);
}
