// One update of a home: asks the publishers, makes a plan, fetches what is new, judges it, and loads it as one release. A
// publication that fails keeps what is loaded of it; the others go on.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { IngestReport } from '../../ingest/run.ts';
import { type OpenSource, openSources } from '../../ingest/source.ts';
import { type Lock, takeLock } from '../../lock.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { removeFetched } from '../../update/arrive.ts';
import { makePlan, type PlanLine, type Step } from '../../update/plan.ts';
import { openPublisher } from '../../update/publisher.ts';
import { Reasons } from '../../update/reasons.ts';
import { endOf, type Outcome, type Result, record } from '../../update/record.ts';
import { listPublications } from '../../update/select.ts';
import { readUpdateState, type UpdateState, updatesFolder } from '../../update/state.ts';
import { type WaitingTerms, waitingTerms } from '../../update/terms.ts';
import { systemClock } from '../../update/web/clock.ts';
import { Web } from '../../update/web/web.ts';
import { ensureBundled } from '../bundled/bundled.ts';
import { CommandRefused } from '../command.ts';
import { version } from '../version.ts';
import { fetchNew } from './fetch.ts';
import { loadArrived } from './load.ts';
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
