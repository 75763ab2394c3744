// A whole picture of the map, from the paper to the mark of the place, step by step.

import type { MapLayer } from '../layer.ts';
import { spotOf } from './camera.ts';
import type { Canvas, Steps } from './canvas.ts';
import type { Ground } from './ground.ts';
import { LabelRoom } from './labels.ts';
import { paintLand, paintNames, paintParkNames, paintStations, placeTiles } from './paint-ground.ts';
import { type Circle, paintCircle, paintLayer, paintPlace } from './paint-layers.ts';
import type { PictureTiles } from './picture-tiles.ts';
import type { World } from './projection.ts';

export type MapContent = {
  readonly place: World;
  readonly ground: Ground | undefined;
  readonly pictures: PictureTiles | undefined;
  /** From the lowest to the topmost. */
  readonly layers: readonly MapLayer[];
  readonly circles: readonly Circle[];
};

const paperWork = 400;
const circleWork = 100;

export function* paintMap(canvas: Canvas, { place, ground, pictures, layers, circles }: MapContent): Steps {
  const { context, camera, size, inks } = canvas;
  context.fillStyle = inks.colour('--map-paper');
  context.fillRect(0, 0, size.width, size.height);
  yield paperWork;
  const placed = placeTiles(ground?.seen(camera, size) ?? [], canvas);
  yield* paintLand(canvas, placed);
  if (pictures !== undefined) yield* pictures.paint(context, camera, size);
  for (const circle of circles) {
    paintCircle(canvas, place, circle);
    yield circleWork;
  }
  for (const layer of layers) yield* paintLayer(canvas, layer);
  // Pictures have names of their own.
  if (pictures === undefined || pictures.fault !== undefined) {
    const room = new LabelRoom();
    const middle = spotOf(place, camera, size);
    room.take(middle.left, middle.top, 20, 20);
    yield* paintStations(canvas, placed, room);
    yield* paintNames(canvas, placed, room);
    yield* paintParkNames(canvas, placed, room);
  }
  paintPlace(canvas, place);
}
