// OpenStreetMap as Geofabrik cuts it: one file of the whole United Kingdom, or of regions that are put together. A newer
// edition of a region takes the place of the one before; everything else that was loaded stays.

import type { InputFile } from '../../ingest/files.ts';
import { IngestRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import {
  AmenitiesBuilder,
  type MapExtract,
  type Mapped,
  readBack,
} from '../../tables/amenities/amenities-builder.ts';
import { loadedBefore } from '../sample-loader.ts';
import { isOsmPbf } from './blobs.ts';
import { isWithin } from './coverage.ts';
import { describeObject, readExtract } from './extract.ts';
import { openStreetMapFacts } from './facts.ts';

export const openStreetMap: Loader = {
  facts: openStreetMapFacts,
  publications: [
    {
      name: 'openstreetmap',
      title: 'OpenStreetMap, extract of the United Kingdom by Geofabrik',
      page: 'https://download.geofabrik.de/europe/united-kingdom.html',
      find: {
        kind: 'fixed',
        addresses: ['https://download.geofabrik.de/europe/united-kingdom-latest.osm.pbf'],
      },
      hosts: ['download.geofabrik.de'],
      rhythm: { text: 'daily', lateAfterDays: 120, askEveryDays: 30 },
      typicalBytes: 2_200_000_000,
      mostBytes: 6_000_000_000,
      loading: { seconds: 170, memoryBytes: 1_100_000_000, diskBytes: 42_000_000 },
      gives: 'amenities of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: ['an extract in PBF (united-kingdom-latest.osm.pbf, or those of regions)'],
  recognise: (file: InputFile) => (file.form === 'binary' && isOsmPbf(file.head) ? 'extract' : undefined),
  load,
};

type Piece = {
  readonly extract: MapExtract;
  readonly found: readonly Mapped[];
  readonly from: 'these files' | 'before';
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const pieces: Piece[] = [];
  for (const { file } of files) {
    if (file.form !== 'binary') continue;
    const { extract, found } = await readExtract(file, into);
    pieces.push({ extract, found, from: 'these files' });
  }
  const { tally } = into;
  const before = loadedBefore(into.base, 'amenities');
  if (before !== undefined) {
    for (const piece of readBack(before)) pieces.push({ ...piece, from: 'before' });
  }
  pieces.sort((a, b) => b.extract.asOfMs - a.extract.asOfMs || (a.from < b.from ? 1 : -1));
  const builder = new AmenitiesBuilder();
  const replaced: Piece[] = [];
  for (const piece of pieces) {
    if (isReplaced(piece.extract, builder.extracts)) replaced.push(piece);
    else builder.add(piece.extract, piece.found);
  }
  refuseOld(replaced);
  for (const { found, from } of pieces) {
    if (from === 'these files') continue;
    for (const mapped of found)
      if (!builder.has(mapped)) tally.revise('no longer on the map', describeObject(mapped.object));
  }
  tally.kept = pieces.reduce((sum, { from, found }) => sum + (from === 'before' ? 0 : found.length), 0);
  into.progress({ phase: 'Writing amenities', done: 0, total: undefined });
  for (const [name, columns] of Object.entries(builder.encode())) into.writePart(name, columns);
  return describe(builder);
}

/** By a newer edition of its region, or a newer extract with all of its area. */
const isReplaced = (extract: MapExtract, newer: readonly MapExtract[]): boolean =>
  newer.some(({ region, cells }) => region === extract.region || isWithin(extract.cells, cells));

/** A file that would change nothing is a mistake. */
function refuseOld(replaced: readonly Piece[]): void {
  const old = replaced.find(({ from }) => from === 'these files');
  if (old === undefined) return;
  const { region, asOfMs } = old.extract;
  throw new IngestRefused(
    `Nothing was loaded: the extract ${region} of ${dayOf(asOfMs)} is older than what covers its area already, or given twice.`,
  );
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** As Geofabrik calls the extracts that have all of it. "great-britain" is without Northern Ireland. */
const wholeCountry = ['united-kingdom', 'britain-and-ireland'];

function describe(builder: AmenitiesBuilder): Loaded {
  const { extracts } = builder;
  const names = extracts.map(({ region }) => region).sort();
  const days = extracts.map(({ asOfMs }) => dayOf(asOfMs)).sort();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return {
    edition: first === last ? last : `${first} to ${last}`,
    asOf: last,
    rows: builder.size,
    extent: names.some((name) => wholeCountry.includes(name)) ? 'complete' : 'partial',
    nextEditionExpected: 'daily',
    coverage: { 'United Kingdom': `${names.join(', ')}; the map itself may lack places` },
  };
}
