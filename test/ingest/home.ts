// A temporary home with the bundled data, and an ingest into it as the command does it.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEdition } from '../../src/ingest/dating.ts';
import type { Derivation } from '../../src/ingest/derivation.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { type IngestReport, runIngest } from '../../src/ingest/run.ts';
import type { Source } from '../../src/ingest/source.ts';
import { Release, readShared } from '../../src/release/reader.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { derivations as allDerivations } from '../../src/sources/derivations.ts';
import { sources as allSources } from '../../src/sources/index.ts';
import { openBankRate } from '../../src/tables/bank-rate.ts';
import { layouts } from '../../src/tables/index.ts';
import { formatDay } from '../../src/uk/calendar.ts';
import { copyBundled, prebuilt } from '../prebuilt.ts';

export const facts = ['bank-rate.csv', 'bank-rate.json'].map((name) =>
  path.join(import.meta.dirname, '../../data/facts', name),
);
export const fixture = (name: string) => path.join(import.meta.dirname, '../fixtures/bank-rate', name);

export type TestHome = {
  readonly folder: string;
  readonly store: ReleaseStore;
  /** Writes a file and returns its path. */
  put(name: string, content: string | Uint8Array): string;
  ingest(
    paths: readonly string[],
    sources?: readonly Source[],
    derivations?: readonly Derivation[],
    /** YYYY-MM-DD, as --edition gives it. */
    edition?: string,
  ): Promise<IngestReport>;
  /** "date rate series", oldest first, of the current release. */
  changes(): readonly string[];
  remove(): void;
};

/** The release as if every list in it were the whole country's, for tests whose lists are small. */
export const asWhole = (release: Release): Release =>
  new Release(
    release.dir,
    {
      ...release.manifest,
      datasets: release.manifest.datasets.map((dataset) => ({ ...dataset, extent: 'complete' })),
    },
    layouts,
    readShared,
  );

export function openTestHome(): TestHome {
  return testHomeIn(mkdtempSync(path.join(tmpdir(), 'domesday-home-')));
}

/** A home that has the bundled data, as a first start leaves it. */
export async function openHomeWithSample(): Promise<TestHome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-home-'));
  await copyBundled(folder);
  return testHomeIn(folder);
}

/** A home into which one file, large and of a publisher, was loaded. */
export async function openHomeWith(file: string): Promise<TestHome> {
  const build = async (folder: string) => {
    await testHomeIn(folder).ingest([file]);
  };
  const loaded = await prebuilt(`loaded-${path.basename(file)}`, build, [file]);
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-home-'));
  cpSync(loaded, folder, { recursive: true });
  return testHomeIn(folder);
}

function testHomeIn(folder: string): TestHome {
  const store = new ReleaseStore(path.join(folder, 'releases'), layouts);
  let made = store.list().length;
  return {
    folder,
    store,
    put: (name, content) => {
      const place = path.join(folder, name);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, content);
      return place;
    },
    ingest: async (paths, sources = allSources, derivations = allDerivations, edition = undefined) => {
      made += 1;
      const report = await runIngest({
        paths,
        sources,
        derivations,
        store,
        base: store.currentId() === undefined ? undefined : store.openCurrent(),
        id: `made-${made}`,
        kind: 'loaded',
        atMs: Date.UTC(2026, 10, 15, 12, made),
        editionDay: edition === undefined ? undefined : parseEdition(edition),
        progress: noProgress,
      });
      store.point(report.release.id);
      return report;
    },
    changes: () => {
      const table = openBankRate(store.openCurrent());
      return table
        .changesIn(table.firstDay, table.lastDay)
        .map(({ day, rate, series }) => `${formatDay(day)} ${rate} ${series}`)
        .reverse();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
