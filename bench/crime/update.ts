// How long it takes to load one more month over a national archive, all of which is carried over. Arguments: millions of
// incidents, millions of points, a folder for what is made (used again when it is there), and the folder of another
// checkout of this project, for before and after in one run: both take turns with the command `domesday ingest`.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { median } from '../server.ts';
import { archiveEntries, writeZip } from './archive.ts';
import { firstMonth, months } from './made-up.ts';

const [incidentsMillion = 20, pointsMillion = 0.7] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4] ?? mkdtempSync(path.join(tmpdir(), 'domesday-bench-update-'));
const here = path.join(import.meta.dirname, '../..');
const checkouts = [...process.argv.slice(5, 6), here];
const rounds = 3;
/** Of /proc, on every Linux that Node runs on. */
const tickSeconds = 0.01;

const place = (name: string) => path.join(folder, name);

async function make(name: string, from: number, to: number): Promise<string> {
  const zip = place(name);
  const size = { incidents: incidentsMillion * 1e6, points: Math.round(pointsMillion * 1e6), seed: 7 };
  if (!existsSync(zip)) await writeZip(zip, archiveEntries({ ...size, from, to }));
  return zip;
}

/** Of all children that have ended. */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return tickSeconds * (Number(fields[13]) + Number(fields[14]));
}

function ingest(checkout: string, home: string, zip: string) {
  const [begunMs, before] = [performance.now(), childrenSeconds()];
  const command = [path.join(checkout, 'bin/domesday.js'), 'ingest', '--home', home, zip];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { seconds: (performance.now() - begunMs) / 1000, processorSeconds: childrenSeconds() - before };
}

mkdirSync(folder, { recursive: true });
const archive = await make('2024-12.zip', firstMonth, firstMonth + months - 1);
const update = await make('2025-01.zip', firstMonth + months, firstMonth + months);
// A home of each: one of another version would have its bundled data built anew by every update.
const bases = new Map(checkouts.map((checkout, at) => [checkout, place(`home-${at}`)]));
for (const [checkout, home] of bases) if (!existsSync(home)) ingest(checkout, home, archive);
const taken = new Map<string, ReturnType<typeof ingest>[]>(checkouts.map((checkout) => [checkout, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [checkout, results] of taken) {
    const home = place('updated');
    cpSync(bases.get(checkout) ?? '', home, { recursive: true });
    results.push(ingest(checkout, home, update));
    rmSync(home, { recursive: true });
  }
}
for (const [checkout, results] of taken) {
  const [seconds, processor] = [
    results.map((result) => result.seconds),
    results.map((result) => result.processorSeconds),
  ];
  console.log(
    `${checkout}: ${median(seconds).toFixed(1)} s, ${median(processor).toFixed(1)} s of processor (median of ${rounds}; lowest ${Math.min(...seconds).toFixed(1)} and ${Math.min(...processor).toFixed(1)}); load average ${loadavg()[0]?.toFixed(1)}`,
  );
}
if (process.argv[4] === undefined) rmSync(folder, { recursive: true });
