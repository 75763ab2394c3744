// A national archive in the official layout, made up, and how long its load takes. Arguments: millions of incidents,
// millions of points, and the folder for the archive, which is made when absent and left there (20 0.7 DIR).

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { police } from '../../src/sources/police.ts';
import { formatMonth } from '../../src/uk/calendar.ts';
import { crimeCategories } from '../../src/uk/police.ts';
import {
  firstMonth,
  forceCount,
  makeCategory,
  makeCount,
  makeOutcome,
  makePoint,
  months,
  randomFrom,
} from './made-up.ts';

const [incidentsMillion = 20, pointsMillion = 0.7] = process.argv.slice(2, 4).map(Number);
const archive = process.argv[4] ?? path.join(tmpdir(), 'domesday-bench-police');

const outcomes = [
  '',
  'Investigation complete; no suspect identified',
  'Unable to prosecute suspect',
  'Under investigation',
  'Awaiting court outcome',
  'Local resolution',
  'Offender given a caution',
  'Court result unavailable',
  'Action to be taken by another organisation',
  'Suspect charged',
  'Formal action is not in the public interest',
  'Status update unavailable',
  'Offender fined',
];
const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type\n';

function generate(): void {
  const random = randomFrom(7);
  const places: { force: number; text: string }[] = Array.from(
    { length: Math.round(pointsMillion * 1e6) },
    (_, index) => {
      const { latitudeMicro, longitudeMicro, force } = makePoint(random);
      const lsoa = `E0${1_000_000 + Math.floor(index / 20)}`;
      const text = `${(longitudeMicro / 1e6).toFixed(6)},${(latitudeMicro / 1e6).toFixed(6)},On or near Made Up Street ${index % 90_000},${lsoa},District ${Math.floor(index / 2000)} 001A`;
      return { force, text };
    },
  ).sort((a, b) => a.force - b.force);
  const seed = createHash('sha512').update('ids').digest('hex');
  let number = 0;
  const idOf = () => {
    number += 1;
    return (
      Math.imul(number, 0x9e3779b1).toString(16).replace('-', 'a').padStart(8, '0') +
      number.toString(16).padStart(8, '0') +
      seed.slice(number % 64, (number % 64) + 48)
    );
  };
  const mean = incidentsMillion / pointsMillion / months;
  for (let month = firstMonth; month < firstMonth + months; month += 1) {
    const text = formatMonth(month);
    mkdirSync(path.join(archive, text), { recursive: true });
    let at = 0;
    for (let force = 0; force < forceCount; force += 1) {
      const name = `Force ${force} Police`;
      const file = (kind: string) =>
        openSync(path.join(archive, text, `${text}-force-${force}-${kind}.csv`), 'w');
      const [street, outcome] = [file('street'), file('outcomes')];
      let [rows, later] = [streetTitles, outcomeTitles];
      for (; places[at]?.force === force; at += 1) {
        for (let count = makeCount(random, mean); count > 0; count -= 1) {
          const category = crimeCategories[makeCategory(random)]?.name ?? '';
          const isAntiSocial = category === 'Anti-social behaviour';
          const label = isAntiSocial ? '' : outcomes[makeOutcome(random)];
          const id = isAntiSocial ? '' : idOf();
          rows += `${id},${text},${name},${name},${places[at]?.text},${category},${label},\n`;
          if (label !== '') later += `${id},${text},${name},${name},${places[at]?.text},${label}\n`;
        }
        if (rows.length > 1 << 20) {
          writeSync(street, rows);
          writeSync(outcome, later);
          [rows, later] = ['', ''];
        }
      }
      writeSync(street, rows);
      writeSync(outcome, later);
      closeSync(street);
      closeSync(outcome);
    }
  }
}

async function load(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-bench-ingest-'));
  const begun = performance.now();
  const { sources, release } = await runIngest({
    paths: [archive],
    sources: [police],
    store: new ReleaseStore(home),
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.now(),
    progress: noProgress,
  });
  const seconds = (performance.now() - begun) / 1000;
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  console.log(
    `read ${sources[0]?.read} rows, kept ${sources[0]?.kept}, in ${seconds.toFixed(0)} s; most memory ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB; release ${(bytes / 1e9).toFixed(2)} GB`,
  );
  rmSync(home, { recursive: true, force: true });
}

if (process.argv[5] === 'load') await load();
else {
  if (!existsSync(archive)) generate();
  // In a process of its own, so that its memory is its own.
  spawnSync(
    process.execPath,
    [import.meta.filename, String(incidentsMillion), String(pointsMillion), archive, 'load'],
    { stdio: 'inherit' },
  );
}
