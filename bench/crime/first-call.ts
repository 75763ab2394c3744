// What the first /crime/by-postcode of a release and thread takes, with whose ground a circle touches as a part of the
// release, and without, where the first call works it out. Arguments: a file of postcodes of the country
// (Code-Point Open or ONSPD), files of crime, and a postcode that both have (FILE FILE LE15 6QU). Every call is in a process
// of its own, and the two take turns.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { londonToday } from '../../src/uk/calendar.ts';
import { median } from '../server.ts';

const rounds = 7;

async function ask(home: string, id: string, postcode: string): Promise<number> {
  const release = new ReleaseStore(home, layouts).open(id);
  const begunMs = performance.now();
  const prepared = crimeByPostcode.prepare(new URLSearchParams({ postcode }));
  if (prepared.kind !== 'prepared') throw new Error(`${postcode} is no postcode.`);
  const outcome = await prepared.run({ release, today: londonToday(Date.now()) });
  if (outcome.kind !== 'answered') throw new Error(`There is no crime around ${postcode}.`);
  return performance.now() - begunMs;
}

async function measure(files: readonly string[], postcode: string): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-bench-first-'));
  const store = new ReleaseStore(home, layouts);
  const order = { sources, store, kind: 'loaded', atMs: Date.now(), progress: noProgress } as const;
  const { release } = await runIngest({
    ...order,
    paths: files,
    derivations,
    base: undefined,
    id: 'with-part',
  });
  await runIngest({
    ...order,
    paths: files.slice(1),
    derivations: [],
    base: release,
    id: 'without-part',
  });
  const taken = new Map<string, number[]>(['without-part', 'with-part'].map((id) => [id, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [id, results] of taken) {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [import.meta.filename, 'ask', home, id, postcode],
        { encoding: 'utf8' },
      );
      if (stderr !== '') throw new Error(stderr);
      results.push(Number(stdout));
    }
  }
  for (const [id, results] of taken)
    console.log(
      `${id}: ${median(results).toFixed(0)} ms (median of ${rounds}; lowest ${Math.min(...results).toFixed(0)}); load average ${loadavg()[0]?.toFixed(1)}`,
    );
  rmSync(home, { recursive: true });
}

const [first = '', ...others] = process.argv.slice(2);
if (first === 'ask') console.log(await ask(others[0] ?? '', others[1] ?? '', others[2] ?? ''));
else await measure([first, ...others.slice(0, -1)], others.at(-1) ?? '');
