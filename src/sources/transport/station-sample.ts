// The bundled sample of stations (data/sample/stations.csv), in a layout of this project: every station within three
// kilometres of the sample's postcodes, and no others. Any official file takes its place.

import type { InputFile } from '../../ingest/files.ts';
import { type NamedCells, readNamedCells } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { encodeReach } from '../../tables/reach.ts';
import {
  encodeBusStops,
  encodeStations,
  type Station,
  type StationKind,
  stationReachPart,
  stationReachTable,
  stationsPart,
} from '../../tables/transport/stops.ts';
import { findNote, hasHeader, parseNote } from '../bundled-note.ts';
import { type MicroPoint, parseDegrees } from '../gb-point.ts';
import { refuseOverLoaded } from '../sample-loader.ts';
import { stopsFacts } from './facts.ts';
import { mergeStations } from './station-merge.ts';

const stationColumns = ['name', 'kind', 'latitude', 'longitude', 'atcoCode'] as const;
const reachColumns = ['stationReachLatitude', 'stationReachLongitude'] as const;
const subject = 'sample-stations';
const reachMetres = 3_000;

/** Stations of the Elizabeth line and the Overground count as railway stations; most are listed as such already. */
const kinds: ReadonlyMap<string, StationKind> = new Map([
  ['tube', 'tube'],
  ['rail', 'rail'],
  ['overground', 'rail'],
  ['elizabeth', 'rail'],
  ['dlr', 'metro'],
]);

export const stationSample: Loader = {
  facts: {
    ...stopsFacts,
    publisher: 'Department for Transport; Transport for London',
    publisherShort: 'DfT, TfL',
    licence: 'Open Government Licence v3.0; TfL transport data service terms',
    attribution:
      'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, NaPTAN). Powered by TfL Open Data.',
    coverage: {
      England: "stations within 3 km of the sample's postcodes; no bus stops",
      Wales: "stations within 3 km of the sample's postcodes; no bus stops",
      Scotland: "stations within 3 km of the sample's postcodes; no bus stops",
    },
  },
  layouts: [
    `CSV with the columns ${stationColumns.join()}, and one with ${reachColumns.join()} (this project)`,
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    if (hasHeader(file, stationColumns.join())) return 'sample';
    return hasHeader(file, reachColumns.join()) ? 'reach of the sample' : undefined;
  },
  headerAlone: () => 'refused',
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  refuseOverLoaded(into);
  const { edition, asOf } = findNote(files, subject);
  const rows: Station[] = [];
  const reach: MicroPoint[] = [];
  for (const { file, layout } of files) {
    if (file.form !== 'text' || layout === 'note on the sample') continue;
    if (layout === 'sample') {
      const wanted = { required: stationColumns };
      await readNamedCells(file, { width: 'exact' }, wanted, into, (row) => rows.push(readStation(row)));
    } else {
      const wanted = { required: reachColumns };
      await readNamedCells(file, { width: 'exact' }, wanted, into, (row) =>
        reach.push(readPoint(row, ...reachColumns)),
      );
    }
  }
  refuseWithoutReach(rows, reach, files);
  const stations = mergeStations(rows);
  into.tally.note('row merged into another row of its station', rows.length - stations.length, '');
  into.tally.kept = rows.length;
  into.writePart(stationsPart, encodeStations(stations, ['tube', 'rail']));
  for (const [part, columns] of Object.entries(encodeBusStops([]))) into.writePart(part, columns);
  into.writePart(stationReachPart, encodeReach(stationReachTable, { points: reach, metres: reachMetres }));
  return {
    edition,
    asOf,
    rows: stations.length,
    extent: 'sample',
    nextEditionExpected: null,
  };
}

function refuseWithoutReach(
  rows: readonly Station[],
  reach: readonly MicroPoint[],
  files: readonly RecognisedFile[],
): void {
  if (rows.length > 0 && reach.length > 0) return;
  const names = files.map(({ file }) => file.name).join(', ');
  throw new FileRefused(names, 'lacks the stations, or the points around which they are complete; give both');
}

function readStation(row: NamedCells<(typeof stationColumns)[number]>): Station {
  const { cell, refuse } = row;
  const kind = kinds.get(cell('kind'));
  if (kind === undefined) throw refuse('kind', `one of ${[...kinds.keys()].join(', ')}`);
  return { kind, code: cell('atcoCode'), name: cell('name'), ...readPoint(row, 'latitude', 'longitude') };
}

function readPoint<T extends string>({ cell, refuse }: NamedCells<T>, latitude: T, longitude: T): MicroPoint {
  const point = parseDegrees(cell(latitude), cell(longitude));
  if (point === undefined) throw refuse(latitude, 'a latitude in Great Britain');
  return point;
}
