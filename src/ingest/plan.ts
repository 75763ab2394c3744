// What an ingest is going to do, told by the heads of all files before anything long is read: which files are read into
// which dataset, which are passed over and why, and what is refused.

import path from 'node:path';
import type { DatasetName } from '../datasets.ts';
import type { KnownDataset, ReleaseKind } from '../release/manifest.ts';
import { describeUnreadable, type Release, ReleaseDamaged } from '../release/reader.ts';
import { formatDay, londonToday } from '../uk/calendar.ts';
import { visible } from '../visible.ts';
import { Dating } from './dating.ts';
import type { DiskFile } from './disk-file.ts';
import { findFiles, type LeftOut } from './files.ts';
import { withoutHeadersAlone } from './header-alone.ts';
import { Losses, type OnLoss } from './losses.ts';
import type { Progress } from './progress.ts';
import type { LeavesOut } from './publication.ts';
import { type Group, type GroupFile, recogniseFiles } from './recognise.ts';
import { IngestRefused, LossRefused, type OnRefused } from './refusal.ts';
import { type OpenSource, openSources, type Source } from './source.ts';

// Files of one dataset that came from different hands. A loader reads them together, and its refusal names the one at fault;
// the others are then read without it, so that one bad publisher never keeps what is new of another from being loaded.

/** Paths of files, one set a hand. What is in none stands and falls with whatever it is read with. */
type Apart = readonly (readonly string[])[];

/** `others` is undefined where the refusal concerns the whole group. */
function partBlamed(
  group: Group,
  { message }: IngestRefused,
  apart: Apart,
): { readonly blamed: Group; readonly others: Group | undefined } {
  const { source, files } = group;
  const own = apart.filter((paths) => files.some(({ disk }) => paths.includes(disk.path)));
  const isBlamed = (paths: readonly string[]) => paths.some((path) => message.includes(path));
  const blameless = new Set(own.filter((paths) => !isBlamed(paths)).flat());
  const others = files.filter(({ disk }) => blameless.has(disk.path));
  if (others.length === 0 || !own.some(isBlamed)) return { blamed: group, others: undefined };
  const blamed = files.filter((file) => !others.includes(file));
  return { blamed: { source, files: blamed }, others: { source, files: others } };
}

// What was refused, in a run that goes on without it; a run that does not go on stops at the first.

type OnRefusal = 'stop' | 'leave out';

export type Refusal = {
  /** Undefined where the files could not be told to be of any source. */
  readonly source: string | undefined;
  readonly dataset: DatasetName | undefined;
  readonly files: readonly string[];
  readonly reason: string;
  /** The reason without the advice to add --replace, where that would load the files. */
  readonly loss?: string;
};

class Refusals {
  readonly all: Refusal[] = [];
  readonly #onRefusal: OnRefusal;

  constructor(onRefusal: OnRefusal) {
    this.#onRefusal = onRefusal;
  }

  readonly ofFiles: OnRefused = (files, refusal) =>
    this.#add({ source: undefined, dataset: undefined, files, reason: refusal.message }, refusal);

  ofGroup({ source, files }: Group, refusal: IngestRefused): void {
    const names = files.map(({ file }) => file.name);
    const loss = refusal instanceof LossRefused ? { loss: refusal.told } : {};
    this.#add(
      { source: source.name, dataset: source.dataset, files: names, reason: refusal.message, ...loss },
      refusal,
    );
  }

  /** For a run that has nothing left. */
  together(): IngestRefused {
    return new IngestRefused(this.all.map(({ reason }) => reason).join('\n'));
  }

  #add(entry: Refusal, refusal: IngestRefused): void {
    if (this.#onRefusal === 'stop') throw refusal;
    this.all.push(entry);
  }
}

export type PlanOrder = {
  readonly paths: readonly string[];
  readonly sources: readonly Source[];
  /** The release to build on. */
  readonly base: Release | undefined;
  readonly kind: ReleaseKind;
  readonly atMs: number;
  /** The day of files that do not say theirs, as the operator gives it. */
  readonly editionDay?: number | undefined;
  /** By path: the day on which its publisher last changed a file that was just fetched, for where nothing else tells it. */
  readonly fetchedDays?: ReadonlyMap<string, number>;
  /** What is not loaded, although the files have it: its terms were not accepted. */
  readonly leaveOut?: ReadonlySet<LeavesOut>;
  /** Without it, the run stops at the first refusal and throws it. `leave out` goes on: the dataset of a source that refuses
   *  stays as it is in the base, and the report has the refusals. */
  readonly onRefusal?: OnRefusal;
  /** With `leave out`: what came from different hands. */
  readonly apart?: Apart;
  /** Without it, what would take something away from loaded data is refused. */
  readonly onLoss?: OnLoss;
  readonly progress: Progress;
};

export type PlannedGroup = Group & { readonly losses: Losses };

export type Plan = {
  /** In the order in which they are read. */
  readonly groups: readonly PlannedGroup[];
  /** Files that were loaded before, and of which nothing has changed since. */
  readonly unchanged: readonly Group[];
  /** Documentation and other files that lay beside recognised ones. */
  readonly skipped: readonly string[];
  readonly passedOver: readonly LeftOut[];
  readonly refusals: Refusals;
  readonly dating: Dating;
  /** Takes note of a refusal, and returns what is left to read of the group. */
  refuse(group: Group, refusal: IngestRefused): Promise<PlannedGroup | undefined>;
};

/** The files are open as long as `use` works with the plan. Throws IngestRefused. */
export async function withPlan<T>(order: PlanOrder, use: (plan: Plan) => Promise<T>): Promise<T> {
  const { paths, sources, kind, atMs, progress } = order;
  const refusals = new Refusals(order.onRefusal ?? 'stop');
  progress({ phase: 'Looking at the files', done: 0, total: undefined });
  const found = await findFiles(paths, refusals.ofFiles);
  try {
    const recognised = recogniseFiles(found, await openSources(sources), refusals.ofFiles);
    // The days of bundled files are the project's own, and hold under a clock that is years behind too.
    const today = kind === 'loaded' ? londonToday(atMs) : Number.POSITIVE_INFINITY;
    const dating = new Dating(today, order.editionDay, order.fetchedDays);
    const passedOver = [...recognised.passedOver];
    const groups: PlannedGroup[] = [];
    const unchanged: Group[] = [];
    const judged = async (group: Group): Promise<PlannedGroup | undefined> => {
      try {
        const judgement = await judge(group, dating, order);
        const isKnown = await isUnchanged(judgement.group, groups, order);
        passedOver.push(...judgement.passedOver);
        if (!isKnown) return judgement.group;
        unchanged.push(judgement.group);
        return undefined;
      } catch (error) {
        if (!(error instanceof IngestRefused)) throw error;
        return refuse(group, error);
      }
    };
    const refuse = async (group: Group, refusal: IngestRefused): Promise<PlannedGroup | undefined> => {
      const { blamed, others } = partBlamed(group, refusal, order.apart ?? []);
      refusals.ofGroup(blamed, refusal);
      return others === undefined ? undefined : judged(others);
    };
    for (const group of recognised.groups) {
      const planned = await judged(group);
      if (planned !== undefined) groups.push(planned);
    }
    dating.refuseNeedless(groups.flatMap(({ files }) => files.map(({ file }) => file)));
    const { skipped } = recognised;
    return await use({ groups, unchanged, skipped, passedOver, refusals, dating, refuse });
  } finally {
    found.close();
  }
}

type Judged = { readonly group: PlannedGroup; readonly passedOver: readonly LeftOut[] };

/** Throws IngestRefused. */
async function judge({ source, files }: Group, dating: Dating, { base, onLoss }: PlanOrder): Promise<Judged> {
  const losses = new Losses(source, base, onLoss ?? 'refuse');
  if (source.wholeFiles === undefined) refuseUnreadable(source, base);
  const { filled, passedOver } = withoutHeadersAlone(source, files.toSorted(heavierFirst));
  if (source.judge === undefined) return { group: { source, files: [...filled], losses }, passedOver };
  const judged = await source.judge(filled, { source, base, dating, losses });
  const chosen = new Set(judged.read);
  return {
    group: { source, files: filled.filter((file) => chosen.has(file)), losses },
    passedOver: [...passedOver, ...judged.passedOver],
  };
}

/** In whatever order they were named. Where two files say different things of one row, that of the larger one stands. */
const heavierFirst = ({ file: a }: GroupFile, { file: b }: GroupFile) =>
  b.weight - a.weight || (a.name < b.name ? -1 : 1);

/** A loader sees unreadable data as not loaded. Without this check it would replace everything by a few files. */
export function refuseUnreadable({ dataset, wholeFiles }: OpenSource, base: Release | undefined): void {
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

/** The same files, read by the same source into a release whose other datasets have not changed since, give the same.
 *  `changing` are the groups that are read before. Throws IngestRefused. */
async function isUnchanged(
  group: Group,
  changing: readonly Group[],
  { base, editionDay, leaveOut, progress }: PlanOrder,
): Promise<boolean> {
  const { name, dataset, version, uses = [] } = group.source;
  const before = base?.findDataset(dataset);
  // Another day, or other rows, may be meant of the same files.
  const isReadOtherwise =
    editionDay !== undefined || (leaveOut?.size ?? 0) > 0 || before?.leftOut !== undefined;
  if (base === undefined || before === undefined || isReadOtherwise) return false;
  const isSettled = (used: DatasetName) =>
    !changing.some(({ source }) => source.dataset === used) &&
    (base.findDataset(used)?.loadedAt ?? '') <= before.loadedAt;
  const { loadedBy } = before;
  if (loadedBy?.source !== name || loadedBy.version !== version || !uses.every(isSettled)) return false;
  return (await areFilesOf(before, group, progress)) && isSound(base, before);
}

/** Whether its parts are on the disk as they were written: damaged ones are written anew from the same files. */
export function isSound(release: Release, { parts }: KnownDataset): boolean {
  try {
    release.verify(parts);
    return true;
  } catch (error) {
    if (error instanceof ReleaseDamaged) return false;
    throw error;
  }
}

/** As the manifest has it. */
export const fileNameOf = (disk: DiskFile): string => visible(path.basename(disk.path));

export const disksOf = ({ files }: Group): ReadonlySet<DiskFile> => new Set(files.map(({ disk }) => disk));

/** Names count, because they may tell the day. Files are read only where names and sizes agree. */
async function areFilesOf({ files }: KnownDataset, group: Group, progress: Progress): Promise<boolean> {
  const disks = [...disksOf(group)];
  const known = new Map(files.map(({ name, bytes, sha256 }) => [`${bytes} ${name}`, sha256]));
  const keyOf = (disk: DiskFile) => `${disk.bytes} ${fileNameOf(disk)}`;
  if (disks.length !== files.length || new Set(disks.map(keyOf)).size !== known.size) return false;
  if (!disks.every((disk) => known.has(keyOf(disk)))) return false;
  for (const disk of disks) {
    progress({ phase: `Comparing ${disk.path} with what is loaded`, done: 0, total: undefined });
    if ((await disk.fingerprint()).sha256 !== known.get(keyOf(disk))) return false;
  }
  return true;
}

type PlannedFile = {
  readonly name: string;
  readonly fate: 'read' | 'unchanged' | 'passed over' | 'skipped' | 'refused';
  readonly source?: string;
  readonly layout?: string;
  /** YYYY-MM-DD, where its head tells. */
  readonly day?: string;
  readonly because?: string;
};

type PlannedDataset = {
  readonly source: string;
  readonly dataset: DatasetName;
  readonly title: string;
  readonly fate: 'read' | 'unchanged' | 'refused';
  /** The publication that was given. */
  readonly given: string;
  /** What is loaded now; null where nothing is. */
  readonly now: Pick<KnownDataset, 'source' | 'edition' | 'asOf' | 'rows' | 'extent'> | null;
  /** What would be lost, and was given up. */
  readonly lost: readonly string[];
};

export type PlanReport = {
  readonly files: readonly PlannedFile[];
  readonly datasets: readonly PlannedDataset[];
  readonly refused: readonly Refusal[];
};

/** What an ingest would do. Nothing is read beyond what tells it, and nothing is changed. */
export const planIngest = (order: PlanOrder): Promise<PlanReport> =>
  withPlan({ ...order, onRefusal: 'leave out' }, async (plan) => {
    const { groups, unchanged, refusals, dating } = plan;
    const filesOf = ({ source, files }: Group, fate: PlannedFile['fate']) =>
      files.map(({ file, layout }): PlannedFile => {
        const day = dating.glance(file);
        const known = { name: file.name, fate, source: source.name, layout };
        return day === undefined ? known : { ...known, day: formatDay(day) };
      });
    const refused = refusals.all;
    const datasets = order.sources.flatMap(({ name, dataset, title, source }): PlannedDataset[] => {
      const isOf = (group: Group) => group.source.name === name;
      const group = groups.find(isOf);
      const fate = group
        ? 'read'
        : unchanged.some(isOf)
          ? 'unchanged'
          : refused.some((refusal) => refusal.source === name)
            ? 'refused'
            : undefined;
      if (fate === undefined) return [];
      const now = describeNow(order.base?.findDataset(dataset));
      const lost = group?.losses.accepted ?? [];
      return [{ source: name, dataset, title, fate, given: source, now, lost }];
    });
    return {
      files: [
        ...groups.flatMap((group) => filesOf(group, 'read')),
        ...unchanged.flatMap((group) => filesOf(group, 'unchanged')),
        ...plan.passedOver.map(({ name, because }): PlannedFile => ({ name, fate: 'passed over', because })),
        ...plan.skipped.map((name): PlannedFile => ({ name, fate: 'skipped' })),
        ...refused.flatMap(({ files, source, reason }) =>
          files.map(
            (name): PlannedFile => ({
              ...(source === undefined ? {} : { source }),
              name,
              fate: 'refused',
              because: reason,
            }),
          ),
        ),
      ],
      datasets,
      refused,
    };
  });

function describeNow(dataset: KnownDataset | undefined): PlannedDataset['now'] {
  if (dataset === undefined) return null;
  const { source, edition, asOf, rows, extent } = dataset;
  return { source, edition, asOf, rows, extent };
}
