// What a mirror is made of: one maker for what belongs together. Each is a process of its own, two at a time; what is there
// from an earlier run is used again. node update/make.ts FOLDER SCALE [MAKER]

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Listed } from '../../src/ingest/publication.ts';
import { openSources } from '../../src/ingest/source.ts';
import { sources } from '../../src/sources/index.ts';
import { formatDay, londonToday } from '../../src/uk/calendar.ts';
import {
  makeCrimes,
  makeMap,
  makeSales,
  makeSchools,
  makeTransport,
  policeArchive,
  registerAddress,
} from './large.ts';
import { Mirror } from './mirror.ts';
import { makePostcodes } from './postcodes.ts';
import {
  makeBankRate,
  makeCensus,
  makeCouncilTax,
  makeIncomes,
  makeNorthernIrishCensus,
  makeScottishCensus,
} from './small.ts';

const opened = await openSources(sources);

export const publications: readonly Listed[] = opened.flatMap(({ dataset, publications: own = [] }) =>
  own.map((publication): Listed => ({ ...publication, dataset })),
);

/** Addresses of publications that are always at the same place. */
function fixed(name: string): readonly string[] {
  const find = publications.find((publication) => publication.name === name)?.find;
  if (find?.kind !== 'fixed') throw new Error(`${name} is not kept at an address of its own any more`);
  return find.addresses;
}
export const only = (name: string): string => fixed(name)[0] ?? '';

type Maker = (mirror: Mirror, scale: number) => void | Promise<void>;

/** The longest first. */
const makers: Readonly<Record<string, Maker>> = {
  sales: (mirror, scale) =>
    makeSales(mirror, scale, [only('price-paid-complete'), only('price-paid-changes')]),
  crimes: makeCrimes,
  transport: (mirror, scale) =>
    makeTransport(mirror, scale, {
      naptan: only('naptan'),
      timetables: only('bus-timetables'),
      docks: only('bikepoint'),
      flows: only('road-traffic'),
    }),
  map: (mirror, scale) => makeMap(mirror, scale, fixed('openstreetmap')),
  postcodes: makePostcodes,
  'census of Scotland': makeScottishCensus,
  'census of England and Wales': (mirror) => makeCensus(mirror, fixed('census-england-wales')),
  'census of Northern Ireland': (mirror) => makeNorthernIrishCensus(mirror, fixed('census-northern-ireland')),
  schools: (mirror) => makeSchools(mirror, today()),
  incomes: makeIncomes,
  'council tax': makeCouncilTax,
  'bank rate': (mirror) => makeBankRate(mirror, fixed('bank-rate')),
};

const today = (): string => formatDay(londonToday(Date.now()));
const atOnce = 2;

/** Makes what is not there yet; all of it is then as if published in October. */
export async function makeMirror(folder: string, scale: number): Promise<Mirror> {
  mkdirSync(path.join(folder, '.made'), { recursive: true });
  const waiting = Object.keys(makers).filter((name) => !isMade(folder, name, scale));
  const workers = Array.from({ length: atOnce }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const begun = performance.now();
      await inProcess(folder, scale, name);
      writeFileSync(markOf(folder, name), String(scale));
      console.log(`made ${name} in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    }
  });
  await Promise.all(workers);
  const mirror = new Mirror(folder);
  dateRegister(mirror);
  for (const address of [only('price-paid-complete'), policeArchive]) mirror.publish(mirror.placeOf(address));
  return mirror;
}

const markOf = (folder: string, name: string) => path.join(folder, '.made', name);
const isMade = (folder: string, name: string, scale: number) =>
  existsSync(markOf(folder, name)) && readFileSync(markOf(folder, name), 'utf8') === String(scale);

function inProcess(folder: string, scale: number, name: string): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, folder, String(scale), name], {
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) =>
    child.once('close', (status) =>
      status === 0 ? resolve() : reject(new Error(`${name} could not be made (${status})`)),
    ),
  );
}

/** The register of schools is looked for under the days of the last three weeks. */
function dateRegister(mirror: Mirror): void {
  const wanted = mirror.placeOf(registerAddress(today()));
  const [there] = readdirSync(path.dirname(wanted));
  if (there !== undefined) renameSync(path.join(path.dirname(wanted), there), wanted);
}

if (import.meta.main) {
  const [folder = '', scale = '1', name = ''] = process.argv.slice(2);
  const make = makers[name];
  if (make === undefined) await makeMirror(folder, Number(scale));
  else await make(new Mirror(folder), Number(scale));
}
