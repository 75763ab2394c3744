// Draws the tables of data/sample that make three real places complete: Newport (Duffryn), Ryde and Oakham. Official files
// are loaded by the ordinary ingest into a folder that is thrown away, and what lies around the places is written out.
// Everything else in data/sample stays. The same files give the same tables.
//
//     node scripts/sample-places.ts FOLDER
//
// FOLDER has the files as they were published or cut: places/newport, places/isle-of-wight, places/oakham, places/all
// (street crime, OpenStreetMap, timetables, NaPTAN, schools, traffic, census, earnings), area/osm_rutland-latest.osm.pbf
// and names_codes (names of wards and LSOAs). data/sample/*.json says which editions these are.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { noProgress } from '../src/ingest/progress.ts';
import { runIngest } from '../src/ingest/run.ts';
import type { Release } from '../src/release/reader.ts';
import { ReleaseStore } from '../src/release/store.ts';
import { derivations } from '../src/sources/derivations.ts';
import { sources } from '../src/sources/index.ts';
import { layouts } from '../src/tables/index.ts';
import { drawCrimes, type Lists } from './sample-crimes.ts';
import { around, type Csv, type Drawn, type Place, type PostcodeLine, placeMetres } from './sample-drawn.ts';
import { drawAmenities } from './sample-map.ts';
import { drawCensus, drawIncomes, drawNames, drawSchools } from './sample-people.ts';
import { withSchoolsOfItsOwn } from './sample-school-list.ts';
import { drawBuses, drawStations, drawTraffic } from './sample-transport.ts';

const sampleFolder = path.join(import.meta.dirname, '../data/sample');

/** The postcode in the middle, and of how many postcodes around it every which is taken. */
const middles = [
  { region: 'newport', middle: 'NP10 8WA', every: 1 },
  { region: 'isle-of-wight', middle: 'PO33 2RX', every: 1 },
  { region: 'oakham', middle: 'LE15 6QU', every: 4 },
] as const;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder with the official files.');

const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-sample-'));
try {
  const release = await loadOfficial(folder, scratch);
  const places = middles.map(({ region, middle, every }) => findPlace(folder, region, middle, every));
  writeTable('postcodes.csv', mergePostcodes(places));
  const drawn: Drawn = { release, places, folder, sampleFolder, readCsv, parseCsv };
  const all = knownPostcodes();
  writeTable('place-names.csv', drawNames(drawn, all));
  writeTable('census-lsoa.csv', drawCensus(drawn, all));
  writeTable('incomes.csv', drawIncomes(drawn));
  writeTable('schools.csv', drawSchools(drawn));
  writeTable('traffic.csv', drawTraffic(drawn));
  writeTable('bus-calls.csv', drawBuses(drawn));
  const { stations, reach } = drawStations(drawn);
  writeTable('stations.csv', stations);
  writeTable('station-reach.csv', reach);
  const { objects, extracts } = drawAmenities(drawn);
  writeTable('amenities.csv', objects);
  noteFields('amenities.json', { extracts });
  const { crimes, areas, noted } = drawCrimes(drawn, readNote('crimes.json'));
  writeTable('crimes.csv.gz', crimes);
  writeTable('crime-areas.csv.gz', areas);
  noteFields('crimes.json', noted);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function loadOfficial(from: string, home: string): Promise<Release> {
  const names = ['places/isle-of-wight', 'places/oakham', 'places/all', 'area/osm_rutland-latest.osm.pbf'];
  const { release } = await runIngest({
    paths: [
      withSchoolsOfItsOwn(path.join(from, 'places/newport'), path.join(home, 'newport')),
      ...names.map((name) => path.join(from, name)),
    ],
    sources,
    derivations,
    store: new ReleaseStore(path.join(home, 'releases'), layouts),
    base: undefined,
    id: 'official',
    kind: 'loaded',
    // After the day of every file.
    atMs: Date.UTC(2026, 7, 1),
    progress: noProgress,
  });
  return release;
}

/** Postcodes within a kilometre of the middle one. On the island only those that have sales, which the sample has already. */
function findPlace(from: string, region: string, middle: string, every: number): Place {
  const known = new Map(knownPostcodes().map((row) => [row[0], row]));
  const [header = [], ...rows] = readCsv(path.join(from, 'places', region, 'postcodes.csv'));
  const lines = rows.map((given): PostcodeLine => {
    // A postcode that the sample has stays where it is: two ways of working out a point differ by a metre.
    const row = known.get(given[0]) ?? given;
    const [postcode = '', latitude = '', longitude = ''] = row;
    return { postcode, row, latitudeDegrees: Number(latitude), longitudeDegrees: Number(longitude) };
  });
  const centre = lines.find(({ postcode }) => postcode === middle);
  if (centre === undefined || header[0] !== 'postcode') throw new Error(`${region} has no ${middle}.`);
  const isWanted = wantedIn(from, region);
  const near = lines.filter((line) => isWanted(line.postcode) && around(centre, placeMetres)(line));
  const first = near.indexOf(centre) % every;
  return { region, centre, postcodes: near.filter((_, at) => at % every === first) };
}

function wantedIn(from: string, region: string): (postcode: string) => boolean {
  if (region === 'oakham') return () => true;
  const list =
    region === 'newport'
      ? readCsv(path.join(from, 'places/newport/inside-map-3km.csv')).map(([postcode = '']) => postcode)
      : readCsv(path.join(sampleFolder, 'sales.csv')).map((row) => row[3] ?? '');
  const wanted = new Set(list);
  return (postcode) => wanted.has(postcode);
}

function knownPostcodes(): Csv {
  return readCsv(path.join(sampleFolder, 'postcodes.csv'));
}

function mergePostcodes(places: readonly Place[]): Csv {
  const [header = [], ...known] = knownPostcodes();
  const added = places.flatMap(({ postcodes }) => postcodes.map(({ row }) => row));
  const merged = new Map([...added, ...known].map((row) => [row[0] ?? '', row]));
  return [header, ...[...merged.values()].sort(([a = ''], [b = '']) => (a < b ? -1 : 1))];
}

function readCsv(file: string): Csv {
  return parseCsv(readFileSync(file, 'utf8'));
}

/** Fields with commas or quotes are in quotes; none has a line break. */
function parseCsv(text: string): Csv {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
}

function writeTable(name: string, rows: Csv): void {
  const cell = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const text = `${rows.map((row) => row.map(cell).join()).join('\n')}\n`;
  const isPacked = name.endsWith('.gz');
  writeFileSync(path.join(sampleFolder, name), isPacked ? gzipSync(text, { level: 9 }) : text);
}

/** Puts what was measured into a note that says the rest. */
function noteFields(name: string, fields: object): void {
  const text = JSON.stringify({ ...readNote(name), ...fields }, null, 2);
  writeFileSync(path.join(sampleFolder, name), `${text}\n`);
}

function readNote(name: string): Lists {
  return JSON.parse(readFileSync(path.join(sampleFolder, name), 'utf8'));
}
