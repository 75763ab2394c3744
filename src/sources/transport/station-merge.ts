// Merges the rows of a station, by their names: large stations have several in NaPTAN.

import type { Station, StationKind } from '../../tables/transport/stops.ts';
import { distanceMetres } from '../../uk/grid.ts';

/** Rows of one name farther apart are two stations. */
const oneStationMetres = 500;

// Names of railway stations as NaPTAN writes them: what rows of one station have in common, and which rows are none.

type StationName = {
  /** Equal for rows of one station. */
  readonly stem: string;
  /** The level or line that the row speaks of; empty where it speaks of the station. */
  readonly part: string;
};

const parts = /\b(high level|low level|e?ll|nll|loop line|elizabeth line|crossrail|overground)\b/g;

/** "London St Pancras International LL Rail Station" → "st pancras international", "ll". */
export function readStationName(name: string): StationName {
  const words = name
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\([^)]*\)/g, ' ')
    .replace(/\brail(way)? station\b|\bstation\b/g, ' ')
    .replace(/['’.]/g, '')
    .replace(/[^a-z0-9]+/g, ' ');
  const stem = words.replace(parts, ' ').replace(/ +/g, ' ').trim();
  const part = [...words.matchAll(parts)].map(([word]) => word).join(' ');
  // A station that is called by nothing else keeps the word.
  return stem === '' ? { stem: words.trim(), part: '' } : { stem: stem.replace(/^london (?=.)/, ''), part };
}

/** Stops of buses, boats and metros that have a place in the railway's timetable are listed among its stations. */
export function isRailStation(code: string, name: string): boolean {
  if (/^9100ZZ/i.test(code) || /BUS\d?$/i.test(code)) return false;
  return (
    /\brail(way)? station\b/i.test(name) || !/\b(bus|coach|metro|tram|quay|hoverport|rail-air)\b/i.test(name)
  );
}

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
