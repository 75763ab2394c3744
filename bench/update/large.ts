// The publications of many megabytes, by the makers of the other benchmarks: sales, crimes, the map, public transport, schools.

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { territorialForces } from '../../src/uk/police.ts';
import { firstMonth, months } from '../crime/made-up.ts';
import { allLines, changeLines, createWorld, writeLines } from '../sold-prices/generate.ts';
import { writeCountry as writeMap } from './map.ts';
import type { Mirror } from './mirror.ts';
import { archiveEntries, writeZip } from './police-archive.ts';
import { writeSchools } from './schools.ts';
import { putGovuk } from './small.ts';
import { makeCountry as writeTransport } from './transport.ts';

/** Made-up rows have 172 bytes; the file of September 2026 has 5.53 GB. */
const sales = 32_100_000;
const changes = 125_000;

export function makeSales(
  mirror: Mirror,
  scale: number,
  [complete = '', monthly = '']: readonly string[],
): void {
  const rows = Math.round(sales * scale);
  const world = createWorld(rows, 1);
  for (const [address, lines] of [
    [complete, allLines(world, rows)],
    [monthly, changeLines(world, rows, Math.round(changes * scale))],
  ] as const) {
    const place = mirror.placeOf(address);
    writeLines(place, lines);
    mirror.publish(place);
  }
}

const archivePage = 'https://data.police.uk/data/archive/';
const archiveName = '2024-12.zip';
export const policeArchive = `${archivePage}${archiveName}`;

export async function makeCrimes(mirror: Mirror, scale: number): Promise<void> {
  const slugOf = (name: string) =>
    name
      .replace(/ (Police|Constabulary|Police Service)$/, '')
      .replaceAll('&', 'and')
      .replaceAll(' ', '-')
      .toLowerCase();
  const size = {
    incidents: Math.round(20_600_000 * scale),
    points: Math.round(720_000 * scale),
    seed: 7,
    from: firstMonth,
    to: firstMonth + months - 1,
    forces: territorialForces.slice(0, 43).map((name) => ({ name, slug: slugOf(name) })),
  };
  const place = mirror.placeOf(policeArchive);
  await writeZip(place, archiveEntries(size));
  mirror.publish(place);
  await tellArchive(mirror);
}

/** The page has the MD5 of the file as it is now. */
export async function tellArchive(mirror: Mirror): Promise<void> {
  const hash = createHash('md5');
  for await (const piece of createReadStream(mirror.placeOf(policeArchive))) hash.update(piece);
  mirror.putPage(archivePage, `/data/archive/${archiveName}`, hash.digest('hex'));
}

/** Millions of nodes and ways for 2.2 GB. */
export async function makeMap(
  mirror: Mirror,
  scale: number,
  [address = '']: readonly string[],
): Promise<void> {
  const place = mirror.placeOf(address);
  await writeMap(place, Math.round(263e6 * scale), Math.round(26e6 * scale));
  mirror.publish(place);
}

type Addresses = {
  readonly naptan: string;
  readonly timetables: string;
  readonly docks: string;
  readonly flows: string;
};

/** Of the 1.8 GB of the real timetables most is shapes.txt; how much is not known. */
export async function makeTransport(mirror: Mirror, scale: number, addresses: Addresses): Promise<void> {
  const folder = path.join(mirror.folder, 'transport.made');
  rmSync(folder, { recursive: true, force: true });
  writeTransport(folder, { millions: 60 * scale, shapeMegabytes: 2_900 * scale });
  const move = (name: string, address: string) => {
    const place = mirror.placeOf(address);
    renameSync(path.join(folder, name), place);
    mirror.publish(place);
  };
  move('naptan.csv', addresses.naptan);
  move('itm_all_gtfs.zip', addresses.timetables);
  move('bikepoint.json', addresses.docks);
  const flows = mirror.placeOf(addresses.flows);
  const text = readFileSync(path.join(folder, 'traffic.csv'), 'utf8');
  await writeZip(flows, [{ name: 'dft_traffic_counts_aadf.csv', text }]);
  mirror.publish(flows);
  rmSync(folder, { recursive: true });
}

const inspections =
  '/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes';

export const registerAddress = (day: string): string =>
  `https://ea-edubase-api-prod.azurewebsites.net/edubase/downloads/public/edubasealldata${day.replaceAll('-', '')}.csv`;

/** Rows for the real sizes, 65 and 17 MB. */
export function makeSchools(mirror: Mirror, day: string): void {
  const folder = path.join(mirror.folder, 'schools.made');
  writeSchools(folder, { establishments: 98_000, inspected: 28_500 });
  const register = mirror.placeOf(registerAddress(day));
  renameSync(path.join(folder, 'gias.csv'), register);
  mirror.publish(register);
  putInspections(mirror, path.join(folder, 'ofsted.csv'));
  rmSync(folder, { recursive: true });
}

function putInspections(mirror: Mirror, file: string): void {
  putGovuk(mirror, inspections, [
    {
      title: 'Management information - state-funded schools - latest inspections as at 31 August 2026',
      fileName: 'Management_information_-_state-funded_schools_-_latest_inspections_as_at_31_August_2026.csv',
      content: readFileSync(file),
    },
  ]);
}
