// The bundled sample of stations (data/sample/stations.csv), in a layout of this project: every station within three
// kilometres of the sample's postcodes, and no others. Any official file takes its place.

import type { InputFile } from '../../ingest/files.ts';
import { type CsvRecord, readRecords } from '../../ingest/read/csv-records.ts';
import { titlesOf } from '../../ingest/read/named-rows.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import {
  busStopsPart,
  encodeBusStops,
  encodeStationReach,
  encodeStations,
  type Station,
  type StationKind,
  stationReachPart,
  stationsPart,
} from '../../tables/transport/stops.ts';
import { findNote, parseNote } from '../bundled-note.ts';
import { type MicroPoint, parseDegrees } from '../gb-point.ts';
import { stopsFacts } from './naptan.ts';
import { mergeStations } from './station-merge.ts';

const header = 'name,kind,latitude,longitude,atcocode';
const reachHeader = 'stationreachlatitude,stationreachlongitude';
const subject = 'sample-stations';
const reachMetres = 3_000;

/** The Elizabeth line and the Overground are railways, and mostly stand among them already. */
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
    'CSV with the columns name,kind,latitude,longitude,atcoCode, and one with stationReachLatitude,stationReachLongitude (this project)',
    `JSON with "describes": "${subject}" (this project)`,
  ],
  recognise: (file: InputFile) => {
    if (parseNote(file, subject) !== undefined) return 'note on the sample';
    const titles = titlesOf(file).join();
    if (titles === header) return 'sample';
    return titles === reachHeader ? 'reach of the sample' : undefined;
  },
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const before = into.base?.findDataset('stops');
  if (before !== undefined && before.extent !== 'sample') {
    throw new IngestRefused(
      `Nothing was loaded: the stations of ${before.source} are loaded, and the bundled sample says less.`,
    );
  }
  const { edition, asOf } = findNote(files, subject);
  const rows: Station[] = [];
  const reach: MicroPoint[] = [];
  for (const { file, layout } of files) {
    if (file.form !== 'text' || layout === 'note on the sample') continue;
    await readRecords(file, into, (record) => {
      if (layout === 'sample') rows.push(readStation(record));
      else reach.push(readPoint(record, 'stationReachLatitude', 'stationReachLongitude'));
    });
  }
  refuseWithoutReach(rows, reach, files);
  const stations = mergeStations(rows);
  into.tally.note('row merged into another of its station', rows.length - stations.length, '');
  into.tally.kept = rows.length;
  into.writePart(stationsPart, encodeStations(stations, ['tube', 'rail']));
  into.writePart(busStopsPart, encodeBusStops([]));
  into.writePart(stationReachPart, encodeStationReach(reach, reachMetres));
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
  throw new FileRefused(names, 'has not both stations and the points around which they are all; give both');
}

function readStation(record: CsvRecord): Station {
  const kind = kinds.get(record.get('kind'));
  if (kind === undefined) throw record.refuse('kind', `one of ${[...kinds.keys()].join(', ')}`);
  return {
    kind,
    code: record.get('atcoCode'),
    name: record.get('name'),
    ...readPoint(record, 'latitude', 'longitude'),
  };
}

function readPoint(record: CsvRecord, latitude: string, longitude: string): MicroPoint {
  const point = parseDegrees(record.get(latitude), record.get(longitude));
  if (point === undefined) throw record.refuse(latitude, 'a latitude in Great Britain');
  return point;
}
