// What the scripts that draw the bundled places share.

import type { Release } from '../src/release/reader.ts';
import { distanceMetres, type LatLong } from '../src/uk/grid.ts';

export type Csv = readonly (readonly string[])[];

export type PostcodeLine = LatLong & { readonly postcode: string; readonly row: readonly string[] };

export type Place = {
  readonly region: string;
  readonly centre: PostcodeLine;
  readonly postcodes: readonly PostcodeLine[];
};

export type Drawn = {
  /** Everything official, loaded. */
  readonly release: Release;
  readonly places: readonly Place[];
  readonly folder: string;
  readonly sampleFolder: string;
  readonly readCsv: (file: string) => Csv;
  readonly parseCsv: (text: string) => Csv;
};

/** No postcode of a place lies farther from its middle. */
export const placeMetres = 1_000;

export const around =
  (centre: LatLong, metres: number) =>
  ({ latitudeDegrees, longitudeDegrees }: LatLong): boolean =>
    distanceMetres(centre.latitudeDegrees, centre.longitudeDegrees, latitudeDegrees, longitudeDegrees) <=
    metres;

export type Micro = { readonly latitudeMicro: number; readonly longitudeMicro: number };

export const degreesOf = ({ latitudeMicro, longitudeMicro }: Micro): LatLong => ({
  latitudeDegrees: latitudeMicro / 1e6,
  longitudeDegrees: longitudeMicro / 1e6,
});

export const pointCells = ({ latitudeMicro, longitudeMicro }: Micro): readonly string[] => [
  (latitudeMicro / 1e6).toFixed(6),
  (longitudeMicro / 1e6).toFixed(6),
];

export const placeIn = ({ places }: Drawn, region: string): Place => {
  const found = places.find((place) => place.region === region);
  if (found === undefined) throw new Error(`There is no place ${region}.`);
  return found;
};
