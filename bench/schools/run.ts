// A national register and Ofsted file in the official layouts, made up: how long their load takes and how much memory,
// and what a call costs in the middle of London. Arguments: folder for the files, which are made when absent and left.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import { describeSchools } from '../../src/endpoints/area-statistics/schools.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { london, makePoint } from '../crime/made-up.ts';
import { postcodeAt } from '../postcodes/at-point.ts';
import { writeSchools } from './made-up.ts';

const establishments = 65_000;
const inspected = 22_000;
const calls = 20_000;
const folder = process.argv[2] ?? path.join(tmpdir(), 'domesday-bench-schools');
const file = (name: string) => path.join(folder, name);

async function load(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-bench-schools-home-'));
  for (const name of ['gias.csv', 'ofsted.csv']) {
    console.log(`${name}: ${(statSync(file(name)).size / 1e6).toFixed(1)} MB`);
  }
  const begun = performance.now();
  const { sources, release } = await runIngest({
    paths: [file('gias.csv'), file('ofsted.csv')],
    sources: sourcesNamed('gias', 'ofsted'),
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
  for (const { source, read, kept } of sources) console.log(`${source}: read ${read}, kept ${kept}`);
  console.log(
    `loaded in ${seconds.toFixed(1)} s; most memory ${(process.resourceUsage().maxRSS / 1e3).toFixed(0)} MB; release ${(bytes / 1e6).toFixed(1)} MB`,
  );
  measure(release);
  rmSync(home, { recursive: true, force: true });
}

function measure(release: Parameters<typeof describeSchools>[1]): void {
  const first = performance.now();
  const { primary, secondary } = describeSchools(
    postcodeAt(london.latitudeDegrees, london.longitudeDegrees),
    release,
  );
  console.log(`first call, opening included: ${(performance.now() - first).toFixed(1)} ms`);
  const random = randomFrom(5);
  const places = {
    'middle of London': () =>
      postcodeAt(london.latitudeDegrees + 0.01 * random(), london.longitudeDegrees + 0.01 * random()),
    'anywhere, as schools lie': () => {
      const { latitudeMicro, longitudeMicro } = makePoint(random);
      return postcodeAt(latitudeMicro / 1e6, longitudeMicro / 1e6);
    },
  };
  console.log(`${primary} primary and ${secondary} secondary schools counted in the middle of London`);
  for (const [what, place] of Object.entries(places)) {
    const times = Float64Array.from({ length: calls }, () => {
      const row = place();
      const begun = performance.now();
      describeSchools(row, release);
      return 1000 * (performance.now() - begun);
    }).sort();
    const share = (of: number) => (times[Math.floor(of * (calls - 1))] ?? 0).toFixed(0);
    console.log(`${what}: min ${share(0)} µs, median ${share(0.5)} µs, p99 ${share(0.99)} µs`);
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
}

if (process.argv[3] === 'load') await load();
else {
  if (!existsSync(file('ofsted.csv'))) writeSchools(folder, { establishments, inspected });
  // In a process of its own, so that its memory is its own.
  spawnSync(process.execPath, [import.meta.filename, folder, 'load'], { stdio: 'inherit' });
}
