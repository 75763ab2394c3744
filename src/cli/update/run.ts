// One update of a home: asks the publishers, makes a plan, fetches what is new, judges it, and loads it as one release. A
// publication that fails keeps what is loaded of it; the others go on.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { PlanOrder } from '../../ingest/plan.ts';
import type { Listed, Terms } from '../../ingest/publication.ts';
import { IngestRefused } from '../../ingest/refusal.ts';
import type { IngestReport } from '../../ingest/run.ts';
import { type OpenSource, openSources, type Source } from '../../ingest/source.ts';
import { takeLock } from '../../lock.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { londonToday } from '../../uk/calendar.ts';
import { type Arrived, fetchOffers, filesFolder, removeFetched } from '../../update/arrive.ts';
import { type ArrivedFiles, findBlameless, findRefusal } from '../../update/blame.ts';
import { NotFound } from '../../update/find/ask.ts';
import { judgeFiles } from '../../update/judge.ts';
import { type Look, loadedFiles, type Publisher } from '../../update/look.ts';
import { makePlan, type PlanLine, type Step } from '../../update/plan.ts';
import { hostsOf, openPublisher } from '../../update/publisher.ts';
import { type Outcome, type Result, record } from '../../update/record.ts';
import { isAccepted, type UpdateSet } from '../../update/select.ts';
import { readUpdateState, type UpdateRun, type UpdateState, updatesFolder } from '../../update/state.ts';
import { systemClock } from '../../update/web/clock.ts';
import { TransferFailed } from '../../update/web/failure.ts';
import { Web, type WebOptions } from '../../update/web/web.ts';
import { ensureBundled } from '../bundled/bundled.ts';
import { CommandRefused } from '../command.ts';
import { version } from '../version.ts';

/** What an update rests on. Tests bring loaders that count small files as whole, and a clock that never sleeps. */
export type UpdateMeans = {
  readonly sources: readonly Source[];
  readonly web: Partial<Pick<WebOptions, 'clock' | 'stallMs' | 'documentMs'>>;
};

export type UpdateOrder = {
  readonly means: UpdateMeans;
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
  /** How a publisher reaches who asks, if that was told. */
  readonly contact: string | undefined;
  /** `told`: a person reads what this run prints, so that terms are told in full once. */
  readonly terms: 'told' | 'not told';
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
  /** Throws CommandRefused where nothing at all could be loaded. */
  readonly load: (paths: readonly string[], about: LoadAbout) => Promise<Report>;
};

/** What is known of the files beside what they hold. */
type LoadAbout = Required<Pick<PlanOrder, 'fetchedDays' | 'leaveOut'>>;

/** Terms of what was asked for that nobody has accepted. */
export type WaitingTerms = Terms & { readonly told: 'before' | 'not yet' };

export type UpdateResult<Report extends IngestReport> = {
  readonly plan: readonly PlanLine[];
  readonly terms: readonly WaitingTerms[];
  readonly run: UpdateRun | undefined;
  /** One where something was loaded; another where a publication had to be read again without the fault of its neighbour. */
  readonly reports: readonly Report[];
};

export async function runUpdate<Report extends IngestReport>(
  order: UpdateOrder,
  view: UpdateView<Report>,
): Promise<UpdateResult<Report>> {
  const { home, now, means } = order;
  mkdirSync(updatesFolder(home), { recursive: true, mode: 0o700 });
  const lock = takeLock(path.join(updatesFolder(home), 'lock'));
  if (lock === 'taken') {
    throw new CommandRefused(
      'Another update runs on this home folder; wait until it is done. GET /health/ready and domesday check tell how the last one ended.',
    );
  }
  const left = readUpdateState(home);
  const state = order.until === 'release' && left.removing.length > 0 ? removeFetched(home, left) : left;
  const notBefore = new Map(Object.entries(state.notBefore).map(([host, at]) => [host, Date.parse(at)]));
  const web = new Web({
    ...(order.from === undefined ? {} : { from: order.from }),
    version,
    contact: order.contact,
    ...means.web,
    clock: { ...(means.web.clock ?? systemClock), now },
    notBefore,
  });
  try {
    await ensureBundled(home, now());
    const opened = await openSources(means.sources);
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
    const terms = this.#waitingTerms(plan);
    if (this.#order.until === 'plan') return { plan, terms, run: undefined, reports: [] };
    const results = new Map<string, Result>(
      plan.map(({ publication, step }) => [publication.name, resultOf(step)]),
    );
    const arrived = await this.#fetchAll(plan, results);
    this.#view.arrived();
    const reports = arrived.size === 0 ? [] : await this.#load(arrived, results);
    const outcomes = plan.map(
      ({ publication }): Outcome => ({
        publication,
        result: results.get(publication.name) ?? { kind: 'not asked' },
      }),
    );
    const run = this.#finish(outcomes, reports, terms);
    return { plan, terms, run, reports };
  }

  #waitingTerms(plan: readonly PlanLine[]): readonly WaitingTerms[] {
    const { accepted } = this.#order;
    const { termsShown } = this.#state;
    const terms = plan.flatMap(({ publication }) => publication.terms ?? []);
    const waiting = terms.filter((each) => !isAccepted(each, accepted));
    return [...new Map(waiting.map((each) => [each.name, each])).values()].map((each) => ({
      ...each,
      told: termsShown.includes(each.name) ? 'before' : 'not yet',
    }));
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
    if (error instanceof IngestRefused) return { kind: 'failed', why: this.#withoutPlaces(error.message) };
    if (!(error instanceof TransferFailed) || error.kind === 'stopped') throw error;
    const why = this.#withoutPlaces(`${error.message} (${publication.page})`);
    const { host, retryAt } = error;
    return host === undefined || retryAt === undefined
      ? { kind: 'failed', why }
      : { kind: 'failed', why, retry: { host, at: new Date(retryAt).toISOString() } };
  }

  /** The service tells it to whoever asks, and where the home is, is nobody's business. */
  #withoutPlaces(reason: string): string {
    const { home } = this.#order;
    const names = this.#listed.map(({ name }) => `${filesFolder(home, name)}${path.sep}`);
    return names.reduce((text, place) => text.replaceAll(place, ''), reason).replaceAll(home, 'the home');
  }

  async #fetchAll(plan: readonly PlanLine[], results: Map<string, Result>): Promise<ArrivedFiles> {
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

  /** Publications of one dataset are read together. Where one of them is refused, the others are read again without it. */
  async #load(arrived: ArrivedFiles, results: Map<string, Result>): Promise<readonly Report[]> {
    const { accepted } = this.#order;
    const files = [...arrived.values()].flat();
    const terms = [...arrived.keys()].flatMap((publication) => publication.terms ?? []);
    let report: Report;
    try {
      report = await this.#view.load(
        files.map((file) => file.path),
        {
          fetchedDays: new Map(files.map((file) => [file.path, londonToday(this.#changedMs(file))])),
          leaveOut: new Set(terms.flatMap((each) => (isAccepted(each, accepted) ? [] : [each.leavesOut]))),
        },
      );
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      const why = this.#withoutPlaces(error.message);
      for (const { name } of arrived.keys()) results.set(name, { kind: 'failed', why });
      return [];
    }
    for (const [publication, own] of arrived) {
      results.set(publication.name, this.#resultOf(publication, own, report));
    }
    const blameless = findBlameless(arrived, report.refused);
    return blameless.size === 0 ? [report] : [report, ...(await this.#load(blameless, results))];
  }

  #changedMs({ lastModified }: Arrived): number {
    const ms = Date.parse(lastModified ?? '');
    return Number.isNaN(ms) ? this.#order.now() : ms;
  }

  #resultOf(publication: Listed, own: readonly Arrived[], report: IngestReport): Result {
    const refusal = findRefusal(publication, own, report.refused);
    if (refusal !== undefined) return { kind: 'failed', why: this.#withoutPlaces(refusal.reason) };
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

  #finish(
    outcomes: readonly Outcome[],
    reports: readonly IngestReport[],
    terms: readonly WaitingTerms[],
  ): UpdateRun {
    const { home, rawFiles, now } = this.#order;
    const { termsShown } = this.#state;
    const told = this.#order.terms === 'told' ? terms.map(({ name }) => name) : [];
    const made = reports.findLast(({ outcome }) => outcome === 'made');
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
      release: made?.release.id ?? null,
      kept,
    };
    const done = outcomes.filter(({ result }) => result.kind === 'loaded' || result.kind === 'same files');
    removeFetched(home, {
      ...record(this.#state, outcomes, endedAt),
      termsShown: [...new Set([...termsShown, ...told])],
      removing: rawFiles === 'remove' ? done.map(({ publication }) => publication.name) : [],
      lastRun: run,
    });
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
