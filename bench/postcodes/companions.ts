// The endpoints of postcodes themselves at the size of the country: look up, near, complete, as the service runs them (parameters
// read, answer written), each call by its processor time, as the clock would also count what others do. Needs files of postcodes, best with names:
// `node postcodes/companions.ts codepo_gb.zip Codelist.xlsx`; without any it makes up a country, whose neighbours in the alphabet are
// strewn about, which is the worst for near.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { postcodesComplete } from '../../src/endpoints/postcodes-complete.ts';
import { postcodesLookup } from '../../src/endpoints/postcodes-lookup.ts';
import { postcodesNear } from '../../src/endpoints/postcodes-near.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import type { Release } from '../../src/release/reader.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openCompletions } from '../../src/tables/postcodes/completions.ts';
import { deriveCompletions } from '../../src/tables/postcodes/completions-builder.ts';
import { openPostcodesNear } from '../../src/tables/postcodes/near.ts';
import { openPostcodes, type PostcodeRow } from '../../src/tables/postcodes/postcodes.ts';
import { writeCountry } from './country.ts';

const calls = 20_000;
const facts = ['billing-authorities.csv', 'authorities.json'].map((name) =>
  path.join(import.meta.dirname, '../../data/facts', name),
);

const work = mkdtempSync(path.join(tmpdir(), 'domesday-bench-companions-'));
const store = new ReleaseStore(path.join(work, 'releases'), layouts);

async function run(given: readonly string[]): Promise<void> {
  const paths = given.length > 0 ? given : [makeUp()];
  const begun = performance.now();
  const { release } = await runIngest({
    paths: [...facts, ...paths],
    sources,
    derivations,
    store,
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15),
    progress: noProgress,
  });
  const parts = ['postcodes', 'postcodes-grid', 'completions'].map(
    (name) => `${name} ${((release.manifest.parts[name]?.bytes ?? 0) / 1e6).toFixed(1)} MB`,
  );
  console.log(`node ${process.version}; ingest ${seconds(begun)} s: ${parts.join(', ')}`);
  timed('completions worked out', () => deriveCompletions(release));
  store.point(release.id);
  await measure(store.openCurrent());
}

function makeUp(): string {
  const file = path.join(work, 'codepo_gb_2025.4_all.csv');
  writeCountry(file, 'code-point');
  return file;
}

const seconds = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

function timed(what: string, act: () => unknown): void {
  const before = process.memoryUsage();
  const begun = performance.now();
  act();
  const ms = performance.now() - begun;
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const mb = (heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers) / 1e6;
  console.log(`${what}: ${ms.toFixed(1)} ms, ${mb.toFixed(1)} MB`);
}

async function measure(release: Release): Promise<void> {
  timed('first use of postcodes', () => openPostcodes(release));
  timed('first use of near', () => openPostcodesNear(release));
  timed('first use of complete', () => openCompletions(release).complete('x', 1));
  const ask = (endpoint: Endpoint, params: Readonly<Record<string, string>>) => {
    const prepared = endpoint.prepare(new Map(Object.entries(params)));
    if (prepared.kind === 'refused') throw new Error(prepared.message);
    return prepared.run({ release, today: 20_000 });
  };
  timed('first look-up (grid references are read)', () => ask(postcodesLookup, { postcode: 'SW1A 1AA' }));
  const random = randomFrom(1086);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? fail();
  const rows: readonly PostcodeRow[] = (() => {
    const table = openPostcodes(release);
    return Array.from({ length: calls }, () => table.at(Math.floor(random() * table.size)));
  })();
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const places = letters.flatMap((letter) => openCompletions(release).complete(letter, 400).places);
  const names = places.map(({ name }) => name);
  const codes = places.flatMap(({ code }) => code ?? []);
  const near = (radius: number, limit: number) => () => {
    const { point } = pick(rows);
    const { latitudeDegrees = 51.5, longitudeDegrees = -0.12 } = point ?? {};
    const lat = String((latitudeDegrees + (random() - 0.5) / 200).toFixed(6));
    const lon = String((longitudeDegrees + (random() - 0.5) / 200).toFixed(6));
    return ask(postcodesNear, { lat, lon, radius: String(radius), limit: String(limit) });
  };
  const london = () =>
    ask(postcodesNear, {
      lat: (51.5 + random() / 50).toFixed(6),
      lon: (-0.15 + random() / 20).toFixed(6),
      radius: '5000',
      limit: '100',
    });
  const begin = (text: string) =>
    ask(postcodesComplete, { q: text.slice(0, 1 + Math.floor(random() * text.length)) });
  const sides: readonly (readonly [string, () => unknown])[] = [
    ['lookup', () => ask(postcodesLookup, { postcode: pick(rows).postcode })],
    ['near, 500 m, 10', near(500, 10)],
    ['near, 5 km, 10', near(5_000, 10)],
    ['near, 5 km, 100', near(5_000, 100)],
    ['near, 5 km, 100, in the middle of London', london],
    ['complete, half a postcode', () => begin(pick(rows).postcode)],
    ['complete, half a name', () => begin(pick(names))],
    ['complete, a code', () => ask(postcodesComplete, { q: pick(codes) })],
    ['complete, one letter', () => ask(postcodesComplete, { q: pick(letters), limit: '50' })],
  ];
  for (const [name, act] of sides) {
    for (let call = 0; call < 2_000; call += 1) await act();
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const begun = process.cpuUsage();
      await act();
      const { user, system } = process.cpuUsage(begun);
      times.push(user + system);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(share * times.length)] ?? Number.NaN).toFixed(0);
    const load = loadavg()[0]?.toFixed(1);
    console.log(
      `${name}: p50 ${at(0.5)} µs, p99 ${at(0.99)} µs, p99.9 ${at(0.999)} µs (load average ${load})`,
    );
  }
}

function fail(): never {
  throw new Error('nothing to pick from');
}

try {
  await run(process.argv.slice(2));
} finally {
  rmSync(work, { recursive: true, force: true });
}
