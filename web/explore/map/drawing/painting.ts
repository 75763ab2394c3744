// A whole picture of the map, from the paper to the mark of the place, step by step.

import type { MapLayer } from '../layer.ts';
import { type Rectangle, spotOf } from './camera.ts';
import type { Canvas, Steps } from './canvas.ts';
import type { Ground } from './ground.ts';
import { LabelRoom } from './labels.ts';
import {
  paintLand,
  paintNames,
  paintParkNames,
  paintStationNames,
  paintStations,
  placeTiles,
} from './paint-ground.ts';
import { type Circle, paintCircle, paintLayer, paintPlace } from './paint-layers.ts';
import type { PictureTiles } from './picture-tiles.ts';
import { type World, worldPixels } from './projection.ts';

export type MapContent = {
  readonly place: World;
  readonly ground: Ground | undefined;
  readonly pictures: PictureTiles | undefined;
  /** From the lowest to the topmost. */
  readonly layers: readonly MapLayer[];
  readonly circles: readonly Circle[];
  /** Whether stations of the ground are, too. */
  readonly stations: 'shown' | 'left out';
  /** What lies over the map, in its own pixels. */
  readonly over: readonly Rectangle[];
};

const paperWork = 400;
const circleWork = 100;

export function* paintMap(canvas: Canvas, content: MapContent): Steps {
  const { place, ground, pictures, layers, circles, stations } = content;
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
  const room = roomOf(canvas, content);
  for (const layer of layers) yield* paintLayer(canvas, layer, room);
  // Pictures have names of their own.
  if (pictures === undefined || pictures.fault !== undefined) {
    if (stations === 'shown') {
      const drawn = layers.find(({ id }) => id === 'stations');
      yield* paintStations(canvas, placed, drawn, room);
      yield* paintStationNames(canvas, placed, room);
    }
    yield* paintNames(canvas, placed, room);
    yield* paintParkNames(canvas, placed, room);
  }
  paintPlace(canvas, place);
}

function roomOf({ camera, size, seen }: Canvas, { place, over }: MapContent): LabelRoom {
  const scale = worldPixels(camera.zoom);
  const room = new LabelRoom({
    size,
    seen,
    corner: { left: camera.x * scale - size.width / 2, top: camera.y * scale - size.height / 2 },
  });
  const { left, top } = spotOf(place, camera, size);
  room.keepFree({ left: left - 13, top: top - 13, right: left + 13, bottom: top + 13 });
  for (const each of over)
    room.keepFree({
      left: seen.left + each.left,
      top: seen.top + each.top,
      right: seen.left + each.right,
      bottom: seen.top + each.bottom,
    });
  return room;
}
