// One ingest: paths → files → sources → parts → derived parts → a verified release. Whoever calls makes it current.

import path from 'node:path';
import type { DatasetName } from '../datasets.ts';
import type { Dataset, ReleaseKind } from '../release/manifest.ts';
import { describeUnreadable, type Release } from '../release/reader.ts';
import type { ReleaseStore } from '../release/store.ts';
import type { ReleaseWriter } from '../release/writer.ts';
import { londonToday } from '../uk/calendar.ts';
import { visible } from '../visible.ts';
import { Dating } from './dating.ts';
import { type Derivation, writeDerived } from './derivation.ts';
import { findFiles, type LeftOut } from './files.ts';
import type { Progress } from './progress.ts';
import { type Group, recogniseFiles } from './recognise.ts';
import { IngestRefused } from './refusal.ts';
import { type OpenSource, openSources, type Source } from './source.ts';
import { type Rejects, Tally } from './tally.ts';

type IngestOrder = {
  readonly paths: readonly string[];
  readonly sources: readonly Source[];
  readonly derivations: readonly Derivation[];
  readonly store: ReleaseStore;
  /** The release to build on. */
  readonly base: Release | undefined;
  readonly id: string;
  readonly kind: ReleaseKind;
  /** Names of sources whose files are real in a sandbox too. */
  readonly real?: readonly string[];
  readonly atMs: number;
  /** The day of files that do not say theirs, as the operator gives it. */
  readonly editionDay?: number | undefined;
  readonly progress: Progress;
};

export type SourceReport = {
  readonly source: string;
  readonly dataset: DatasetName;
  readonly title: string;
  readonly files: readonly {
    readonly name: string;
    readonly layout: string;
    /** "2021-08-25, by its name"; only where the rows do not tell. */
    readonly dated?: string;
  }[];
  readonly read: number;
  readonly kept: number;
  readonly rejected: readonly Rejects[];
  /** Rows of the earlier release that were taken out or corrected. */
  readonly revised: readonly Rejects[];
  /** Rows that were kept, but that the operator should know of. */
  readonly noted: readonly Rejects[];
  /** Rows of the dataset as it now stands. */
  readonly rows: number;
  readonly edition: string;
  readonly asOf: string;
};

export type IngestReport = {
  readonly release: Release;
  readonly sources: readonly SourceReport[];
  readonly skipped: readonly string[];
  readonly passedOver: readonly LeftOut[];
  /** Of the datasets of this run, those whose bundled sample gave way to these files. */
  readonly gaveWay: readonly DatasetName[];
};

/** Throws IngestRefused when a file is not what it should be. No release is made then. */
export async function runIngest(order: IngestOrder): Promise<IngestReport> {
  const { paths, sources, derivations, store, base, id, kind, atMs, progress } = order;
  progress({ phase: 'Looking at the files', done: 0, total: undefined });
  const found = await findFiles(paths);
  try {
    const { groups, skipped, passedOver } = recogniseFiles(found, await openSources(sources));
    const writer = store.beginRelease({ id, kind, createdAtMs: atMs, base });
    try {
      // The days of bundled files are the project's own, and hold under a clock that is years behind too.
      const today = kind === 'loaded' ? londonToday(atMs) : Number.POSITIVE_INFINITY;
      const dating = new Dating(today, order.editionDay);
      const reports: SourceReport[] = [];
      for (const group of groups) reports.push(await loadGroup(group, writer, dating, order));
      dating.refuseUnused(reports.map(({ asOf }) => asOf));
      await writeDerived(writer, derivations, base, new Set(reports.map(({ dataset }) => dataset)));
      progress({ phase: 'Verifying the release', done: 0, total: undefined });
      const release = writer.finish();
      return { release, sources: reports, skipped, passedOver, gaveWay: findGivenWay(groups, base, release) };
    } catch (error) {
      writer.abandon();
      throw error;
    }
  } finally {
    found.close();
  }
}

const isSample = (release: Release | undefined, dataset: DatasetName) =>
  release?.findDataset(dataset)?.extent === 'sample';

const findGivenWay = (groups: readonly Group[], base: Release | undefined, made: Release) =>
  groups
    .filter(({ source }) => source.bundledSample !== 'kept')
    .map(({ source }) => source.dataset)
    .filter((dataset) => isSample(base, dataset) && !isSample(made, dataset));

/** Overrides what a loader says, so that no source can leave it out. */
const fictional = {
  extent: 'fictional',
  attribution: "Made up for the sandbox; nothing of the publisher's is in it.",
} as const;

async function loadGroup(
  group: Group,
  writer: ReleaseWriter,
  dating: Dating,
  order: IngestOrder,
): Promise<SourceReport> {
  const { source, files } = group;
  const { kind, atMs, progress } = order;
  const tally = new Tally();
  const parts: string[] = [];
  const base = writer.soFar();
  const needBefore = () => refuseUnreadable(source, base);
  if (source.wholeFiles === undefined) needBefore();
  const load = () =>
    source.load(files, {
      source,
      base,
      kind,
      dating,
      tally,
      progress,
      scratch: () => writer.scratch,
      writePart: (name, columns) => {
        writer.writePart(name, columns);
        parts.push(name);
      },
      writeEncoded: async (name, part) => {
        parts.push(name);
        await writer.writeEncoded(name, part);
      },
      keepPart: (name) => parts.push(name),
      needBefore,
    });
  const loaded = await load().catch(async (error: unknown) => {
    // A file that changed meanwhile looks damaged, and is not.
    for (const disk of group.disks) await disk.refuseIfChanged();
    throw error;
  });
  const fingerprints: Dataset['files'][number][] = [];
  for (const disk of group.disks) {
    fingerprints.push({ name: visible(path.basename(disk.path)), ...(await disk.fingerprint()) });
  }
  const isFictional = kind === 'sandbox' && !order.real?.includes(source.name);
  writer.putDataset({
    ...source.facts,
    ...loaded,
    ...(isFictional ? fictional : {}),
    name: source.dataset,
    title: source.title,
    source: source.source,
    loadedAt: new Date(atMs).toISOString(),
    rejects: Object.fromEntries(
      [...tally.rejects, ...tally.revisions].map(({ reason, count }) => [reason, count]),
    ),
    files: fingerprints,
    // Threads finish in any order.
    parts: parts.toSorted(),
  });
  return {
    source: source.name,
    dataset: source.dataset,
    title: source.title,
    files: files.map(({ file: { name }, layout }) => {
      const dated = dating.describe(name);
      return { name, layout, ...(dated === undefined ? {} : { dated }) };
    }),
    read: tally.read,
    kept: tally.kept,
    rejected: tally.rejects,
    revised: tally.revisions,
    noted: tally.notes,
    rows: loaded.rows,
    edition: loaded.edition,
    asOf: loaded.asOf,
  };
}

/** A loader sees unreadable data as not loaded. Without this check it would replace everything by a few files. */
function refuseUnreadable({ dataset, wholeFiles }: OpenSource, base: Release | undefined): void {
  const unreadable = base?.findUnreadable(dataset);
  if (base === undefined || unreadable === undefined) return;
  const load =
    wholeFiles === undefined
      ? 'load all its files into a new home folder (--home)'
      : `give ${wholeFiles} as well, in the same run`;
  const advice = unreadable.laidOutBy === 'later' ? `use that version, or ${load}` : load;
  throw new IngestRefused(
    `${describeUnreadable(unreadable, base)}, so nothing can be added to it and nothing was loaded: ${advice}.`,
  );
}
