// What one call of /area/statistics and /area/places costs with data of national size, made up: from the parameters to finished JSON,
// without HTTP and ledger, for random postcodes all over the country and for those of inner London.
// Arguments: calls (20000), and a folder for the release, which is made when absent and left there.

import { existsSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { areaPlaces } from '../../src/endpoints/area-places.ts';
import { describeCrime } from '../../src/endpoints/area-statistics/crime.ts';
import { areaStatistics } from '../../src/endpoints/area-statistics.ts';
import { writeDerived } from '../../src/ingest/derivation.ts';
import type { Release } from '../../src/release/reader.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { parsePostcode } from '../../src/uk/postcode.ts';
import { london } from '../crime/made-up.ts';
import { describeDataset, type MadePart, makeCrime, makeLsoas, makePostcodes } from './made-up.ts';
import { makeAmenities, makeCensus, makeSchools, makeTransport } from './nearby.ts';

const calls = Number(process.argv[2] ?? 20_000);
const folder = process.argv[3] ?? path.join(tmpdir(), 'domesday-bench-area');
const store = new ReleaseStore(folder, layouts);
const id = 'bench-area';

function build(): void {
  const random = randomFrom(1086);
  const lsoas = makeLsoas(random);
  const crime = makeCrime(lsoas, random);
  console.log(`crime counted by LSOA: 20 million incidents in ${(crime.ms / 1000).toFixed(1)} s`);
  const parts: readonly MadePart[] = [
    makePostcodes(lsoas, random),
    crime.part,
    ...makeCensus(lsoas, random),
    ...makeSchools(random),
    ...makeTransport(random),
    ...makeAmenities(random),
  ];
  const writer = store.beginRelease({ id, kind: 'loaded', createdAtMs: 0, base: undefined });
  for (const { part, columns } of parts) writer.writePart(part, columns);
  for (const [dataset, own] of Map.groupBy(parts, (part) => part.dataset)) {
    writer.putDataset(
      describeDataset(
        dataset,
        own.map(({ part }) => part),
      ),
    );
  }
  const begun = process.cpuUsage();
  writeDerived(writer, derivations, undefined, new Set());
  console.log(`areas ranked at ingest in ${cpuMs(begun).toFixed(0)} ms of processor`);
  writer.finish();
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** Postcodes of the release, the same at every run; `near` those within so many metres of London's centre. */
function choosePostcodes(release: Release, nearMetres: number | undefined): readonly string[] {
  const random = randomFrom(7);
  const table = openPostcodes(release);
  const chosen = table.areas().flatMap((area) =>
    [...table.inArea(area)].flatMap(({ postcode, point }) => {
      if (point === null || (nearMetres === undefined && random() > 0.02)) return [];
      const { latitudeDegrees, longitudeDegrees } = london;
      const metres = distanceMetres(
        latitudeDegrees,
        longitudeDegrees,
        point.latitudeDegrees,
        point.longitudeDegrees,
      );
      return nearMetres === undefined || metres < nearMetres ? [postcode] : [];
    }),
  );
  return Array.from({ length: calls }, () => chosen[Math.floor(random() * chosen.length)] ?? '');
}

type Asked = { readonly what: string; readonly endpoint: Endpoint; readonly params?: Record<string, string> };

function measure({ what, endpoint, params }: Asked, release: Release, postcodes: readonly string[]): void {
  const context = { release, today: 20_772 };
  const ask = (postcode: string) => {
    const prepared = endpoint.prepare(new URLSearchParams({ ...params, postcode }));
    const outcome = prepared.kind === 'prepared' ? prepared.run(context) : prepared;
    if (outcome instanceof Promise || outcome.kind !== 'answered')
      throw new Error(`${postcode} is not answered`);
    return outcome.json;
  };
  for (const postcode of postcodes.slice(0, 2_000)) ask(postcode);
  const before = process.cpuUsage();
  const times = Float64Array.from(postcodes, (postcode) => {
    const begun = performance.now();
    ask(postcode);
    return performance.now() - begun;
  }).sort();
  const processorMs = cpuMs(before);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(3);
  console.log(
    `${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; processor ${(processorMs / times.length).toFixed(3)} ms a call`,
  );
}

if (!existsSync(path.join(folder, id))) build();
const release = store.open(id);
const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
const everywhere = choosePostcodes(release, undefined);
const inLondon = choosePostcodes(release, 3_000);
// Every call opens the postcodes; what follows is the share of crime in the first call of a release.
const firstCalls = Array.from({ length: 10 }, () => {
  const opening = store.open(id);
  const postcode = parsePostcode(everywhere[0] ?? '');
  const row = postcode === undefined ? undefined : openPostcodes(opening).find(postcode);
  if (row === undefined) throw new Error('a chosen postcode is not there');
  const begun = process.cpuUsage();
  describeCrime(row, opening);
  return cpuMs(begun);
});
console.log(
  `release ${(bytes / 1e6).toFixed(0)} MB; crime at the first call: processor ${Math.min(...firstCalls).toFixed(1)} ms at least, ${Math.max(...firstCalls).toFixed(1)} ms at most of ${firstCalls.length}`,
);
measure({ what: 'anywhere', endpoint: areaStatistics }, release, everywhere);
measure({ what: 'inner London', endpoint: areaStatistics }, release, inLondon);
const places = { endpoint: areaPlaces, what: 'places within 800 m' };
measure({ ...places, what: `${places.what}, anywhere` }, release, everywhere);
measure({ ...places, what: `${places.what}, inner London` }, release, inLondon);
const widest = { radius: '3200', limit: '500' };
measure(
  { ...places, what: '500 places within 3,200 m, inner London', params: widest },
  release,
  inLondon.slice(0, 2_000),
);
console.log(
  `load average ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
);
