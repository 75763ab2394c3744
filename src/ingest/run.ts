// One ingest: paths → files → sources → parts → derived parts → a verified release. Whoever calls makes it current.

import { isDeepStrictEqual } from 'node:util';
import type { DatasetName } from '../datasets.ts';
import type { Dataset, KnownDataset } from '../release/manifest.ts';
import type { Columns } from '../release/part.ts';
import type { Release } from '../release/reader.ts';
import type { ReleaseStore } from '../release/store.ts';
import type { ReleaseWriter } from '../release/writer.ts';
import type { Dating } from './dating.ts';
import { type Derivation, findUnderived, writeDerived } from './derivation.ts';
import type { LeftOut } from './files.ts';
import {
  disksOf,
  fileNameOf,
  isSound,
  type Plan,
  type PlannedGroup,
  type PlanOrder,
  type Refusal,
  refuseUnreadable,
  withPlan,
} from './plan.ts';
import type { Group } from './recognise.ts';
import { IngestRefused } from './refusal.ts';
import type { Loaded, OpenSource, SampleCuts } from './source.ts';
import { type Rejects, Tally } from './tally.ts';

type IngestOrder = PlanOrder & {
  readonly derivations: readonly Derivation[];
  readonly store: ReleaseStore;
  readonly id: string;
  /** Names of sources whose files are real in a sandbox too. */
  readonly real?: readonly string[];
  /** Of the bundled sample. */
  readonly cuts?: SampleCuts | undefined;
};

export type SourceReport = {
  /** `unchanged`: these files say what is loaded already. */
  readonly outcome: 'loaded' | 'unchanged';
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
  /** What was loaded before and is no more, because the operator wanted it so. */
  readonly lost: readonly string[];
  /** Rows of the dataset as it now stands. */
  readonly rows: number;
  readonly edition: string;
  readonly asOf: string;
};

/** Files that were loaded before. They were not read again. */
type Unchanged = {
  readonly source: string;
  readonly dataset: DatasetName;
  readonly title: string;
  readonly files: readonly string[];
};

export type IngestReport = {
  /** `made`: the release is new, verified, and not yet current. `nothing new`: it is the base, as it was. */
  readonly outcome: 'made' | 'nothing new';
  readonly release: Release;
  readonly sources: readonly SourceReport[];
  readonly skipped: readonly string[];
  readonly passedOver: readonly LeftOut[];
  readonly unchanged: readonly Unchanged[];
  /** What was left out because it was refused; nothing where the run stops at a refusal. */
  readonly refused: readonly Refusal[];
  /** Of the datasets of this run, those whose bundled sample gave way to these files. */
  readonly gaveWay: readonly DatasetName[];
};

/** Throws IngestRefused when a file is not what it should be, or where nothing at all can be loaded. No release is made
 *  then. */
export const runIngest = (order: IngestOrder): Promise<IngestReport> =>
  withPlan(order, async (plan) => {
    const { base } = order;
    const { skipped, passedOver, refusals } = plan;
    const { release, reports } = await build(plan, order);
    const unchanged = plan.unchanged.map(describeUnchanged);
    const common = { sources: reports, unchanged, skipped, passedOver, refused: refusals.all };
    if (release !== undefined)
      return { ...common, outcome: 'made', release, gaveWay: findGivenWay(plan.groups, base, release) };
    if (base === undefined) throw refusals.together();
    return { ...common, outcome: 'nothing new', release: base, gaveWay: [] };
  });

type Built = {
  /** Undefined where it would be the base again. */
  readonly release: Release | undefined;
  readonly reports: readonly SourceReport[];
};

async function build(plan: Plan, order: IngestOrder): Promise<Built> {
  const { derivations, store, base, id, kind, atMs, progress } = order;
  const { groups, dating } = plan;
  const reports: SourceReport[] = [];
  // A rule of a newer program is worked out at the next ingest that is not refused.
  const isDerived = base === undefined || findUnderived(derivations, base).length === 0;
  const isBaseAgain = () =>
    reports.every(({ outcome }) => outcome === 'unchanged') &&
    (isDerived || reports.length + plan.unchanged.length === 0);
  if (groups.length === 0 && isBaseAgain()) return { release: undefined, reports };
  const writer = store.beginRelease({ id, kind, createdAtMs: atMs, base });
  try {
    for (const group of groups) {
      const report = await loadGroup(group, plan, writer, order);
      if (report !== undefined) reports.push(report);
    }
    dating.refuseUnused(reports.map(({ asOf }) => asOf));
    if (isBaseAgain()) {
      writer.abandon();
      return { release: undefined, reports };
    }
    const changed = reports.filter(({ outcome }) => outcome === 'loaded');
    await writeDerived(writer, derivations, base, new Set(changed.map(({ dataset }) => dataset)));
    progress({ phase: 'Verifying the release', done: 0, total: undefined });
    return { release: writer.finish(), reports };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

const describeUnchanged = ({ source, files }: Group): Unchanged => ({
  source: source.name,
  dataset: source.dataset,
  title: source.title,
  files: files.map(({ file }) => file.name),
});

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
  attribution: 'Invented for the sandbox. It contains no data of the publisher.',
} as const;

/** Where it is refused or unchanged, the dataset is left as it is in the base. Undefined where nothing of it could be read. */
async function loadGroup(
  group: PlannedGroup,
  plan: Plan,
  writer: ReleaseWriter,
  order: IngestOrder,
): Promise<SourceReport | undefined> {
  const parts = new Set<string>();
  try {
    const report = await load(group, parts, writer, plan.dating, order);
    if (report.outcome === 'unchanged') writer.takeBack(parts);
    return report;
  } catch (error) {
    if (!(error instanceof IngestRefused)) throw error;
    writer.takeBack(parts);
    const left = await plan.refuse(group, error);
    return left === undefined ? undefined : loadGroup(left, plan, writer, order);
  }
}

/** Adds to `parts` before it writes. */
async function load(
  group: PlannedGroup,
  parts: Set<string>,
  writer: ReleaseWriter,
  dating: Dating,
  order: IngestOrder,
): Promise<SourceReport> {
  const { source, files, losses } = group;
  const { kind, progress } = order;
  const tally = new Tally();
  const base = writer.soFar();
  const disks = disksOf(group);
  const cut = order.cuts?.[source.dataset];
  const writePart = (name: string, columns: Columns) => {
    parts.add(name);
    writer.writePart(name, columns);
  };
  const work = source.load(files, {
    source,
    base,
    kind,
    cut,
    dating,
    tally,
    leaveOut: order.leaveOut ?? new Set(),
    losses,
    progress,
    scratch: () => writer.scratch,
    writePart,
    writeEncoded: async (name, part) => {
      parts.add(name);
      await writer.writeEncoded(name, part);
    },
    keepPart: (name) => parts.add(name),
    needBefore: () => refuseUnreadable(source, base),
  });
  const loaded = await work.catch(async (error: unknown) => {
    // A file that changed meanwhile looks damaged, and is not.
    for (const disk of disks) await disk.refuseIfChanged();
    throw error;
  });
  for (const [name, columns] of Object.entries(cut?.parts?.(base) ?? {})) writePart(name, columns);
  losses.refuseFewer(loaded);
  const fingerprints: Dataset['files'][number][] = [];
  for (const disk of disks) {
    fingerprints.push({ name: fileNameOf(disk), ...(await disk.fingerprint()) });
  }
  const dataset = describeDataset(source, loaded, fingerprints, tally, order, parts);
  const before = order.base?.findDataset(source.dataset);
  const isSame =
    order.base !== undefined &&
    before !== undefined &&
    (saysTheSame(before, dataset) || saysLessOfItsDay(before, dataset)) &&
    writer.hasSameParts(before, parts) &&
    isSound(order.base, before);
  if (!isSame) writer.putDataset(dataset);
  return {
    outcome: isSame ? 'unchanged' : 'loaded',
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
    lost: losses.accepted,
    rows: loaded.rows,
    edition: loaded.edition,
    asOf: loaded.asOf,
  };
}

type NewDataset = Omit<KnownDataset, 'layout'>;

function describeDataset(
  source: OpenSource,
  loaded: Loaded,
  files: Dataset['files'],
  tally: Tally,
  { kind, real, cuts, atMs }: IngestOrder,
  parts: ReadonlySet<string>,
): NewDataset {
  const cut = cuts?.[source.dataset];
  const isFictional = kind === 'sandbox' && !real?.includes(source.name);
  return {
    ...source.facts,
    ...loaded,
    name: source.dataset,
    title: source.title,
    source: source.source,
    ...(isFictional ? fictional : {}),
    ...(cut === undefined ? {} : { ...cut.told, extent: 'sample' as const }),
    loadedAt: new Date(atMs).toISOString(),
    rejects: Object.fromEntries(
      [...tally.rejects, ...tally.revisions].map(({ reason, count }) => [reason, count]),
    ),
    files,
    loadedBy: { source: source.name, version: source.version },
    // Threads finish in any order.
    parts: [...parts].toSorted(),
  };
}

/** Of the same parts: a copy whose name does not tell the edition is dated by its rows, and may seem older than it is. */
function saysLessOfItsDay(before: KnownDataset, now: NewDataset): boolean {
  const told = ({ source, loadedBy, leftOut }: NewDataset) => [source, loadedBy, leftOut];
  return now.asOf < before.asOf && isDeepStrictEqual(told(before), told(now));
}

/** Apart from when and from which files it was loaded. */
function saysTheSame(before: KnownDataset, now: NewDataset): boolean {
  const told = ({ source, edition, asOf, rows, extent, nextEditionExpected, ...own }: NewDataset) => [
    ...[source, edition, asOf, rows, extent, nextEditionExpected],
    ...[own.publisher, own.publisherShort, own.attribution, own.coverage, own.licence, own.leftOut],
  ];
  return isDeepStrictEqual(told(before), told(now));
}
