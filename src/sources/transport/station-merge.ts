// Merges the rows of a station. Large stations have several in NaPTAN.

import type { Station, StationKind } from '../../tables/transport/stops.ts';
import { distanceMetres } from '../../uk/grid.ts';
import { readStationName } from '../../uk/station-name.ts';

/** Rows of one name farther apart are two stations. */
const oneStationMetres = 500;

type Rule = { readonly nameOf: typeof readStationName; readonly withinMetres: number };

const asWritten: typeof readStationName = (name) => ({
  stem: name.trim().replace(/\s+/g, ' ').toLowerCase(),
  part: '',
});

const rules: Readonly<Record<StationKind, Rule>> = {
  // The Underground's two Edgware Roads have names of their own, so a name is one station wherever its rows lie.
  tube: { nameOf: asWritten, withinMetres: Number.POSITIVE_INFINITY },
  rail: { nameOf: readStationName, withinMetres: oneStationMetres },
  metro: { nameOf: asWritten, withinMetres: oneStationMetres },
};

/** Of the rows of a station the one with the first code stays, of those without a level or line in their names where there
 *  are such. A row of a level is its station where another row has the name alone. Where none has, as of Heath High Level
 *  and Heath Low Level in Cardiff, the levels are two stations. */
export function mergeStations(rows: readonly Station[]): readonly Station[] {
  const kept = new Map<string, NamedStation[]>();
  const named = rows.map(
    (station): NamedStation => ({ station, ...rules[station.kind].nameOf(station.name) }),
  );
  for (const row of named.sort(byPartAndCode)) {
    const { station, stem, part } = row;
    const key = `${station.kind} ${stem}`;
    const same = kept.get(key) ?? [];
    const { withinMetres } = rules[station.kind];
    const isThere = same.some(
      (other) =>
        (other.part === '' || other.part === part) && metresBetween(other.station, station) <= withinMetres,
    );
    if (isThere) continue;
    same.push(row);
    kept.set(key, same);
  }
  return [...kept.values()].flat().map(({ station }) => station);
}

type NamedStation = ReturnType<typeof readStationName> & { readonly station: Station };

const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const byPartAndCode = (a: NamedStation, b: NamedStation) =>
  Number(a.part !== '') - Number(b.part !== '') || compareTexts(a.station.code, b.station.code);

const metresBetween = (a: Station, b: Station) =>
  distanceMetres(
    a.latitudeMicro / 1e6,
    a.longitudeMicro / 1e6,
    b.latitudeMicro / 1e6,
    b.longitudeMicro / 1e6,
  );
