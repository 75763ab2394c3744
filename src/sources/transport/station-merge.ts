// Merges the rows of a station. Large stations have several in NaPTAN.

import type { Station, StationKind } from '../../tables/transport/stops.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { stationStem } from '../../uk/station-name.ts';

/** Rows of one name farther apart are two stations. */
const oneStationMetres = 500;

type Rule = { readonly nameOf: (name: string) => string; readonly withinMetres: number };

const asWritten = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();

const rules: Readonly<Record<StationKind, Rule>> = {
  // The Underground's two Edgware Roads have names of their own, so a name is one station wherever its rows lie.
  tube: { nameOf: asWritten, withinMetres: Number.POSITIVE_INFINITY },
  rail: { nameOf: stationStem, withinMetres: oneStationMetres },
  metro: { nameOf: asWritten, withinMetres: oneStationMetres },
};

/** Of the rows of a station the one with the first code stays. */
export function mergeStations(rows: readonly Station[]): readonly Station[] {
  const kept = new Map<string, Station[]>();
  for (const row of rows.toSorted((a, b) => (a.code < b.code ? -1 : Number(a.code > b.code)))) {
    const { nameOf, withinMetres } = rules[row.kind];
    const key = `${row.kind} ${nameOf(row.name)}`;
    const same = kept.get(key) ?? [];
    if (same.some((station) => metresBetween(station, row) <= withinMetres)) continue;
    same.push(row);
    kept.set(key, same);
  }
  return [...kept.values()].flat();
}

const metresBetween = (a: Station, b: Station) =>
  distanceMetres(
    a.latitudeMicro / 1e6,
    a.longitudeMicro / 1e6,
    b.latitudeMicro / 1e6,
    b.longitudeMicro / 1e6,
  );
