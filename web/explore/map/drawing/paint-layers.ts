// Draws what lies on the ground: the circle that is asked about, points of the layers, and the postcode itself.

import { type MapLayer, shrinkAt, type Tone } from '../layer.ts';
import { type Size, spotOf } from './camera.ts';
import type { Canvas } from './paint-ground.ts';
import { nowhere } from './point-grid.ts';
import { metresPerPixel, type World, worldPixels } from './projection.ts';

export type Circle = { readonly radiusMetres: number };

/** More than so many letters are not read but weighed. */
const mostLetters = 400;
const mostOutlined = 3_000;

export function paintCircle({ context, camera, size, inks }: Canvas, place: World, circle: Circle): void {
  const { left, top } = spotOf(place, camera, size);
  const radius = circle.radiusMetres / metresPerPixel(place.y, camera.zoom);
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.strokeStyle = inks.colour('--map-circle');
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

/** A mark that is found at once: a dot in a ring, and the postcode above it. */
export function paintPlace({ context, camera, size, inks }: Canvas, place: World): void {
  const { left, top } = spotOf(place, camera, size);
  const disc = (radius: number, colour: string) => {
    context.beginPath();
    context.arc(left, top, radius, 0, 2 * Math.PI);
    context.fillStyle = inks.colour(colour);
    context.fill();
  };
  disc(9, '--map-paper');
  disc(7.5, '--map-place');
  disc(3, '--map-paper');
}

/** Points in sight, tone after tone, each tone as one path: thousands are filled at once. */
export function paintLayer(canvas: Canvas, layer: MapLayer): void {
  const { camera, size } = canvas;
  const byTone = layer.tones.map((): number[] => []);
  const scale = worldPixels(camera.zoom);
  const reach = layer.largest / scale;
  const [wide, high] = [size.width / 2 / scale, size.height / 2 / scale];
  const box = {
    west: camera.x - wide - reach,
    east: camera.x + wide + reach,
    north: camera.y - high - reach,
    south: camera.y + high + reach,
  };
  layer.grid.eachIn(box, (point) => byTone[layer.toneOf[point] ?? nowhere()]?.push(point));
  for (const [at, tone] of layer.tones.entries()) {
    const points = byTone[at] ?? nowhere();
    if (points.length > 0) paintTone(canvas, layer, tone, points);
  }
}

function paintTone(canvas: Canvas, layer: MapLayer, tone: Tone, points: readonly number[]): void {
  const { context, camera, inks } = canvas;
  const size: Size = canvas.size;
  const scale = worldPixels(camera.zoom);
  const [middleX, middleY] = [size.width / 2, size.height / 2];
  const outline = outlines[tone.shape];
  const shrink = shrinkAt(camera.zoom);
  if (tone.shape === 'disc' && points.length > mostOutlined) {
    paintStamps(canvas, layer, tone, points);
    return;
  }
  context.beginPath();
  for (const point of points) {
    const x = ((layer.xs[point] ?? nowhere()) - camera.x) * scale + middleX;
    const y = ((layer.ys[point] ?? nowhere()) - camera.y) * scale + middleY;
    outline(context, x, y, shrink * (layer.radii[point] ?? nowhere()));
  }
  const isSeenThrough = tone.shape === 'disc';
  context.fillStyle = inks.colour(tone.shape === 'ring' ? '--map-paper' : tone.colour);
  context.globalAlpha = isSeenThrough ? 0.42 : 1;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = inks.colour(isSeenThrough || tone.shape === 'ring' ? tone.colour : '--map-paper');
  context.lineWidth = (tone.shape === 'ring' ? 2.5 : 1) * Math.max(0.5, shrink);
  context.stroke();
  if (tone.letter === undefined || points.length > mostLetters || shrink < 0.9) return;
  context.font = `700 10px ${inks.sans}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = inks.colour('--map-letter');
  for (const point of points) {
    const x = ((layer.xs[point] ?? nowhere()) - camera.x) * scale + middleX;
    const y = ((layer.ys[point] ?? nowhere()) - camera.y) * scale + middleY;
    context.fillText(tone.letter, x, y + 0.5);
  }
}

/** Thousands of discs, each as a picture of one of its size: outlines of all would take too long on a phone. */
function paintStamps(canvas: Canvas, layer: MapLayer, tone: Tone, points: readonly number[]): void {
  const { context, camera, size, inks } = canvas;
  const scale = worldPixels(camera.zoom);
  const shrink = shrinkAt(camera.zoom);
  const stamps = new Map<number, OffscreenCanvas>();
  for (const point of points) {
    const radius = Math.max(1, Math.round(shrink * (layer.radii[point] ?? nowhere())));
    const stamp = stamps.get(radius) ?? stampOf(radius, inks.colour(tone.colour));
    stamps.set(radius, stamp);
    const side = 2 * radius + 2;
    const x = ((layer.xs[point] ?? nowhere()) - camera.x) * scale + size.width / 2;
    const y = ((layer.ys[point] ?? nowhere()) - camera.y) * scale + size.height / 2;
    context.drawImage(stamp, x - side / 2, y - side / 2, side, side);
  }
}

function stampOf(radius: number, colour: string): OffscreenCanvas {
  const side = 2 * radius + 2;
  const stamp = new OffscreenCanvas(side * devicePixelRatio, side * devicePixelRatio);
  const context = stamp.getContext('2d') ?? nowhere();
  context.scale(devicePixelRatio, devicePixelRatio);
  context.beginPath();
  context.arc(side / 2, side / 2, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.globalAlpha = 0.42;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.stroke();
  return stamp;
}

type Outline = (context: CanvasRenderingContext2D, x: number, y: number, radius: number) => void;

const disc: Outline = (context, x, y, radius) => {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
};

const outlines: Readonly<Record<Tone['shape'], Outline>> = {
  disc,
  ring: disc,
  square: (context, x, y, radius) => context.rect(x - radius, y - radius, 2 * radius, 2 * radius),
  diamond: (context, x, y, radius) => {
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y);
    context.lineTo(x, y + radius);
    context.lineTo(x - radius, y);
    context.closePath();
  },
  leaf: (context, x, y, radius) => {
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y + radius * 0.8);
    context.lineTo(x - radius, y + radius * 0.8);
    context.closePath();
  },
};
