// Docking stations of London's cycle hire: the JSON that Transport for London's API answers at /BikePoint. One answer
// has all of them, so it replaces the one before as a whole.

import path from 'node:path';
import { refuseOlder } from '../../ingest/dating.ts';
import { chooseFile } from '../../ingest/editions.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { withoutControls } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { wholeOf } from '../../ingest/unpacking.ts';
import { isObject, parseJson } from '../../json.ts';
import { outOfRange } from '../../out-of-range.ts';
import { cycleHirePart, type DockingStation, encodeCycleHire } from '../../tables/transport/cycle-hire.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { parseDegrees } from '../gb-point.ts';

export const bikepoint: Loader = {
  facts: {
    publisher: 'Transport for London',
    publisherShort: 'TfL',
    licence: 'TfL transport data service terms, based on the Open Government Licence v2.0',
    attribution:
      'Powered by TfL Open Data. Contains OS data © Crown copyright and database rights 2016 and Geomni UK Map data © and database rights 2019.',
    coverage: { England: "London, Transport for London's scheme only" },
  },
  publications: [
    {
      name: 'bikepoint',
      title: 'Santander Cycles docking stations',
      page: 'https://api.tfl.gov.uk/BikePoint',
      find: { kind: 'fixed', addresses: ['https://api.tfl.gov.uk/BikePoint'] },
      hosts: ['api.tfl.gov.uk'],
      rhythm: { text: 'live', lateAfterDays: 120, askEveryDays: 30 },
      typicalBytes: 1_500_000,
      mostBytes: 50_000_000,
      loading: { seconds: 1, memoryBytes: 100_000_000, diskBytes: 1_000_000 },
      gives: 'cycleHireStations of /area/statistics in London',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: ['JSON array of places with "placeType": "BikePoint" (https://api.tfl.gov.uk/BikePoint)'],
  recognise: (file) => (isBikePoints(file) ? 'docking stations' : undefined),
  judge: chooseFile,
  load,
};

/** The answer has some 800 docking stations. Below this, much of it is missing. */
const stationsOfScheme = 600;

function isBikePoints(file: InputFile): boolean {
  if (file.form !== 'text') return false;
  const head = file.head.toString('utf8').replace(/^\ufeff/, '');
  return head.trimStart().startsWith('[') && /"placeType"\s*:\s*"BikePoint"/.test(head);
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { tally, dating } = into;
  const [file = outOfRange()] = files.flatMap(({ file }) => (file.form === 'text' ? [file] : []));
  const stations = new Map<string, DockingStation>();
  let newest: number | undefined;
  into.progress({ phase: `Reading ${path.basename(file.name)}`, done: 0, total: undefined });
  for (const [index, value] of (await parsePlaces(file)).entries()) {
    tally.read += 1;
    const place = readPlace(value, file.name, index);
    for (const day of place.modified)
      if (dating.past(day) !== undefined) newest = Math.max(newest ?? day, day);
    const outcome = takePlace(place, stations);
    if (outcome !== 'kept') tally.reject(outcome, `${path.basename(file.name)}: ${place.id}`);
  }
  if (stations.size === 0) throw new FileRefused(file.name, 'has no docking station that is installed');
  const day = newest ?? dating.dayOf(file);
  refuseOlder(day, into);
  tally.kept = stations.size;
  into.writePart(cycleHirePart, encodeCycleHire([...stations.values()]));
  const asOf = formatDay(day);
  return {
    edition: asOf,
    asOf,
    rows: stations.size,
    extent: stations.size >= stationsOfScheme ? 'complete' : 'partial',
    nextEditionExpected: 'at any time',
    coverage: { England: `London, ${formatCount(stations.size)} docking stations of Transport for London` },
  };
}

const mostBytes = 1 << 26;

/** Some 800 places, 2 MB. */
async function parsePlaces(file: TextFile): Promise<readonly unknown[]> {
  const text = (await wholeOf(file.open(), file.name, mostBytes)).toString('utf8').replace(/^\ufeff/, '');
  const value = parseJson(text);
  if (Array.isArray(value)) return value;
  throw new FileRefused(file.name, 'is not a complete JSON array; it is cut off. Download it again');
}

type Place = {
  readonly id: string;
  readonly name: string;
  readonly latitude: string;
  readonly longitude: string;
  /** Undefined where the place does not say. */
  readonly installed: string | undefined;
  readonly removed: string;
  /** Days on which a property of it was changed. */
  readonly modified: readonly number[];
};

/** Throws FileRefused where it is no place of the API. */
function readPlace(value: unknown, file: string, index: number): Place {
  const wrong = (what: string) =>
    new FileRefused(file, `place ${index + 1} has no ${what}; expected the answer of /BikePoint as it is`);
  if (!isObject(value)) throw wrong('members');
  const { id, commonName, lat, lon, additionalProperties: properties } = value;
  if (typeof id !== 'string' || typeof commonName !== 'string') throw wrong('id or commonName');
  if (typeof lat !== 'number' || typeof lon !== 'number') throw wrong('lat and lon');
  if (!Array.isArray(properties)) throw wrong('additionalProperties');
  const known = properties.filter(isObject);
  const property = (key: string): string | undefined => {
    const found = known.find(({ key: own }) => own === key)?.value;
    return typeof found === 'string' ? found.trim() : undefined;
  };
  return {
    id: withoutControls(id),
    name: withoutControls(commonName).trim(),
    latitude: String(lat),
    longitude: String(lon),
    installed: property('Installed'),
    removed: property('RemovalDate') ?? '',
    modified: known.flatMap(({ modified }) =>
      typeof modified === 'string' ? (parseDay(modified.slice(0, 10)) ?? []) : [],
    ),
  };
}

/** Returns why a place was not kept. */
function takePlace(place: Place, stations: Map<string, DockingStation>): string {
  const { id, name, latitude, longitude, installed, removed } = place;
  if (installed?.toLowerCase() !== 'true') return 'not installed';
  if (removed !== '') return 'removed';
  if (stations.has(id)) return 'duplicate id';
  const point = parseDegrees(latitude, longitude);
  if (point === undefined) return 'no place in Great Britain';
  stations.set(id, { id, name, ...point });
  return 'kept';
}
