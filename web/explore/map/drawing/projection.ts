// Web Mercator: the world as a square of side 1 from its north-western corner, as map tiles divide it.

export type World = { readonly x: number; readonly y: number };

const radians = Math.PI / 180;
const equatorMetres = 40_075_016.69;
/** Side of the world at zoom 0. */
const tilePixels = 256;

export function toWorld(latitude: number, longitude: number): World {
  const sine = Math.sin(latitude * radians);
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

export const latitudeAt = (y: number): number => Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / radians;
export const longitudeAt = (x: number): number => (x - 0.5) * 360;

/** Side of the world in pixels. */
export const worldPixels = (zoom: number): number => tilePixels * 2 ** zoom;

/** On the ground, at that height of the square. */
export const metresPerPixel = (y: number, zoom: number): number =>
  (equatorMetres * Math.cos(latitudeAt(y) * radians)) / worldPixels(zoom);
