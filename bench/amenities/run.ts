// How long the load of a national extract takes, how much memory, and what a call costs at the densest place.
// Arguments: millions of nodes, millions of ways, and the extract, which is made when absent and left there
// (250 25 FILE); or a real extract alone (FILE).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { amenities, describeAmenities } from '../../src/endpoints/area-statistics/amenities.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { postcodeAt } from '../postcodes/at-point.ts';
import { centre, writeCountry } from './generate.ts';

const given = process.argv.slice(2).filter((argument) => argument !== 'load');
const [nodesMillion = 250, waysMillion = 25] = given.filter((text) => /^[\d.]+$/.test(text)).map(Number);
const file = given.find((text) => !/^[\d.]+$/.test(text)) ?? path.join(tmpdir(), 'domesday-bench.osm.pbf');

const placeAt = (north: number, east: number) =>
  postcodeAt(centre.latitudeDegrees + north, centre.longitudeDegrees + east);

async function load(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-bench-amenities-'));
  const begun = performance.now();
  const { sources, release } = await runIngest({
    paths: [file],
    sources: sourcesNamed('openstreetmap'),
    derivations: [],
    store: new ReleaseStore(home, layouts),
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.now(),
    progress: noProgress,
  });
  const seconds = (performance.now() - begun) / 1000;
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  const size = statSync(file).size;
  console.log(
    `${(size / 1e9).toFixed(2)} GB, ${sources[0]?.read} objects read, ${sources[0]?.rows} kept, in ${seconds.toFixed(0)} s; most memory ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB; release ${(bytes / 1e6).toFixed(0)} MB`,
  );
  const calls = 20_000;
  const micros: number[] = [];
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    const place = placeAt((((call * 7) % 100) - 50) / 20_000, (((call * 13) % 100) - 50) / 12_000);
    const from = performance.now();
    amenities.write(describeAmenities(place, release));
    micros.push(1000 * (performance.now() - from));
  }
  const { user, system } = process.cpuUsage(before);
  micros.sort((a, b) => a - b);
  console.log(amenities.write(describeAmenities(placeAt(0, 0), release)));
  console.log(
    `at the centre: median ${micros[calls / 2]?.toFixed(0)} µs, p99 ${micros[0.99 * calls]?.toFixed(0)} µs; processor time ${((user + system) / calls).toFixed(0)} µs a call`,
  );
  rmSync(home, { recursive: true, force: true });
}

if (process.argv.includes('load')) await load();
else {
  if (!existsSync(file)) {
    await writeCountry(`${file}.unfinished`, Math.round(nodesMillion * 1e6), Math.round(waysMillion * 1e6));
    renameSync(`${file}.unfinished`, file);
  }
  // In a process of its own, so that its memory is its own.
  spawnSync(process.execPath, [import.meta.filename, file, 'load'], { stdio: 'inherit' });
}
