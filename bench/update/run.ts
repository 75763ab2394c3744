// From nothing to the whole country by `domesday update`, on made-up files of the real sizes: a first update, and one that finds
// nothing new. Then what callers of a service notice while an update runs.
// node update/run.ts [scale = 1] [folder of the mirror] [home]

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { report } from '../figures.ts';
import { makeMirror, publications } from './make.ts';
import { measureServing } from './serving.ts';
import { bytesBelow, type Watched, watchUpdate } from './watch.ts';

const [scale = '1', givenMirror, givenHome] = process.argv.slice(2);
const work = mkdtempSync(path.join(tmpdir(), 'domesday-bench-update-'));
const home = givenHome ?? path.join(work, 'home');
const say = (line: string) => console.log(line);
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;

const inAll = publications.filter(({ set }) => set !== 'on request');

function tell(title: string, { seconds, status, phases, ...watched }: Watched): void {
  const peak = watched.peakBytes === undefined ? 'unknown here' : gigabytes(watched.peakBytes);
  say(
    `\n${title}: ${seconds.toFixed(0)} s, exit ${status}; most memory ${peak}; load average ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const [phase, took] of phases) if (took >= 0.5) say(`  ${phase}: ${took.toFixed(1)} s`);
  say(
    `  disk: fetched files ${gigabytes(watched.mostFileBytes)} at most, the home ${gigabytes(watched.mostHomeBytes)} at most`,
  );
  for (const { publication, why } of watched.told.run?.kept ?? []) say(`  KEPT ${publication}: ${why}`);
}

function tellDatasets(): void {
  const release = openHome(home, layouts).releases.openCurrent();
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  say(`  the release: ${gigabytes(bytes)}; the home afterwards: ${gigabytes(bytesBelow(home))}`);
  const missing: string[] = [];
  for (const name of new Set(inAll.map(({ dataset }) => dataset))) {
    const dataset = release.findDataset(name);
    if (dataset === undefined || dataset.extent === 'sample') missing.push(name);
    else
      say(`  ${name}: ${dataset.rows.toLocaleString('en-GB')} rows, ${dataset.extent}, ${dataset.edition}`);
  }
  say(missing.length === 0 ? '  every dataset is there' : `  MISSING: ${missing.join(', ')}`);
}

try {
  say(`node ${process.version}, ${process.platform} ${process.arch}, scale ${scale}`);
  const mirrorFolder = path.resolve(givenMirror ?? path.join(work, 'mirror'));
  const mirror = await makeMirror(mirrorFolder, Number(scale));
  say(`the mirror: ${gigabytes(bytesBelow(mirrorFolder))}`);
  const order = { home, from: mirrorFolder };
  const first = await watchUpdate(order);
  tell('The first update', first);
  report([
    { what: 'first update of everything', value: first.seconds, unit: 's' },
    { what: 'its most memory', value: (first.peakBytes ?? Number.NaN) / 1e9, unit: 'GB' },
    { what: 'its most disk', value: first.mostHomeBytes / 1e9, unit: 'GB' },
  ]);
  tellDatasets();
  const second = await watchUpdate(order);
  tell('The second, with nothing new', second);
  report([{ what: 'an update with nothing new', value: second.seconds, unit: 's' }]);
  const fetched = second.told.plan.filter(({ happens }) => happens === 'load');
  say(
    fetched.length === 0
      ? '  nothing was fetched'
      : `  FETCHED AGAIN: ${fetched.map(({ publication, why }) => `${publication} (${why})`).join(', ')}`,
  );
  await measureServing(mirror, home, say);
} finally {
  rmSync(work, { recursive: true, force: true });
}
