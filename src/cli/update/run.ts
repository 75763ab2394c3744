// One update of a home: asks the publishers, makes a plan, fetches what is new, judges it, and loads it as one release. A
// publication that fails keeps what is loaded of it; the others go on.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { PlanOrder } from '../../ingest/plan.ts';
import type { Listed } from '../../ingest/publication.ts';
import { IngestRefused } from '../../ingest/refusal.ts';
import type { IngestReport } from '../../ingest/run.ts';
import { type OpenSource, openSources } from '../../ingest/source.ts';
import { takeLock } from '../../lock.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import { sources } from '../../sources/index.ts';
import { layouts } from '../../tables/index.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { londonToday } from '../../uk/calendar.ts';
import { type Arrived, fetchOffers, removeFetched } from '../../update/arrive.ts';
import { NotFound } from '../../update/find/ask.ts';
import { judgeFiles } from '../../update/judge.ts';
import { type Look, loadedFiles, type Publisher } from '../../update/look.ts';
import { makePlan, type PlanLine, type Step } from '../../update/plan.ts';
import { hostsOf, openPublisher } from '../../update/publisher.ts';
import { type Outcome, type Result, record } from '../../update/record.ts';
import type { UpdateSet } from '../../update/select.ts';
import {
  readUpdateState,
  type UpdateRun,
  type UpdateState,
  updatesFolder,
  writeUpdateState,
} from '../../update/state.ts';
import { systemClock } from '../../update/web/clock.ts';
import { TransferFailed } from '../../update/web/failure.ts';
import { Web } from '../../update/web/web.ts';
import { ensureBundled } from '../bundled/bundled.ts';
import { CommandRefused } from '../command.ts';
import { version } from '../version.ts';

export type UpdateOrder = {
  readonly home: string;
  /** Of datasets or publications; without any, the set. */
  readonly names: readonly string[];
  readonly set: UpdateSet;
  readonly from: string | undefined;
  readonly addresses: ReadonlyMap<string, string>;
  /** Days by name of the publication, instead of its own rhythm. */
  readonly rhythm: ReadonlyMap<string, number>;
  /** Names of terms, or "all". */
  readonly accepted: ReadonlySet<string>;
  readonly contact: string;
  readonly rawFiles: 'keep' | 'remove';
  readonly until: 'plan' | 'release';
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** What the command shows meanwhile. */
type UpdateView<Report extends IngestReport> = {
  /** Throws CommandRefused where there is not the room for it. */
  readonly plan: (lines: readonly PlanLine[]) => void;
  readonly progress: (publication: Listed, file: string, bytes: number, total: number | undefined) => void;
  readonly arrived: () => void;
  readonly load: (paths: readonly string[], about: LoadAbout) => Promise<Report>;
};

/** What is known of the files beside what they hold. */
type LoadAbout = Required<Pick<PlanOrder, 'fetchedDays' | 'leaveOut'>>;

export type UpdateResult<Report extends IngestReport> = {
  readonly plan: readonly PlanLine[];
  readonly run: UpdateRun | undefined;
  readonly report: Report | undefined;
};

export async function runUpdate<Report extends IngestReport>(
  order: UpdateOrder,
  view: UpdateView<Report>,
): Promise<UpdateResult<Report>> {
  const { home, now } = order;
  mkdirSync(updatesFolder(home), { recursive: true, mode: 0o700 });
  const lock = takeLock(path.join(updatesFolder(home), 'lock'));
  if (lock === 'taken') {
    throw new CommandRefused(
      'Another update runs on this home folder; wait until it is done. GET /health/ready and domesday check tell how the last one ended.',
    );
  }
  const state = readUpdateState(home);
  const notBefore = new Map(Object.entries(state.notBefore).map(([host, at]) => [host, Date.parse(at)]));
  const web = new Web({
    ...(order.from === undefined ? {} : { from: order.from }),
    version,
    contact: order.contact,
    clock: { ...systemClock, now },
    notBefore,
  });
  try {
    await ensureBundled(home, now());
    const opened = await openSources(sources);
    return await new Update(order, view, state, web, opened).run();
  } finally {
    web.close();
    lock.release();
  }
}

class Update<Report extends IngestReport> {
  readonly #order: UpdateOrder;
  readonly #view: UpdateView<Report>;
  readonly #state: UpdateState;
  readonly #web: Web;
  readonly #sources: readonly OpenSource[];
  readonly #listed: readonly Listed[];
  readonly #publisher: Publisher;
  readonly #base: Release;
  readonly #startedMs: number;

  constructor(
    order: UpdateOrder,
    view: UpdateView<Report>,
    state: UpdateState,
    web: Web,
    opened: readonly OpenSource[],
  ) {
    this.#order = order;
    this.#view = view;
    this.#state = state;
    this.#web = web;
    this.#sources = opened;
    this.#listed = listPublications(opened, order.rhythm);
    this.#startedMs = order.now();
    const { addresses, signal } = order;
    this.#publisher = openPublisher({ web, addresses, nowMs: this.#startedMs, signal });
    this.#base = openHome(order.home, layouts).releases.openCurrent();
  }

  async run(): Promise<UpdateResult<Report>> {
    const plan = await this.#makePlan();
    this.#view.plan(plan);
    if (this.#order.until === 'plan') return { plan, run: undefined, report: undefined };
    const results = new Map<string, Result>(
      plan.map(({ publication, step }) => [publication.name, resultOf(step)]),
    );
    const arrived = await this.#fetchAll(plan, results);
    this.#view.arrived();
    const report = arrived.size === 0 ? undefined : await this.#load(arrived, results);
    const outcomes = plan.map(
      ({ publication }): Outcome => ({
        publication,
        result: results.get(publication.name) ?? { kind: 'not asked' },
      }),
    );
    const run = this.#finish(outcomes, report);
    return { plan, run, report };
  }

  #makePlan(): Promise<readonly PlanLine[]> {
    const { names, set, accepted } = this.#order;
    return makePlan({
      listed: this.#listed,
      names,
      set,
      accepted,
      state: this.#state,
      findDataset: (name) => this.#base.findDataset(name),
      takesChanges: () => changesKnown(this.#base)?.missing.length === 0,
      nowMs: this.#startedMs,
      publisher: this.#publisher,
      failureOf: (publication, error) => this.#failure(publication, error),
    });
  }

  #filesOf(publication: Listed) {
    return loadedFiles({
      state: this.#state.publications[publication.name],
      dataset: this.#base.findDataset(publication.dataset),
    });
  }

  /** Throws what is no fault of a publisher. */
  #failure(publication: Listed, error: unknown): Extract<Result, { kind: 'failed' }> {
    if (error instanceof NotFound) {
      return {
        kind: 'failed',
        why: `${error.message}. Where it is kept may have moved: ${publication.page}`,
      };
    }
    if (error instanceof IngestRefused)
      return { kind: 'failed', why: this.#withoutPlaces(error.message, publication) };
    if (!(error instanceof TransferFailed) || error.kind === 'stopped') throw error;
    const why = `${error.message} (${publication.page})`;
    const { host, retryAt } = error;
    return host === undefined || retryAt === undefined
      ? { kind: 'failed', why }
      : { kind: 'failed', why, retry: { host, at: new Date(retryAt).toISOString() } };
  }

  /** The service tells it to whoever asks, and where the home is, is nobody's business. */
  #withoutPlaces(reason: string, { name }: Listed): string {
    return reason.replaceAll(`${path.join(updatesFolder(this.#order.home), 'files', name)}${path.sep}`, '');
  }

  async #fetchAll(
    plan: readonly PlanLine[],
    results: Map<string, Result>,
  ): Promise<ReadonlyMap<Listed, readonly Arrived[]>> {
    const arrived = new Map<Listed, readonly Arrived[]>();
    await Promise.all(
      plan.map(async ({ publication, step }) => {
        if (step.kind !== 'new') return;
        try {
          arrived.set(publication, await this.#fetch(publication, step));
        } catch (error) {
          results.set(publication.name, this.#failure(publication, error));
        }
      }),
    );
    return arrived;
  }

  async #fetch(publication: Listed, { offers }: Extract<Look, { kind: 'new' }>): Promise<readonly Arrived[]> {
    const { home, addresses, signal } = this.#order;
    const files = await fetchOffers(publication, offers, {
      home,
      web: this.#web,
      hosts: hostsOf(publication, { addresses }),
      onProgress: ({ fileName }, bytes, total) => this.#view.progress(publication, fileName, bytes, total),
      signal,
    });
    await judgeFiles(
      publication,
      files.map((file) => file.path),
      this.#sources,
    );
    return files;
  }

  async #load(
    arrived: ReadonlyMap<Listed, readonly Arrived[]>,
    results: Map<string, Result>,
  ): Promise<Report> {
    const { accepted } = this.#order;
    const files = [...arrived.values()].flat();
    const report = await this.#view.load(
      files.map((file) => file.path),
      {
        fetchedDays: new Map(files.map((file) => [file.path, londonToday(this.#changedMs(file))])),
        leaveOut: new Set(
          [...arrived.keys()].flatMap(({ terms }) =>
            terms === undefined || accepted.has('all') || accepted.has(terms.name) ? [] : [terms.leavesOut],
          ),
        ),
      },
    );
    for (const [publication, own] of arrived) {
      results.set(publication.name, this.#resultOf(publication, own, report));
    }
    return report;
  }

  #changedMs({ lastModified }: Arrived): number {
    const ms = Date.parse(lastModified ?? '');
    return Number.isNaN(ms) ? this.#order.now() : ms;
  }

  #resultOf(publication: Listed, own: readonly Arrived[], report: IngestReport): Result {
    const isOwn = (name: string) =>
      own.some((file) => name === file.path || name.startsWith(`${file.path} > `));
    const refusal = report.refused.find(
      ({ dataset, files }) => files.some(isOwn) && (dataset === undefined || dataset === publication.dataset),
    );
    if (refusal !== undefined)
      return { kind: 'failed', why: this.#withoutPlaces(refusal.reason, publication) };
    const fresh = own.map(({ path: _, ...file }) => file);
    const addresses = new Set(fresh.map(({ address }) => address));
    const kept = (this.#filesOf(publication) ?? []).filter(({ address }) => !addresses.has(address));
    const dataset = report.release.findDataset(publication.dataset);
    if (dataset === undefined)
      return { kind: 'failed', why: 'nothing of it was loaded; the report of the run says why.' };
    const isLoaded = report.sources.some(
      ({ dataset: filled, outcome }) => filled === publication.dataset && outcome === 'loaded',
    );
    const { loadedAt } = dataset;
    return { kind: isLoaded ? 'loaded' : 'same files', files: [...kept, ...fresh], loadedAt };
  }

  #finish(outcomes: readonly Outcome[], report: IngestReport | undefined): UpdateRun {
    const { home, rawFiles, now } = this.#order;
    const endedAt = new Date(now()).toISOString();
    const kept = outcomes.flatMap(({ publication, result }) =>
      result.kind === 'failed'
        ? [{ dataset: publication.dataset, publication: publication.name, why: result.why }]
        : [],
    );
    const asked = outcomes.filter(({ result }) => result.kind !== 'not asked');
    const run: UpdateRun = {
      startedAt: new Date(this.#startedMs).toISOString(),
      endedAt,
      outcome: kept.length === 0 ? 'fresh' : kept.length === asked.length ? 'failed' : 'some kept',
      release: report?.outcome === 'made' ? report.release.id : null,
      kept,
    };
    writeUpdateState(home, { ...record(this.#state, outcomes, endedAt), lastRun: run });
    for (const { publication, result } of outcomes) {
      const isDone = result.kind === 'loaded' || result.kind === 'same files';
      if (isDone && rawFiles === 'remove') removeFetched(home, publication.name);
    }
    return run;
  }
}

export function listPublications(
  opened: readonly OpenSource[],
  rhythm: ReadonlyMap<string, number>,
): readonly Listed[] {
  return opened.flatMap(({ dataset, publications = [] }) =>
    publications.map((publication): Listed => {
      const askEveryDays = rhythm.get(publication.name) ?? rhythm.get(dataset);
      return askEveryDays === undefined
        ? { ...publication, dataset }
        : { ...publication, dataset, rhythm: { ...publication.rhythm, askEveryDays } };
    }),
  );
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
