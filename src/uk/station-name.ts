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
