// Names of railway stations as NaPTAN writes them: what rows of one station have in common, and which rows are none.

/** "London St Pancras International LL Rail Station" → "st pancras international": equal for rows of one station. */
export function stationStem(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\([^)]*\)/g, ' ')
    .replace(/\brail(way)? station\b|\bstation\b/g, ' ')
    .replace(/\b(low level|e?ll|loop line|elizabeth line|crossrail|overground)\b/g, ' ')
    .replace(/['’.]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/^london (?=.)/, '');
}

/** Stops of buses, boats and metros that have a place in the railway's timetable are listed among its stations. */
export function isRailStation(code: string, name: string): boolean {
  if (/^9100ZZ/i.test(code) || /BUS\d?$/i.test(code)) return false;
  return (
    /\brail(way)? station\b/i.test(name) || !/\b(bus|coach|metro|tram|quay|hoverport|rail-air)\b/i.test(name)
  );
}
