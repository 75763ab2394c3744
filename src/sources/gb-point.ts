// The place of a row that has latitude and longitude, a national grid reference, both, or rubbish in either.

import { gridToLatLong } from '../uk/grid.ts';

export type MicroPoint = { readonly latitudeMicro: number; readonly longitudeMicro: number };

/** Great Britain with all its islands. Zeros, and grid references like 7,0, come out beyond it. */
const south = 49.8;
const north = 61;
const west = -8.7;
const east = 1.9;

const parseNumber = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));

/** Undefined where the numbers name no place in Great Britain. */
export function parseDegrees(latitude: string, longitude: string): MicroPoint | undefined {
  return inGreatBritain(parseNumber(latitude), parseNumber(longitude));
}

export function parseGrid(easting: string, northing: string): MicroPoint | undefined {
  const [eastingMetres, northingMetres] = [parseNumber(easting), parseNumber(northing)];
  const isOnGrid =
    eastingMetres > 0 && eastingMetres < 700_000 && northingMetres > 0 && northingMetres < 1_300_000;
  if (!isOnGrid) return undefined;
  const { latitudeDegrees, longitudeDegrees } = gridToLatLong(eastingMetres, northingMetres);
  return inGreatBritain(latitudeDegrees, longitudeDegrees);
}

function inGreatBritain(latitude: number, longitude: number): MicroPoint | undefined {
  const isInside = latitude >= south && latitude <= north && longitude >= west && longitude <= east;
  if (!isInside) return undefined;
  return { latitudeMicro: Math.round(latitude * 1e6), longitudeMicro: Math.round(longitude * 1e6) };
}
