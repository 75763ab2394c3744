// Draws stations, bus routes and traffic counts of the bundled places.

import path from 'node:path';
import { openBusRoutes } from '../src/tables/transport/bus-routes.ts';
import { openStops } from '../src/tables/transport/stops.ts';
import { openTraffic } from '../src/tables/transport/traffic.ts';
import { around, type Csv, type Drawn, degreesOf, placeIn, placeMetres, pointCells } from './sample-drawn.ts';

const byText = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1);

/** All count points of the island. */
export function drawTraffic({ release }: Drawn): Csv {
  const lines = [...openTraffic(release).points()]
    .sort((a, b) => a.id - b.id)
    .map((point) => [String(point.id), String(point.year), String(point.vehiclesADay), ...pointCells(point)]);
  return [['countPoint', 'year', 'motorVehiclesADay', 'latitude', 'longitude'], ...lines];
}

const busMetres = placeMetres + 400;

export function drawBuses(drawn: Drawn): Csv {
  const isNear = around(placeIn(drawn, 'newport').centre, busMetres);
  const calls = openBusRoutes(drawn.release).calls();
  const lines: (readonly string[])[] = [];
  for (const [call, stop] of calls.stop.entries()) {
    const latitudeMicro = calls.latitudeMicro[stop] ?? Number.NaN;
    const longitudeMicro = calls.longitudeMicro[stop] ?? Number.NaN;
    if (!isNear(degreesOf({ latitudeMicro, longitudeMicro }))) continue;
    const route = calls.routes[(calls.route[call] ?? 0) - 1];
    const operator = route === undefined ? undefined : calls.operators[route.operator];
    lines.push([
      calls.codes[stop] ?? '',
      ...pointCells({ latitudeMicro, longitudeMicro }),
      operator?.noc ?? '',
      operator?.name ?? '',
      route?.name ?? '',
    ]);
  }
  const header = ['atcoCode', 'latitude', 'longitude', 'operatorCode', 'operatorName', 'route'];
  return [header, ...lines.sort(byText)];
}

const stationMetres = 3_000;

/** Adds the railway stations around the postcodes of the places to those that are there; no place has an Underground. */
export function drawStations({ release, places, sampleFolder, readCsv }: Drawn): {
  readonly stations: Csv;
  readonly reach: Csv;
} {
  const [stationHeader = [], ...stationLines] = readCsv(path.join(sampleFolder, 'stations.csv'));
  const [reachHeader = [], ...reachLines] = readCsv(path.join(sampleFolder, 'station-reach.csv'));
  const knownCodes = new Set(stationLines.map((row) => row.at(-1)));
  const postcodes = places.flatMap((place) => place.postcodes);
  const near = [...openStops(release).stations()].filter((station) =>
    postcodes.some((postcode) => around(postcode, stationMetres)(degreesOf(station))),
  );
  const added = near
    .filter(({ code }) => !knownCodes.has(code))
    .map((station) => [
      station.name.replace(/ Rail Station$/, ''),
      station.kind,
      ...pointCells(station),
      station.code,
    ]);
  const points = new Map([
    ...reachLines.map((row): [string, readonly string[]] => [row.join(), row]),
    ...postcodes.map(({ row: [, latitude = '', longitude = ''] }): [string, readonly string[]] => [
      `${latitude},${longitude}`,
      [latitude, longitude],
    ]),
  ]);
  return {
    stations: [stationHeader, ...stationLines, ...added.sort(byText)],
    reach: [reachHeader, ...[...points.values()].sort(byText)],
  };
}
