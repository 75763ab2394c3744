// How long the load of a national archive takes, and how much memory: one zip in the official shape, made up. Arguments:
// millions of incidents, millions of points, and the zip, which is made when absent and then left there (20 0.7 FILE).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { archiveEntries, writeZip } from './archive.ts';
import { firstMonth, months } from './made-up.ts';

const [incidentsMillion = 20, pointsMillion = 0.7] = process.argv.slice(2, 4).map(Number);
const kept = process.argv[4];
const say = (text: string) => console.log(text);
const secondsSince = (startMs: number) => `${((performance.now() - startMs) / 1000).toFixed(0)} s`;
const loadNow = () => loadavg()[0]?.toFixed(1);

async function make(zip: string): Promise<void> {
  const begun = performance.now();
  const size = {
    incidents: incidentsMillion * 1e6,
    points: Math.round(pointsMillion * 1e6),
    seed: 7,
    from: firstMonth,
    to: firstMonth + months - 1,
  };
  const { bytes, plain } = await writeZip(zip, archiveEntries(size));
  say(
    `made in ${secondsSince(begun)}: ${(bytes / 1e9).toFixed(2)} GB, unpacked ${(plain / 1e9).toFixed(2)} GB`,
  );
}

async function load(zip: string, home: string): Promise<void> {
  const begun = performance.now();
  const before = loadNow();
  const { sources, release } = await runIngest({
    paths: [zip],
    sources: sourcesNamed('police'),
    derivations: [],
    store: new ReleaseStore(home, layouts),
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.now(),
    progress: noProgress,
  });
  const took = secondsSince(begun);
  const { user, system } = process.cpuUsage();
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  const [report] = sources;
  say(
    `${report?.files.length} files, ${report?.read} rows, ${report?.kept} crimes: ${took} (${((user + system) / 1e6).toFixed(0)} s of processor), most memory ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB, release ${(bytes / 1e9).toFixed(2)} GB; load average ${before} before, ${loadNow()} after`,
  );
}

if (process.argv[5] === 'load') await load(kept ?? '', process.argv[6] ?? '');
else {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-bench-police-'));
  const zip = kept ?? path.join(folder, '2024-12.zip');
  if (!existsSync(zip)) await make(zip);
  else say(`${zip} of before, ${(statSync(zip).size / 1e9).toFixed(2)} GB`);
  // In a process of its own, so that its memory is its own.
  const sizes = [String(incidentsMillion), String(pointsMillion)];
  spawnSync(process.execPath, [import.meta.filename, ...sizes, zip, 'load', path.join(folder, 'home')], {
    stdio: 'inherit',
  });
  rmSync(folder, { recursive: true, force: true });
}
