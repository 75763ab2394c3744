// The public valuation site, asked live for the homes of a postcode and for one home's record. Its terms forbid
// commercial use, so it is off unless the operator accepts them. One request a second, answers kept a month.

import { isObject } from '../json.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { dayMs, hourMs, minuteMs } from '../time.ts';
import { type Jar, PoliteBrowser, type Question, type Visit } from './browser.ts';
import { DiskCache } from './disk-cache.ts';
import type { Clock } from './fair-turns.ts';
import {
  homesPerPage,
  readPropertyPage,
  readSearchPage,
  readToken,
  type SearchPage,
  type SiteHome,
} from './valuation-pages.ts';

const requestsPerSecond = 1;
const keepMs = 30 * dayMs;
/** A postcode has a hundred homes at most, but for a few blocks. */
const pagesAtMost = 25;
/** For one question, waiting for turns included. */
const patienceMs = minuteMs;
/** For a site that answers nothing, waiting for turns included. */
const silenceMostMs = 15_000;
/** For what the site takes to answer: all pages of a postcode; and the record of one home, which is asked for after it. */
const listMostMs = 10_000;
const recordMostMs = 5_000;
/** How long the site is left alone after it turned us away without saying for how long. */
const quietMs = minuteMs;
const quietAtMostMs = hourMs;
const retrySeconds = 30;
/** A page that was not understood will hardly be another one soon. It is not asked for again so long, because requests for
 *  it would take the turns of others. */
const oddPageMs = 120_000;
const oddPagesKept = 1_000;

type SiteDetails = { readonly reference: string; readonly effective: number | undefined };

type SiteFailure = {
  /** `incomplete` where some pages came and others did not. */
  readonly kind: 'failed' | 'incomplete';
  readonly problem: string;
  readonly retrySeconds: number;
  /** A page that came and was not understood is the fault of that page. All others may be well. */
  readonly fault: 'site' | 'page';
};

export type SiteResult<T> = { readonly kind: 'answered'; readonly value: T } | SiteFailure;

export type ValuationSite = {
  /** Every home of the postcode, in the site's order. */
  readonly homesOf: (postcode: string) => Promise<SiteResult<readonly SiteHome[]>>;
  /** The record of a home that `homesOf` gave. */
  readonly detailsOf: (home: SiteHome) => Promise<SiteResult<SiteDetails>>;
};

/** How the site is reached. */
type SiteOptions = {
  readonly metrics: Metrics;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly cacheFolder: string;
  /** What answers kept there may take. */
  readonly cacheBytesMost: number;
  /** For the request that begins now: how long it may take. */
  readonly deadline: (leftMs: number) => AbortSignal;
};

// Asks sparingly: what is kept on disk is not asked for again, and equal questions wait for one answer.

type Answered<T> = { readonly kind: 'answered'; readonly value: T };

type Keeping<T> = {
  readonly cache: DiskCache;
  readonly keepMs: number;
  /** Undefined where the kept value is not what this version keeps. */
  readonly read: (kept: unknown) => T | undefined;
};

// Whether the site may be asked now, and how it fared: nobody asks while the queue is too long, and after a few failures
// in a row nobody asks for a while. Then one request goes ahead to see.

const failuresAtMost = 5;
const pauseMs = 30_000;
/** Nobody waits longer than this for a turn: the rest of `silenceMostMs` is for the site. */
const longestQueueMs = 10_000;

const service = 'valuation-site';

/** Counts questions to the site that ended so. */
const countQuestions = (metrics: Metrics, result: 'kept' | 'answered' | 'failed' | 'held back') =>
  metrics.counter('domesday_upstream_requests_total', { service, result });

class Gate {
  readonly #queueMs: (account: string) => number;
  readonly #clock: Clock;
  readonly #heldBack;
  readonly #answered;
  readonly #failed;
  #failures = 0;
  #closedUntilMs = 0;

  /** `queueMs` tells how long the next request of an account would wait for its turn. */
  constructor(queueMs: (account: string) => number, clock: Clock, metrics: Metrics) {
    this.#queueMs = queueMs;
    this.#clock = clock;
    this.#heldBack = countQuestions(metrics, 'held back');
    this.#answered = countQuestions(metrics, 'answered');
    this.#failed = countQuestions(metrics, 'failed');
    metrics.onRead((set) => set('domesday_upstream_breaker_open', this.#keepsFailing ? 1 : 0, { service }));
  }

  /** How long to wait before asking; 0 where one may ask now. */
  waitMs(account: string): number {
    const queueMs = this.#queueMs(account);
    const waitMs = queueMs > longestQueueMs ? queueMs : this.#closedMs();
    if (waitMs > 0) this.#heldBack.add(1);
    return waitMs;
  }

  succeeded(): void {
    this.#answered.add(1);
    this.#failures = 0;
  }

  failed(): void {
    this.#failed.add(1);
    this.#failures += 1;
    if (this.#keepsFailing) this.#closedUntilMs = this.#clock.now() + pauseMs;
  }

  get #keepsFailing(): boolean {
    return this.#failures >= failuresAtMost;
  }

  #closedMs(): number {
    if (!this.#keepsFailing) return 0;
    const nowMs = this.#clock.now();
    // A clock that was set back must not keep it closed for longer.
    this.#closedUntilMs = Math.min(this.#closedUntilMs, nowMs + pauseMs);
    if (nowMs < this.#closedUntilMs) return this.#closedUntilMs - nowMs;
    // This one goes ahead; the others wait until it is known how it went.
    this.#closedUntilMs = nowMs + pauseMs;
    return 0;
  }
}

/** What is no answer is passed on as it is, and not kept. `address` tells equal questions. */
function askOnce<T, Failure extends { readonly kind: string }>(
  { cache, keepMs, read }: Keeping<T>,
  clock: Clock,
  metrics: Metrics,
) {
  type Result = Answered<T> | Failure;
  const keptAnswers = countQuestions(metrics, 'kept');
  const underWay = new Map<string, Promise<Result>>();
  const ask = async (address: string, fetchFresh: () => Promise<Result>): Promise<Result> => {
    const text = await cache.find(address, clock.now());
    const kept = text === undefined ? undefined : read(parseJson(text));
    if (kept !== undefined) {
      keptAnswers.add(1);
      return { kind: 'answered', value: kept };
    }
    const fetched = await fetchFresh();
    if (isAnswered(fetched)) {
      const nowMs = clock.now();
      await cache.keep(address, JSON.stringify(fetched.value), { nowMs, untilMs: nowMs + keepMs });
    }
    return fetched;
  };
  return (address: string, fetchFresh: () => Promise<Result>): Promise<Result> => {
    const known = underWay.get(address);
    if (known !== undefined) return known;
    const asking = ask(address, fetchFresh).finally(() => underWay.delete(address));
    underWay.set(address, asking);
    return asking;
  };
}

function isAnswered<T, Failure extends { readonly kind: string }>(
  result: Answered<T> | Failure,
): result is Answered<T> {
  return result.kind === 'answered';
}

/** Undefined where a loss of power cut the text short. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The site as one account asks it: accounts take turns. */
export function openValuationSite(options: SiteOptions, clock: Clock): (account: string) => ValuationSite {
  const visitor = new Visitor(options, clock);
  const { metrics, baseUrl, cacheFolder, cacheBytesMost } = options;
  const cache = new DiskCache({ folder: cacheFolder, bytesMost: cacheBytesMost });
  const askHomes = askOnce<readonly SiteHome[], SiteFailure>(
    { cache, keepMs, read: readHomes },
    clock,
    metrics,
  );
  const askDetails = askOnce<SiteDetails, SiteFailure>({ cache, keepMs, read: readDetails }, clock, metrics);
  return (account) => ({
    homesOf: (postcode) =>
      askHomes(`${baseUrl}/search#${postcode.replace(' ', '')}`, () => visitor.listHomes(postcode, account)),
    detailsOf: (home) => askDetails(home.page, () => visitor.readRecord(home, account)),
  });
}

type Session = { readonly jar: Jar; token: string };

/** What one search is for, and when it must be at its end. */
type Search = { readonly postcode: string; readonly question: Question; readonly endMs: number };

/** The way through the site. */
class Visitor {
  readonly #search: string;
  readonly #browser: PoliteBrowser;
  readonly #gate: Gate;
  readonly #clock: Clock;
  #session: Session | undefined;
  #quietUntilMs = 0;
  /** By question, the oldest first. */
  readonly #oddUntilMs = new Map<string, number>();

  constructor(options: SiteOptions, clock: Clock) {
    const { baseUrl, deadline, metrics } = options;
    this.#search = `${baseUrl}/search`;
    this.#browser = new PoliteBrowser({ baseUrl, requestsPerSecond, deadline }, clock);
    this.#gate = new Gate((account) => this.#browser.queueMs(account), clock, metrics);
    this.#clock = clock;
  }

  listHomes(postcode: string, account: string): Promise<SiteResult<readonly SiteHome[]>> {
    return this.#guarded(postcode, account, async (nowMs) => {
      const question = { account, leftMs: listMostMs, silentUntilMs: nowMs + silenceMostMs };
      const { page, session } = await this.#searchFor(postcode, question);
      if (page.kind === 'no results') return { kind: 'answered', value: [] };
      if (page.kind === 'form') return this.#failed('site', 'no results page');
      if (page.kind === 'failed') return this.#failed(page.fault, page.problem);
      if (page.kind === 'closed') return this.#failed('site', page.problem);
      if (page.kind === 'odd') return this.#failed('page', page.problem);
      if (page.first !== 1) return this.#failed('page', 'not the first page');
      if (page.total > pagesAtMost * homesPerPage)
        return this.#failed('page', `${page.total} homes in one postcode`);
      return this.#followPages({ postcode, question, endMs: nowMs + patienceMs }, page, session);
    });
  }

  readRecord(home: SiteHome, account: string): Promise<SiteResult<SiteDetails>> {
    return this.#guarded(home.page, account, async (nowMs) => {
      const question = { account, leftMs: recordMostMs, silentUntilMs: nowMs + silenceMostMs };
      const visit = await this.#browser.get(home.page, this.#session?.jar ?? new Map(), question);
      if (visit.kind !== 'page') return this.#failed(...this.#problemOf(visit));
      const page = readPropertyPage(visit.html);
      if (page.kind === 'odd') return this.#failed('page', page.problem);
      if (page.band !== home.band) return this.#failed('page', 'another band than in the list');
      return { kind: 'answered', value: { reference: page.reference, effective: page.effective } };
    });
  }

  /** Asks nothing while the site, or this page, is to be left alone. Counts the failures of the site alone. */
  async #guarded<T>(
    question: string,
    account: string,
    ask: (nowMs: number) => Promise<SiteResult<T>>,
  ): Promise<SiteResult<T>> {
    const nowMs = this.#clock.now();
    // A clock that was set back makes nobody wait longer than was meant.
    const oddUntilMs = Math.min(this.#oddUntilMs.get(question) ?? 0, nowMs + oddPageMs);
    if (nowMs < oddUntilMs) return this.#notAsked('page', oddUntilMs - nowMs);
    this.#quietUntilMs = Math.min(this.#quietUntilMs, nowMs + quietAtMostMs);
    const waitMs = nowMs < this.#quietUntilMs ? this.#quietUntilMs - nowMs : this.#gate.waitMs(account);
    if (waitMs > 0) return this.#notAsked('site', waitMs);
    const result = await ask(nowMs);
    if (result.kind === 'answered' || result.fault === 'page') this.#gate.succeeded();
    else this.#gate.failed();
    if (result.kind === 'answered' || result.fault === 'site') return result;
    this.#leaveAlone(question);
    return { ...result, retrySeconds: oddPageMs / 1000 };
  }

  #notAsked(fault: SiteFailure['fault'], waitMs: number): SiteFailure {
    return { kind: 'failed', problem: 'not asked for now', retrySeconds: Math.ceil(waitMs / 1000), fault };
  }

  #leaveAlone(question: string): void {
    const [oldest] = this.#oddUntilMs.keys();
    if (this.#oddUntilMs.size >= oddPagesKept && oldest !== undefined) this.#oddUntilMs.delete(oldest);
    this.#oddUntilMs.delete(question);
    this.#oddUntilMs.set(question, this.#clock.now() + oddPageMs);
  }

  /** A session may have ended since it was used last; then once more with a new one. */
  async #searchFor(postcode: string, question: Question) {
    const known = this.#session;
    if (known !== undefined) {
      const page = await this.#submit(postcode, known, question);
      if (page.kind === 'results' || page.kind === 'no results') return { page, session: known };
      this.#session = undefined;
      if (page.kind !== 'form') return { page, session: known };
    }
    const session: Session = { jar: new Map(), token: '' };
    const form = await this.#browser.get(this.#search, session.jar, question);
    if (form.kind !== 'page') {
      const [fault, problem] = this.#problemOf(form);
      return { page: { kind: 'failed', fault, problem } as const, session };
    }
    const token = readToken(form.html);
    if (token === undefined) {
      return { page: { kind: 'closed', problem: 'no token in the form' } as const, session };
    }
    session.token = token;
    const page = await this.#submit(postcode, session, question);
    if (page.kind === 'results' || page.kind === 'no results') this.#session = session;
    return { page, session };
  }

  async #submit(
    postcode: string,
    session: Session,
    question: Question,
  ): Promise<SearchPage | Extract<Visit, { kind: 'failed' }>> {
    const form = { csrfToken: session.token, postcode, Search: '' };
    const visit = await this.#browser.post(this.#search, form, session.jar, question);
    // 403 says that the session is over, or that we are not welcome; only a new session can tell which.
    const isOld = this.#session === session;
    if (visit.kind === 'turned away' && visit.status === 403 && isOld) return { kind: 'form' };
    if (visit.kind !== 'page') {
      const [fault, problem] = this.#problemOf(visit);
      return { kind: 'failed', fault, problem };
    }
    session.token = readToken(visit.html) ?? session.token;
    return readSearchPage(visit.html, postcode, visit.address);
  }

  async #followPages(
    { postcode, question, endMs }: Search,
    firstPage: Extract<SearchPage, { kind: 'results' }>,
    session: Session,
  ): Promise<SiteResult<readonly SiteHome[]>> {
    const homes = [...firstPage.homes];
    let { next, rows } = firstPage;
    for (let pages = 1; next !== undefined; pages += 1) {
      if (pages >= pagesAtMost) return this.#incomplete('page', 'more pages than there can be');
      if (this.#clock.now() + this.#browser.queueMs(question.account) > endMs)
        return this.#incomplete('site', 'took too long');
      const visit = await this.#browser.get(next, session.jar, question);
      if (visit.kind !== 'page') return this.#incomplete(...this.#problemOf(visit));
      const page = readSearchPage(visit.html, postcode, visit.address);
      if (page.kind !== 'results') {
        this.#session = undefined;
        if (page.kind === 'odd') return this.#incomplete('page', page.problem);
        return this.#incomplete('site', page.kind === 'closed' ? page.problem : 'the session ended');
      }
      if (page.first !== rows + 1 || page.total !== firstPage.total) {
        return this.#incomplete('page', 'another page than the next one');
      }
      homes.push(...page.homes);
      rows += page.rows;
      next = page.next;
    }
    const isWhole = rows === firstPage.total && new Set(homes.map(({ page }) => page)).size === homes.length;
    return isWhole ? { kind: 'answered', value: homes } : this.#incomplete('page', 'homes twice or missing');
  }

  /** Being turned away silences this process for a while. */
  #problemOf(visit: Exclude<Visit, { kind: 'page' }>): readonly [SiteFailure['fault'], string] {
    if (visit.kind === 'failed') return [visit.fault, visit.problem];
    const pauseMs = Math.min(Math.max(visit.retryMs, quietMs), quietAtMostMs);
    this.#quietUntilMs = this.#clock.now() + pauseMs;
    this.#session = undefined;
    return ['site', `status ${visit.status}`];
  }

  #retrySeconds(): number {
    return Math.max(retrySeconds, Math.ceil((this.#quietUntilMs - this.#clock.now()) / 1000));
  }

  #failed(fault: SiteFailure['fault'], problem: string): SiteFailure {
    return { kind: 'failed', problem, retrySeconds: this.#retrySeconds(), fault };
  }

  #incomplete(fault: SiteFailure['fault'], problem: string): SiteFailure {
    return { kind: 'incomplete', problem, retrySeconds: this.#retrySeconds(), fault };
  }
}

/** As it was kept; undefined where the file is not what this version keeps. */
function readHomes(kept: unknown): readonly SiteHome[] | undefined {
  if (!Array.isArray(kept)) return undefined;
  const homes: SiteHome[] = [];
  for (const entry of kept) {
    if (!isObject(entry)) return undefined;
    const { address, band, authority, page } = entry;
    if (typeof address !== 'string' || typeof band !== 'string') return undefined;
    if (typeof authority !== 'string' || typeof page !== 'string') return undefined;
    homes.push({ address, band, authority, page });
  }
  return homes;
}

function readDetails(kept: unknown): SiteDetails | undefined {
  if (!isObject(kept) || typeof kept.reference !== 'string') return undefined;
  const { reference, effective } = kept;
  if (effective !== undefined && typeof effective !== 'number') return undefined;
  return { reference, effective };
}
