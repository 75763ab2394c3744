// The made-up incidents of one size and seed, as CSV files for the engines and as a release for us: the same rows.

import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { type Crimes, openCrimes } from '../../src/tables/crime/crimes.ts';
import { CrimesBuilder } from '../../src/tables/crime/crimes-builder.ts';
import { layouts } from '../../src/tables/index.ts';
import {
  categoryCount,
  firstMonth,
  forceCount,
  type MadeUpPoint,
  makeCategory,
  makeCount,
  makeOutcome,
  makePoint,
  months,
  outcomeCount,
} from './made-up.ts';

export type WorldSize = { readonly incidents: number; readonly points: number; readonly seed: number };

export type World = {
  readonly crimes: Crimes;
  /** Number, latitude, longitude; neighbours near each other. */
  readonly pointsFile: string;
  /** Point, month from 0, category from 0, outcome (0 is none); by point and month. */
  readonly incidentsFile: string;
};

const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

/** In rows of a hundredth of a degree, so that every engine finds a circle's points near each other. */
function makePoints({ points, seed }: WorldSize): readonly MadeUpPoint[] {
  const random = randomFrom(seed);
  const places = new Map<string, MadeUpPoint>();
  for (let made = 0; made < points; made += 1) {
    const point = makePoint(random);
    places.set(`${point.latitudeMicro} ${point.longitudeMicro}`, point);
  }
  const row = ({ latitudeMicro }: MadeUpPoint) => Math.floor(latitudeMicro / 1e4);
  return [...places.values()].sort((a, b) => row(a) - row(b) || a.longitudeMicro - b.longitudeMicro);
}

/** What is in the folder from an earlier run is used again. */
export function openWorld(folder: string, size: WorldSize): World {
  const files = {
    pointsFile: path.join(folder, 'points.csv'),
    incidentsFile: path.join(folder, 'incidents.csv'),
  };
  const store = new ReleaseStore(path.join(folder, 'releases'), layouts);
  if (!existsSync(files.incidentsFile) || !store.has('bench')) {
    mkdirSync(folder, { recursive: true });
    make(size, files, store);
  }
  return { ...files, crimes: openCrimes(store.open('bench')) };
}

function make(size: WorldSize, files: Omit<World, 'crimes'>, store: ReleaseStore): void {
  const points = makePoints(size);
  const random = randomFrom(size.seed + 1);
  const mean = size.incidents / points.length;
  const builder = new CrimesBuilder();
  const incidents = openSync(files.incidentsFile, 'w');
  const places = openSync(files.pointsFile, 'w');
  let [lines, placeLines] = ['', ''];
  for (const { force, ...place } of points) {
    const { point } = builder.point({ ...place, name: builder.pointCount % 50_000, lsoa: 0, month: 0 });
    placeLines += `${point},${(place.latitudeMicro / 1e6).toFixed(6)},${(place.longitudeMicro / 1e6).toFixed(6)}\n`;
    const count = makeCount(random, mean);
    const inMonths = Array.from({ length: count }, () => Math.floor(months * random())).sort((a, b) => a - b);
    for (const month of inMonths) {
      const category = makeCategory(random);
      const outcome = makeOutcome(random);
      builder.month(firstMonth + month).add(point, category, outcome, 0, force);
      builder.countPublished(firstMonth + month, force);
      lines += `${point},${month},${category},${outcome}\n`;
    }
    if (lines.length > 1 << 20) {
      writeSync(incidents, lines);
      writeSync(places, placeLines);
      [lines, placeLines] = ['', ''];
    }
  }
  writeSync(incidents, lines);
  writeSync(places, placeLines);
  closeSync(incidents);
  closeSync(places);
  writeRelease(builder, store);
}

function writeRelease(builder: CrimesBuilder, store: ReleaseStore): void {
  const writer = store.beginRelease({ id: 'bench', kind: 'loaded', createdAtMs: 0, base: undefined });
  const parts: string[] = [];
  const words = {
    names: numbered(50_000, 'On or near Street'),
    lsoas: [],
    forces: numbered(forceCount, 'Force'),
    categories: numbered(categoryCount, 'category'),
    outcomes: numbered(outcomeCount, 'outcome'),
  };
  for (const [name, columns] of builder.encode(words)) {
    writer.writePart(name, columns);
    parts.push(name);
  }
  const text = 'made up';
  writer.putDataset({
    name: 'crime',
    title: text,
    source: text,
    publisher: text,
    publisherShort: text,
    licence: text,
    attribution: text,
    edition: text,
    asOf: '2024-12-31',
    loadedAt: '2026-01-01T00:00:00Z',
    rows: builder.size,
    rejects: {},
    extent: 'complete',
    coverage: {},
    nextEditionExpected: null,
    files: [],
    loadedBy: { source: 'made up', version: 1 },
    parts,
  });
  writer.finish();
}
