// Draws what lies on the ground: the circle that is asked about, points of the layers, and the postcode itself.

import { type MapLayer, shrinkAt, type Tone } from '../layer.ts';
import { spotOf } from './camera.ts';
import type { Canvas, Inks, Steps } from './canvas.ts';
import type { LabelRoom } from './labels.ts';
import { nowhere } from './point-grid.ts';
import { metresPerPixel, type World, worldPixels } from './projection.ts';
import { Stamps } from './stamps.ts';

export type Circle = { readonly radiusMetres: number };

/** More than so many letters are not read but weighed. */
const mostLetters = 400;
/** So much is painted before it is looked whether the frame has time for more. */
const stepWork = 100;
/** To find the points in sight. */
const lookWork = 0.05;
/** To keep words off a point. */
const coverWork = 0.15;

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
  disc(10.5, '--map-paper');
  disc(8.5, '--map-place');
  disc(3.5, '--map-paper');
}

/** Points in sight, tone after tone. */
export function* paintLayer(canvas: Canvas, layer: MapLayer, room: LabelRoom): Steps {
  const points = pointsInSight(canvas, layer);
  yield lookWork * layer.xs.length;
  const shrink = shrinkAt(canvas.camera.zoom);
  for (const [at, tone] of layer.tones.entries()) {
    const count = points.reduce((sum, point) => sum + (layer.toneOf[point] === at ? 1 : 0), 0);
    if (count === 0) continue;
    const letters = count <= mostLetters && shrink >= 0.9 ? 'shown' : 'left out';
    yield* putPoints(canvas, layer, points, at, stampsOf(canvas, tone, letters), room);
  }
}

function pointsInSight({ camera, size }: Canvas, layer: MapLayer): Uint32Array {
  const scale = worldPixels(camera.zoom);
  const reach = layer.largest / scale;
  const [wide, high] = [size.width / 2 / scale, size.height / 2 / scale];
  const box = {
    west: camera.x - wide - reach,
    east: camera.x + wide + reach,
    north: camera.y - high - reach,
    south: camera.y + high + reach,
  };
  const points = new Uint32Array(layer.xs.length);
  let count = 0;
  layer.grid.eachIn(box, (point) => {
    points[count] = point;
    count += 1;
  });
  return points.subarray(0, count);
}

/** For signs of that tone. */
export const stampsOf = (
  { camera, inks, ratio }: Canvas,
  tone: Tone,
  letters: 'shown' | 'left out',
): Stamps => new Stamps(signOf(tone, shrinkAt(camera.zoom), letters, inks), ratio);

function signOf(tone: Tone, shrink: number, letters: 'shown' | 'left out', inks: Inks) {
  const { shape, letter } = tone;
  const colour = inks.colour(tone.colour);
  const paper = inks.colour('--map-paper');
  return {
    shape,
    fill: shape === 'ring' ? paper : colour,
    // Where many discs lie on each other, all of them are seen.
    opacity: shape === 'disc' ? 0.42 : 1,
    edge: {
      colour: shape === 'disc' || shape === 'ring' ? colour : paper,
      pixels: (shape === 'ring' ? 2.5 : 1) * Math.max(0.5, shrink),
    },
    ...(letter === undefined || letters === 'left out'
      ? {}
      : { letter: { text: letter, font: `700 10px ${inks.sans}`, colour: inks.colour('--map-letter') } }),
  };
}

/** Those of one tone. */
function* putPoints(
  { context, camera, size }: Canvas,
  layer: MapLayer,
  points: Uint32Array,
  tone: number,
  stamps: Stamps,
  room: LabelRoom,
): Steps {
  const { xs, ys, radii, toneOf, tones } = layer;
  const sign = tones[tone]?.shape === 'disc' ? 'transparent' : 'solid';
  const scale = worldPixels(camera.zoom);
  const shrink = shrinkAt(camera.zoom);
  const [middleX, middleY] = [size.width / 2, size.height / 2];
  context.save();
  context.resetTransform();
  let work = 0;
  for (const point of points) {
    if (toneOf[point] !== tone) continue;
    const x = ((xs[point] ?? nowhere()) - camera.x) * scale + middleX;
    const y = ((ys[point] ?? nowhere()) - camera.y) * scale + middleY;
    const radius = shrink * (radii[point] ?? nowhere());
    work += stamps.put(context, x, y, radius) + coverWork;
    room.cover(x, y, radius, sign);
    if (work < stepWork) continue;
    yield work;
    work = 0;
  }
  context.restore();
  yield work;
}
