// The data that comes with the program: the sample for live keys and the fictional town for test keys, built by
// the real ingest when the home folder lacks them, or has those of an older program.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { noProgress } from '../../ingest/progress.ts';
import type { SampleCuts } from '../../ingest/source.ts';
import { releaseVersion } from '../../release/manifest.ts';
import { partVersion } from '../../release/part.ts';
import { ReleaseDamaged } from '../../release/reader.ts';
import { openHome, ReleaseStore } from '../../release/store.ts';
import { derivations } from '../../sources/derivations.ts';
import { type SourceName, sourcesNamed } from '../../sources/index.ts';
import { layouts } from '../../tables/index.ts';
import { cutsMadeOf, sampleCuts } from './sample.ts';

export const bundledFolder = path.join(import.meta.dirname, '../../../data');

type Bundle = {
  readonly kind: 'sample' | 'sandbox';
  /** The sources of its files. A first start imports no other loader. */
  readonly sources: readonly SourceName[];
  readonly files: readonly string[];
  /** Sources whose files are real, in a bundle that is otherwise made up. */
  readonly real?: readonly SourceName[];
  /** What files say that were cut out of larger ones. */
  readonly cuts?: SampleCuts;
};

const bankRateFacts = ['facts/bank-rate.csv', 'facts/bank-rate.json'];

export const sample: Bundle = {
  kind: 'sample',
  cuts: sampleCuts,
  sources: [
    'bank-rate',
    'onspd',
    'authorities',
    'council-tax',
    'price-paid',
    'police',
    'schools-wales',
    'openstreetmap',
    'census-england-wales',
    'income',
    'naptan',
    'bods',
    'aadf',
    'ons-names',
  ],
  files: [
    ...bankRateFacts,
    'facts/billing-authorities.csv',
    'facts/abolished-authorities.csv',
    'facts/authorities.json',
    'facts/council-tax.csv',
    'facts/council-tax.json',
    'sample/postcodes-2025-10-17.csv',
    'sample/authority-names.csv',
    'sample/ward-names.csv',
    'sample/lsoa-names.csv',
    'sample/price-paid.csv',
    'sample/police.zip',
    'sample/address-list-schools-wales-20210825.ods',
    'sample/newport-2023-06-13.osm.pbf',
    'sample/isle-of-wight-2015-01-01.osm.pbf',
    'sample/rutland-2022-07-20.osm.pbf',
    'sample/census2021-ts001-lsoa.csv',
    'sample/census2021-ts006-lsoa.csv',
    'sample/census2021-ts007a-lsoa.csv',
    'sample/census2021-ts017-lsoa.csv',
    'sample/census2021-ts041-lsoa.csv',
    'sample/ashe87a_2021prov.xls',
    'sample/naptan.csv',
    'sample/bods-gtfs_2024-03-05_cut.zip',
    'sample/traffic.csv',
  ],
};
export const sandbox: Bundle = {
  kind: 'sandbox',
  real: ['bank-rate'],
  sources: [
    'bank-rate',
    'onspd',
    'authorities',
    'council-tax',
    'price-paid',
    'police',
    'gias',
    'ofsted',
    'openstreetmap',
    'census-england-wales',
    'census-scotland',
    'income',
    'naptan',
    'bods',
    'bikepoint',
    'aadf',
    'ons-names',
    'valuation-list',
  ],
  files: [
    ...bankRateFacts,
    'sandbox/postcodes.csv',
    'sandbox/ward-names.csv',
    'sandbox/lsoa-names.csv',
    'sandbox/police-force-names.csv',
    'sandbox/region-names.txt',
    'sandbox/billing-authorities.csv',
    'sandbox/authorities.json',
    'sandbox/council-tax.csv',
    'sandbox/council-tax.json',
    'sandbox/price-paid.csv',
    'sandbox/valuation-list.csv',
    'sandbox/police.zip',
    'sandbox/gias.csv',
    'sandbox/ofsted.csv',
    'sandbox/map.osm.pbf',
    'sandbox/census2021-ts001-lsoa.csv',
    'sandbox/census2021-ts006-lsoa.csv',
    'sandbox/census2021-ts007a-lsoa.csv',
    'sandbox/census2021-ts017-lsoa.csv',
    'sandbox/census2021-ts041-lsoa.csv',
    'sandbox/census2021-ts066-lsoa.csv',
    'sandbox/scotland-oa22-dz22-iz22.csv',
    'sandbox/scotland-uv101b.csv',
    'sandbox/scotland-uv103.csv',
    'sandbox/scotland-uv406.csv',
    'sandbox/scotland-uv601.csv',
    'sandbox/personal-incomes.ods',
    'sandbox/naptan.csv',
    'sandbox/bus-timetables.zip',
    'sandbox/bikepoint.json',
    'sandbox/traffic.csv',
  ],
};

/** The same files and program always give the same id. */
function idOf(bundle: Bundle): string {
  const { kind, files, real = [] } = bundle;
  const versions = [
    ...sourcesNamed(...bundle.sources).map(({ name, dataset, version }) => [
      name,
      version,
      layouts.get(dataset),
    ]),
    ...derivations.map(({ part, version }) => [part, version]),
  ];
  const hash = createHash('sha256').update(JSON.stringify([partVersion, releaseVersion, versions, ...real]));
  for (const file of files) hash.update(`\n${file}\n`).update(readFileSync(path.join(bundledFolder, file)));
  if (bundle.cuts !== undefined) for (const file of cutsMadeOf) hash.update(readFileSync(file));
  return `${kind}-${hash.digest('hex').slice(0, 12)}`;
}

export type BuildOrder = {
  readonly kind: Bundle['kind'];
  /** The folder of releases in which it is to appear. */
  readonly folder: string;
  readonly id: string;
  readonly atMs: number;
};

type Bundled = { readonly sampleId: string; readonly sandboxId: string };

/** Returns at once when all is in place. A release that the operator has loaded is never replaced. */
export async function ensureBundled(home: string, atMs: number): Promise<Bundled> {
  return { sampleId: await ensureSample(home, atMs), sandboxId: await ensureSandbox(home, atMs) };
}

/** Returns the id of the sample, which need not be current. */
export async function ensureSample(home: string, atMs: number, build = buildHere): Promise<string> {
  const store = openHome(home, layouts).releases;
  const id = idOf(sample);
  if (lacksSample(store, id))
    await provide(store, build, { kind: sample.kind, folder: store.folder, id, atMs });
  return id;
}

export async function ensureSandbox(home: string, atMs: number, build = buildHere): Promise<string> {
  const store = openHome(home, layouts).sandbox;
  const id = idOf(sandbox);
  if (store.currentId() !== id || !opens(store, id)) {
    await provide(store, build, { kind: sandbox.kind, folder: store.folder, id, atMs });
  }
  return id;
}

function lacksSample(store: ReleaseStore, id: string): boolean {
  const current = store.currentId();
  if (current === undefined) return true;
  if (current === id) return !opens(store, id);
  // Sample ids carry their kind, so a damaged loaded release is left for the operator to see.
  return current.startsWith(`${sample.kind}-`);
}

/** As far as a start looks: what it cannot serve it builds anew. */
function opens(store: ReleaseStore, id: string): boolean {
  if (!store.has(id)) return false;
  try {
    store.open(id).verifyQuickly();
    return true;
  } catch (error) {
    if (error instanceof ReleaseDamaged) return false;
    throw error;
  }
}

async function provide(store: ReleaseStore, build: typeof buildHere, order: BuildOrder): Promise<void> {
  const before = store.currentId();
  if (!isSound(store, order.id)) {
    try {
      await build(order);
    } catch (error) {
      // Two first starts at the same moment build the same release; the other one was faster.
      if (!store.has(order.id)) throw error;
    }
  }
  // An ingest may have finished meanwhile; what it made current stays.
  if (store.currentId() === before) store.point(order.id);
}

function isSound(store: ReleaseStore, id: string): boolean {
  if (!store.has(id)) return false;
  try {
    store.open(id).verify();
    return true;
  } catch (error) {
    if (!(error instanceof ReleaseDamaged)) throw error;
    store.remove(id);
    return false;
  }
}

export async function buildHere({ kind, folder, id, atMs }: BuildOrder): Promise<void> {
  const bundle = kind === 'sample' ? sample : sandbox;
  const { runIngest } = await import('../../ingest/run.ts');
  await runIngest({
    paths: bundle.files.map((file) => path.join(bundledFolder, file)),
    sources: sourcesNamed(...bundle.sources),
    derivations,
    store: new ReleaseStore(folder, layouts),
    base: undefined,
    id,
    kind,
    ...(bundle.real === undefined ? {} : { real: bundle.real }),
    cuts: bundle.cuts,
    atMs,
    progress: noProgress,
  });
}

/** As buildHere, in a thread, so that the service can start and answer meanwhile. */
export function buildInThread(order: BuildOrder): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // It makes much that is soon forgotten; with the usual room, a tenth of its time would go into clearing up.
  const resourceLimits = { maxYoungGenerationSizeMb: 64 };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: order,
    resourceLimits,
  });
  thread.once('error', reject);
  // After an error this comes too late to matter.
  thread.once('exit', () => resolve());
  return promise;
}
