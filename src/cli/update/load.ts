// Loads what arrived, as one release, and says of each publication what became of it.

import type { Listed } from '../../ingest/publication.ts';
import type { IngestReport } from '../../ingest/run.ts';
import type { Release } from '../../release/reader.ts';
import { londonToday } from '../../uk/calendar.ts';
import type { Arrived, ArrivedFiles } from '../../update/arrive.ts';
import { loadedFiles } from '../../update/look.ts';
import type { Reasons } from '../../update/reasons.ts';
import type { Result } from '../../update/record.ts';
import type { UpdateState } from '../../update/state.ts';
import { leftOutOf } from '../../update/terms.ts';
import { CommandRefused } from '../command.ts';
import type { RefusedNow, UpdateOrder, UpdateView } from './order.ts';

type Loading<Report extends IngestReport> = {
  readonly order: UpdateOrder;
  readonly state: UpdateState;
  /** The release before. */
  readonly base: Release;
  readonly reasons: Reasons;
  readonly refusedNow: RefusedNow;
  readonly load: UpdateView<Report>['load'];
};

type Loaded<Report extends IngestReport> = {
  readonly report: Report | undefined;
  /** By name of the publication. */
  readonly results: ReadonlyMap<string, Result>;
};

export async function loadArrived<Report extends IngestReport>(
  arrived: ArrivedFiles,
  loading: Loading<Report>,
): Promise<Loaded<Report>> {
  if (arrived.size === 0) return { report: undefined, results: new Map() };
  const { order, reasons, load } = loading;
  const files = [...arrived.values()].flat();
  const publications = [...arrived.keys()];
  let report: Report;
  try {
    report = await load(
      files.map(({ path }) => path),
      {
        fetchedDays: new Map(files.map((file) => [file.path, londonToday(changedMs(file, order))])),
        leaveOut: leftOutOf(publications, order.accepted),
        apart: [...arrived].flatMap(([{ readWith }, own]) =>
          readWith === 'nothing else' ? [own.map(({ path }) => path)] : [],
        ),
      },
    );
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    const failure = reasons.ofRefusal('refused', error.message);
    return { report: undefined, results: new Map(publications.map(({ name }) => [name, failure])) };
  }
  const results = [...arrived].map(
    ([publication, own]) => [publication.name, resultOf(publication, own, report, loading)] as const,
  );
  return { report, results: new Map(results) };
}

function changedMs({ lastModified }: Arrived, { now }: UpdateOrder): number {
  const ms = Date.parse(lastModified ?? '');
  return Number.isNaN(ms) ? now() : ms;
}

function resultOf<Report extends IngestReport>(
  publication: Listed,
  own: readonly Arrived[],
  report: Report,
  { state, base, reasons, refusedNow }: Loading<Report>,
): Result {
  const isOwn = (name: string) => own.some(({ path }) => name === path || name.startsWith(`${path} > `));
  const refusal = report.refused.find(
    ({ dataset, files }) => files.some(isOwn) && (dataset === undefined || dataset === publication.dataset),
  );
  if (refusal !== undefined) {
    const { loss, reason } = refusal;
    const cause = loss === undefined ? 'refused' : 'loss';
    return { ...reasons.ofRefusal(cause, loss ?? reason), refused: refusedNow(publication, own, cause) };
  }
  const dataset = report.release.findDataset(publication.dataset);
  if (dataset === undefined)
    return {
      kind: 'failed',
      why: 'nothing of it was loaded; the report of the run says why.',
      cause: 'refused',
    };
  const before = loadedFiles({
    state: state.publications[publication.name],
    dataset: base.findDataset(publication.dataset),
  });
  const fresh = own.map(({ path: _, ...file }) => file);
  const addresses = new Set(fresh.map(({ address }) => address));
  const kept = (before ?? []).filter(({ address }) => !addresses.has(address));
  const isLoaded = report.sources.some(
    ({ dataset: filled, outcome }) => filled === publication.dataset && outcome === 'loaded',
  );
  const { loadedAt } = dataset;
  return { kind: isLoaded ? 'loaded' : 'same files', files: [...kept, ...fresh], loadedAt };
}
