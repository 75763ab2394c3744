// Where a map looks: the middle of what is seen and how near. Moves are plain functions from one to the next.

import { latitudeAt, toWorld, type World, worldPixels } from './projection.ts';

/** `x` and `y` are the middle, in the square of the world. */
export type Camera = World & { readonly zoom: number };
export type Size = { readonly width: number; readonly height: number };
/** Pixels from the upper left corner of the map. */
export type Spot = { readonly left: number; readonly top: number };
export type Rectangle = Spot & { readonly right: number; readonly bottom: number };

const zooms = { least: 5, most: 18 } as const;
/** The kingdom and the sea around it. */
const northWest = toWorld(61.5, -9);
const southEast = toWorld(49, 2.5);

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

export const clamped = ({ x, y, zoom }: Camera): Camera => ({
  x: within(x, northWest.x, southEast.x),
  y: within(y, northWest.y, southEast.y),
  zoom: within(zoom, zooms.least, zooms.most),
});

export function spotOf({ x, y }: World, camera: Camera, { width, height }: Size): Spot {
  const scale = worldPixels(camera.zoom);
  return { left: (x - camera.x) * scale + width / 2, top: (y - camera.y) * scale + height / 2 };
}

export function worldAt({ left, top }: Spot, camera: Camera, { width, height }: Size): World {
  const scale = worldPixels(camera.zoom);
  return { x: camera.x + (left - width / 2) / scale, y: camera.y + (top - height / 2) / scale };
}

/** As if the paper were pulled by so many pixels. */
export function pulled(camera: Camera, right: number, down: number): Camera {
  const scale = worldPixels(camera.zoom);
  return clamped({ ...camera, x: camera.x - right / scale, y: camera.y - down / scale });
}

/** What lies at the spot stays there. */
export function zoomedAt(camera: Camera, zoom: number, spot: Spot, size: Size): Camera {
  const kept = worldAt(spot, camera, size);
  const scale = worldPixels(within(zoom, zooms.least, zooms.most));
  return clamped({
    x: kept.x - (spot.left - size.width / 2) / scale,
    y: kept.y - (spot.top - size.height / 2) / scale,
    zoom,
  });
}

/** So near that a circle around the middle is seen whole, with nothing that lies over the map on it. */
export function around(
  middle: World,
  radiusMetres: number,
  { width, height }: Size,
  over: readonly Rectangle[],
): Camera {
  const share = radiusMetres / (40_075_016.69 * Math.cos((latitudeAt(middle.y) * Math.PI) / 180));
  const distances = over.map(({ left, top, right, bottom }) =>
    Math.hypot(
      Math.max(0, left - width / 2, width / 2 - right),
      Math.max(0, top - height / 2, height / 2 - bottom),
    ),
  );
  const pixels = Math.min(width / 2 / 1.12, height / 2 / 1.12, ...distances.map((each) => each - 4));
  return clamped({ ...middle, zoom: Math.log2(Math.max(1, pixels) / share / worldPixels(0)) });
}

/** How a picture that was painted around the middle of another camera lies now: how many times as wide as it was painted, and how
 *  much of it is left beyond the nearest edge of what is seen, as a share of what is seen; less than 0 where it ends within. */
export function fitOf(
  painted: { readonly camera: Camera; readonly size: Size },
  seen: { readonly camera: Camera; readonly size: Size },
): { readonly stretch: number; readonly reserve: number } {
  const stretch = 2 ** (seen.camera.zoom - painted.camera.zoom);
  const { left, top } = spotOf(painted.camera, seen.camera, seen.size);
  const { width, height } = seen.size;
  const right = (painted.size.width * stretch - width) / 2 - Math.abs(left - width / 2);
  const down = (painted.size.height * stretch - height) / 2 - Math.abs(top - height / 2);
  return { stretch, reserve: Math.min(right / width, down / height) };
}

/** From 0 to 1, slowly at both ends. */
const eased = (share: number) => (share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2);

export function between(from: Camera, to: Camera, share: number): Camera {
  const way = eased(within(share, 0, 1));
  const zoom = from.zoom + (to.zoom - from.zoom) * way;
  // Pixels are passed at an even pace whatever the zoom.
  const [start, end, now] = [from.zoom, to.zoom, zoom].map((each) => 2 ** -each);
  const steady =
    start === undefined || end === undefined || now === undefined || Math.abs(start - end) < 1e-12
      ? way
      : (start - now) / (start - end);
  return { x: from.x + (to.x - from.x) * steady, y: from.y + (to.y - from.y) * steady, zoom };
}
