// One update of a home: asks the publishers, makes a plan, fetches what is new, judges it, and loads it as one release. A
// publication that fails keeps what is loaded of it; the others go on.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Listed } from '../../ingest/publication.ts';
import type { IngestReport } from '../../ingest/run.ts';
import { type OpenSource, openSources } from '../../ingest/source.ts';
import { type Lock, takeLock } from '../../lock.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { londonToday } from '../../uk/calendar.ts';
import {
  type Arrived,
  type ArrivedFiles,
  fetchOffers,
  judgeFiles,
  removeFetched,
} from '../../update/arrive.ts';
import { hostsOf, openPublisher } from '../../update/find.ts';
import { type Look, loadedFiles } from '../../update/look.ts';
import { makePlan, type PlanLine, type Step } from '../../update/plan.ts';
import { type Failure, Reasons } from '../../update/reasons.ts';
import { endOf, type Outcome, type Result, record } from '../../update/record.ts';
import { listPublications } from '../../update/select.ts';
import { readUpdateState, type UpdateState, updatesFolder } from '../../update/state.ts';
import { leftOutOf, type WaitingTerms, waitingTerms } from '../../update/terms.ts';
import { systemClock } from '../../update/web/clock.ts';
import { Web } from '../../update/web/web.ts';
import { ensureBundled } from '../bundled/bundled.ts';
import { CommandRefused } from '../command.ts';
import { version } from '../version.ts';
import type { RefusedNow, UpdateOrder, UpdateResult, UpdateView } from './order.ts';

export async function runUpdate<Report extends IngestReport>(
  order: UpdateOrder,
  view: UpdateView<Report>,
): Promise<UpdateResult<Report>> {
  const { home, now, means } = order;
  const sources = await openSources(means.sources);
  if (order.until === 'plan') return planOnly({ order, view, sources, startedMs: now() });
  await ensureBundled(home, now());
  const lock = lockUpdates(home);
  try {
    const update = { order, view, sources, startedMs: now() };
    const state = takeUp(order);
    return await withWeb(order, state, (web) => updateFrom(web, update, state));
  } finally {
    lock.release();
  }
}

/** Changes nothing, and needs nothing to be there: neither a release nor a home. */
async function planOnly<Report extends IngestReport>(update: Update<Report>): Promise<UpdateResult<Report>> {
  const { order, view } = update;
  const state = readUpdateState(order.home);
  const { releases } = openHome(order.home, layouts);
  const base = releases.currentId() === undefined ? undefined : releases.openCurrent();
  const { plan, terms } = await withWeb(order, state, (web) => planUpdate(web, base, update, state));
  view.plan(plan);
  return { plan, terms, run: undefined, report: undefined };
}

/** Throws CommandRefused. */
function lockUpdates(home: string): Lock {
  mkdirSync(updatesFolder(home), { recursive: true, mode: 0o700 });
  const lock = takeLock(path.join(updatesFolder(home), 'lock'));
  if (lock !== 'taken') return lock;
  throw new CommandRefused(
    'Another update runs on this home folder; wait until it is done. `domesday check` says how the last one ended.',
  );
}

/** What a run that was killed was about to remove is removed first. */
function takeUp({ home }: UpdateOrder): UpdateState {
  const left = readUpdateState(home);
  return left.removing.length > 0 ? removeFetched(home, left) : left;
}

/** Throws TransferFailed where there is no such mirror. */
async function withWeb<T>(
  { from, contact, means, now }: UpdateOrder,
  { notBefore }: UpdateState,
  work: (web: Web) => Promise<T>,
): Promise<T> {
  const web = new Web({
    ...(from === undefined ? {} : { from }),
    version,
    contact,
    ...means.web,
    clock: { ...(means.web.clock ?? systemClock), now },
    notBefore: new Map(Object.entries(notBefore).map(([host, at]) => [host, Date.parse(at)])),
  });
  try {
    return await work(web);
  } finally {
    web.close();
  }
}

type Update<Report extends IngestReport> = {
  readonly order: UpdateOrder;
  readonly view: UpdateView<Report>;
  readonly sources: readonly OpenSource[];
  readonly startedMs: number;
};

// Fetches what is new of every publication, side by side, and looks whether it is what it should be.

type Fetching = {
  readonly order: UpdateOrder;
  readonly web: Web;
  readonly sources: readonly OpenSource[];
  readonly reasons: Reasons;
  readonly refusedNow: RefusedNow;
  readonly progress: (publication: Listed, file: string, bytes: number, total: number | undefined) => void;
};

type Fetched = {
  readonly arrived: ArrivedFiles;
  /** By name of the publication. */
  readonly failures: ReadonlyMap<string, Failure>;
};

async function fetchNew(plan: readonly PlanLine[], fetching: Fetching): Promise<Fetched> {
  const { sources, reasons, refusedNow } = fetching;
  const arrived = new Map<Listed, readonly Arrived[]>();
  const failures = new Map<string, Failure>();
  await Promise.all(
    plan.map(async ({ publication, step }) => {
      if (step.kind !== 'new') return;
      try {
        const files = await fetchOne(publication, step, fetching);
        const refusal = await judgeFiles(publication, files, sources);
        if (refusal === undefined) arrived.set(publication, files);
        else
          failures.set(publication.name, {
            ...reasons.ofError(publication, refusal),
            refused: refusedNow(publication, files, 'refused'),
          });
      } catch (error) {
        failures.set(publication.name, reasons.ofError(publication, error));
      }
    }),
  );
  return { arrived, failures };
}

function fetchOne(
  publication: Listed,
  { offers }: Extract<Look, { kind: 'new' }>,
  { order, web, progress }: Fetching,
): Promise<readonly Arrived[]> {
  const { home, signal } = order;
  return fetchOffers(publication, offers, {
    home,
    web,
    hosts: hostsOf(publication, order),
    others: order.rawFiles,
    onProgress: ({ fileName }, bytes, total) => progress(publication, fileName, bytes, total),
    signal,
  });
}

// Loads what arrived, as one release, and says of each publication what became of it.

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

async function loadArrived<Report extends IngestReport>(
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
    ([publication, own]) => [publication.name, loadedResultOf(publication, own, report, loading)] as const,
  );
  return { report, results: new Map(results) };
}

function changedMs({ lastModified }: Arrived, { now }: UpdateOrder): number {
  const ms = Date.parse(lastModified ?? '');
  return Number.isNaN(ms) ? now() : ms;
}

function loadedResultOf<Report extends IngestReport>(
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

async function updateFrom<Report extends IngestReport>(
  web: Web,
  update: Update<Report>,
  state: UpdateState,
): Promise<UpdateResult<Report>> {
  const { order, view, sources, startedMs } = update;
  const base = openHome(order.home, layouts).releases.openCurrent();
  const { plan, terms, reasons } = await planUpdate(web, base, update, state);
  view.plan(plan);

  const { progress, load } = view;
  const refusedNow: RefusedNow = ({ dataset }, files, cause) => ({
    cause,
    at: new Date(order.now()).toISOString(),
    files: files.map(({ path: _, ...file }) => file),
    over: base.findDataset(dataset)?.loadedAt ?? null,
    version,
  });
  const { arrived, failures } = await fetchNew(plan, { order, web, sources, reasons, refusedNow, progress });
  view.arrived();
  const { report, results } = await loadArrived(arrived, {
    order,
    state,
    base,
    reasons,
    refusedNow,
    load,
  });

  const outcomes = plan.map(({ publication, step }): Outcome => {
    const { name } = publication;
    return { publication, result: results.get(name) ?? failures.get(name) ?? resultOf(step) };
  });
  const endedAt = new Date(order.now()).toISOString();
  const made = report?.outcome === 'made' ? report.release.id : null;
  const run = endOf(outcomes, {
    startedAt: new Date(startedMs).toISOString(),
    endedAt,
    release: made,
  });
  const told = order.terms === 'told' ? terms.map(({ name }) => name) : [];
  removeFetched(order.home, {
    ...record(state, outcomes, endedAt),
    termsShown: [...new Set([...state.termsShown, ...told])],
    removing:
      order.rawFiles === 'remove' ? outcomes.filter(isDone).map(({ publication }) => publication.name) : [],
    lastRun: run,
  });
  return { plan, terms, run, report };
}

/** What is loaded is of no more use here, and what is refused neither, unless the operator may want it all the same. */
function isDone({ result }: Outcome): boolean {
  if (result.kind === 'failed') return result.refused !== undefined && result.cause !== 'loss';
  return result.kind === 'loaded' || result.kind === 'same files';
}

type Planned = {
  readonly plan: readonly PlanLine[];
  readonly terms: readonly WaitingTerms[];
  readonly reasons: Reasons;
};

async function planUpdate<Report extends IngestReport>(
  web: Web,
  base: Release | undefined,
  { order, sources, startedMs }: Update<Report>,
  state: UpdateState,
): Promise<Planned> {
  const { names, set, accepted, addresses, signal } = order;
  const listed = listPublications(sources, order.rhythm);
  const reasons = new Reasons(order.home, listed);
  const plan = await makePlan({
    listed,
    names,
    set,
    accepted,
    state,
    findDataset: (name) => base?.findDataset(name),
    takesChanges: () => base !== undefined && changesKnown(base)?.missing.length === 0,
    version,
    nowMs: startedMs,
    publisher: openPublisher({ web, addresses, nowMs: startedMs, signal }),
    failureOf: reasons.ofError,
  });
  const publications = plan.map(({ publication }) => publication);
  return { plan, reasons, terms: waitingTerms(publications, accepted, state.termsShown) };
}

/** Until it has arrived and is loaded, what is new has only been asked for. */
function resultOf(step: Step): Result {
  switch (step.kind) {
    case 'failed':
      return step;
    case 'unchanged':
      return { kind: 'unchanged' };
    default:
      return { kind: 'not asked' };
  }
}
