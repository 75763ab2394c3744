// Public transport of a whole country, made up: how long its load takes and how much memory, and what the transport
// figures of one postcode cost. Arguments: millions of calls in the timetable, and the folder for the files, which are
// made when absent and left there (40 DIR).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import { describeTransport } from '../../src/endpoints/area-statistics/transport.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import type { PostcodeRow } from '../../src/tables/postcodes/postcodes.ts';
import { postcodeAt } from '../postcodes/at-point.ts';
import { corner, makeCountry, makeSpot } from './made-up.ts';

const [millions = 40] = process.argv.slice(2, 3).map(Number);
const folder = process.argv[3] ?? path.join(tmpdir(), 'domesday-bench-transport');
const [step = '', home = ''] = process.argv.slice(4);

async function load(files: readonly string[]): Promise<void> {
  const store = new ReleaseStore(home, layouts);
  const begun = performance.now();
  const { sources, release } = await runIngest({
    paths: files.map((file) => path.join(folder, file)),
    sources: sourcesNamed('naptan', 'bods', 'bikepoint', 'aadf'),
    derivations: [],
    store,
    base: store.currentId() === undefined ? undefined : store.openCurrent(),
    id: `bench-${step}`,
    kind: 'loaded',
    atMs: Date.now(),
    progress: noProgress,
  });
  store.point(release.id);
  const seconds = (performance.now() - begun) / 1000;
  const read = sources.reduce((sum, source) => sum + source.read, 0);
  const rows = sources.reduce((sum, source) => sum + source.rows, 0);
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  console.log(
    `${files.join()}: read ${read} rows, ${rows} in the table, ${seconds.toFixed(1)} s, most memory ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB; release ${(bytes / 1e6).toFixed(1)} MB`,
  );
}

function ask(): void {
  const release = new ReleaseStore(home, layouts).openCurrent();
  const random = randomFrom(5);
  const anywhere = Array.from({ length: 20_000 }, () => {
    const { latitude, longitude } = makeSpot(random);
    return postcodeAt(latitude, longitude);
  });
  const report = (name: string, rows: readonly PostcodeRow[]) => {
    const times = rows.map((row) => {
      const begun = performance.now();
      describeTransport(row, release);
      return 1000 * (performance.now() - begun);
    });
    const at = (share: number) =>
      times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
    console.log(
      `${name}: p50 ${at(0.5).toFixed(1)} µs, p99 ${at(0.99).toFixed(1)} µs, most ${at(1).toFixed(0)} µs`,
    );
  };
  const busiest = postcodeAt(corner.latitudeDegrees, corner.longitudeDegrees);
  const { busRoutes, tubeStations, railStations } = describeTransport(busiest, release);
  console.log(
    `The corner has ${busRoutes} routes, ${tubeStations} tube and ${railStations} railway stations.`,
  );
  report('Warming up', anywhere);
  report('Anywhere', anywhere);
  report(
    'The busiest corner',
    Array.from({ length: 20_000 }, () => busiest),
  );
}

if (step === 'naptan') await load(['naptan.csv']);
else if (step === 'gtfs') await load(['itm_all_gtfs.zip']);
else if (step === 'rest') await load(['bikepoint.json', 'traffic.csv']);
else if (step === 'ask') ask();
else {
  if (!existsSync(path.join(folder, 'itm_all_gtfs.zip'))) makeCountry(folder, { millions });
  const releases = mkdtempSync(path.join(tmpdir(), 'domesday-bench-releases-'));
  // Each in a process of its own, so that its memory is its own.
  for (const own of ['naptan', 'gtfs', 'rest', 'ask']) {
    spawnSync(process.execPath, [import.meta.filename, String(millions), folder, own, releases], {
      stdio: 'inherit',
    });
  }
  rmSync(releases, { recursive: true, force: true });
}
