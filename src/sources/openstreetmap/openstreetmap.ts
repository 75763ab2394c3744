// OpenStreetMap as Geofabrik cuts it: one file of the whole United Kingdom, or of regions that are put together. A newer
// edition of a region takes the place of the one before; everything else that was loaded stays.

import { chooseEdition, together } from '../../ingest/editions.ts';
import type { InputFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { IngestRefused } from '../../ingest/refusal.ts';
import type {
  Ground,
  Into,
  Judgement,
  Loaded,
  Loader,
  RecognisedFile,
  ReplacedPiece,
  SampleCut,
} from '../../ingest/source.ts';
import {
  AmenitiesBuilder,
  loadedRegions,
  type MapExtract,
  type Mapped,
  readBack,
} from '../../tables/amenities/amenities-builder.ts';
import { dayMs } from '../../time.ts';
import { isOsmPbf } from './blobs.ts';
import { isWithin } from './coverage.ts';
import { describeObject, readExtract, readHead } from './extract.ts';

export const openStreetMap: Loader = {
  facts: {
    publisher: '© OpenStreetMap contributors',
    publisherShort: 'OpenStreetMap',
    licence: 'Open Data Commons Open Database License (ODbL) 1.0',
    attribution: '© OpenStreetMap contributors, openstreetmap.org/copyright',
    coverage: { 'United Kingdom': 'the loaded extracts; the map itself may lack places' },
  },
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
      loading: { seconds: 110, memoryBytes: 1_100_000_000, diskBytes: 42_000_000 },
      gives: 'amenities of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: ['an extract in PBF (united-kingdom-latest.osm.pbf, or those of regions)'],
  recognise: (file: InputFile) => (file.form === 'binary' && isOsmPbf(file.head) ? 'extract' : undefined),
  judge,
  load,
};

/** As Geofabrik calls the extracts that have all of it. "great-britain" is without Northern Ireland. */
const wholeCountry = ['united-kingdom', 'britain-and-ireland'];

/** Of the editions of a region one is read. Beside the country, a region is read only where it is newer. */
async function judge(files: readonly RecognisedFile[], ground: Ground): Promise<Judgement> {
  const heads: {
    readonly given: RecognisedFile;
    readonly region: string;
    readonly day: number | undefined;
  }[] = [];
  const release = loadedBefore(ground.base, 'amenities');
  const loaded = release && loadedRegions(release);
  for (const given of files) {
    if (given.file.form !== 'binary') continue;
    const { region, asOfMs } = await readHead(given.file);
    const before = loaded?.get(region);
    if (asOfMs !== undefined && before !== undefined && asOfMs < before) throw tooOld(region, asOfMs);
    const day = asOfMs === undefined ? ground.dating.glance(given.file) : Math.floor(asOfMs / dayMs);
    heads.push({ given, region, day });
  }
  const regions = [...Map.groupBy(heads, ({ region }) => region).values()].map((same) =>
    chooseEdition(same.map(({ given, day }) => ({ files: [given], day }))),
  );
  const judged = together(...regions);
  const read = heads.filter(({ given }) => judged.read.includes(given));
  for (const { given, day } of read) if (day === undefined) ground.dating.dayOf(given.file);
  const country = read.find(({ region }) => wholeCountry.includes(region));
  if (country === undefined) return judged;
  const within = read.filter((one) => one !== country && (one.day ?? 0) <= (country.day ?? 0));
  const because = `its region is in ${country.given.file.name}, which is not older`;
  return {
    read: judged.read.filter((given) => !within.some((one) => one.given === given)),
    passedOver: [...judged.passedOver, ...within.map(({ given }) => ({ name: given.file.name, because }))],
  };
}

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
    pieces.push({ extract: limit(extract, into.cut), found, from: 'these files' });
  }
  const { tally } = into;
  const before = loadedBefore(into.base, 'amenities');
  if (before !== undefined) {
    for (const piece of readBack(before)) pieces.push({ ...piece, from: 'before' });
  }
  pieces.sort((a, b) => b.extract.asOfMs - a.extract.asOfMs || (a.from < b.from ? 1 : -1));
  const builder = new AmenitiesBuilder();
  const kept: Piece[] = [];
  const replaced: ReplacedPiece[] = [];
  for (const piece of pieces) {
    const better = kept.find(({ extract }) => replaces(extract, piece.extract));
    if (better === undefined) {
      builder.add(piece.extract, piece.found);
      kept.push(piece);
    } else if (piece.from === 'before') {
      replaced.push({ name: piece.extract.region, before: piece.found.length, now: better.found.length });
    } else {
      const { region, asOfMs } = piece.extract;
      // A file that would change nothing is a mistake, unless the file that makes it so was given with it.
      if (better.from === 'before') throw tooOld(region, asOfMs);
      const reason = `in ${region}; ${better.extract.region} has all of it and is not older`;
      tally.note(reason, piece.found.length, region);
    }
  }
  into.losses.refuseShrunk(replaced);
  for (const { found, from } of pieces) {
    if (from === 'these files') continue;
    for (const mapped of found)
      if (!builder.has(mapped)) tally.revise('no longer on the map', describeObject(mapped.object));
  }
  tally.kept = kept.reduce((sum, { from, found }) => sum + (from === 'before' ? 0 : found.length), 0);
  into.progress({ phase: 'Writing amenities', done: 0, total: undefined });
  for (const [name, columns] of Object.entries(builder.encode())) into.writePart(name, columns);
  return describe(builder);
}

/** A map that was cut out keeps the borders by which its whole tells what it covers. */
function limit(extract: MapExtract, cut: SampleCut | undefined): MapExtract {
  const isComplete = cut?.isCompleteAt;
  return isComplete === undefined ? extract : { ...extract, cells: extract.cells.limitedTo(isComplete) };
}

/** A newer edition of its region, or a newer extract with all of its area. */
const replaces = (newer: MapExtract, { region, cells }: MapExtract): boolean =>
  newer.region === region || isWithin(cells, newer.cells);

const tooOld = (region: string, asOfMs: number) =>
  new IngestRefused(
    `Nothing was loaded: the extract ${region} of ${dayOf(asOfMs)} is older than the data that covers its area already, or was given twice.`,
  );

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function describe(builder: AmenitiesBuilder): Loaded {
  const { extracts } = builder;
  const names = extracts.map(({ region }) => region).sort();
  const days = extracts.map(({ asOfMs }) => dayOf(asOfMs)).sort();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return {
    edition: first === last ? last : `${first} to ${last}`,
    asOf: first,
    rows: builder.size,
    extent: names.some((name) => wholeCountry.includes(name)) ? 'complete' : 'partial',
    nextEditionExpected: 'daily',
    coverage: { 'United Kingdom': `${names.join(', ')}; the map itself may lack places` },
  };
}
