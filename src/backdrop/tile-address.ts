// Where a tile of the backdrop lies: squares of Web Mercator at three zooms, numbered as map tiles are everywhere.

/** The zooms that there are tiles of: the country, a region, a town. */
export const levels = [6, 9, 12] as const;
type Level = (typeof levels)[number];

export type TileAddress = { readonly z: Level; readonly x: number; readonly y: number };

const radians = Math.PI / 180;

/** The world as a square of side 1, from its north-western corner. */
export function worldOf(
  latitudeDegrees: number,
  longitudeDegrees: number,
): { readonly x: number; readonly y: number } {
  const sine = Math.sin(latitudeDegrees * radians);
  return {
    x: longitudeDegrees / 360 + 0.5,
    y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI),
  };
}

/** Degrees of a place in that square. */
export const latitudeAt = (y: number): number => Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / radians;
export const longitudeAt = (x: number): number => (x - 0.5) * 360;

/** Undefined where there is no such tile. */
export function parseTile(z: string, x: string, y: string): TileAddress | undefined {
  const level = levels.find((known) => String(known) === z);
  const number = (text: string) => (/^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN);
  const [column, row] = [number(x), number(y)];
  const side = 2 ** (level ?? 0);
  return level !== undefined && column < side && row < side ? { z: level, x: column, y: row } : undefined;
}
