// The live service of data.police.uk: crimes near a point by month, which months there are, and which force polices a
// point. Sparing with it: a shared rate, one request for equal questions, answers kept on disk.

import type { OpenService } from '../contract/live.ts';
import { isObject } from '../json.ts';
import { dayMs } from '../time.ts';
import { parseMonth } from '../uk/calendar.ts';
import { findForceBySlug } from '../uk/police.ts';
import { askOnce, type Fresh, Gate, type LiveOptions, parseJson } from './live/ask-once.ts';
import { readTextUpTo, TooLarge } from './live/bounded-text.ts';
import { DiskCache } from './live/disk-cache.ts';
import { type Clock, FairTurns } from './live/fair-turns.ts';

/** The limits that data.police.uk states for one caller. */
const requestsPerSecond = 15;
const burst = 30;
const triesAtMost = 3;
const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** It gives 10,000 crimes at most, which are some 4 MB. */
const replyBytesMost = 12_000_000;
/** Corners of the polygon around a circle that is larger than the service's own. */
const corners = 48;
const ownRadiusMetres = 1_609.344;
const metresPerDegree = 111_195;

export type LiveCrime = {
  /** Slug. */
  readonly category: string;
  readonly latitudeDegrees: number;
  readonly longitudeDegrees: number;
  readonly location: string;
  readonly context: string;
  readonly id: string;
  readonly locationSubtype: string;
  readonly outcome: { readonly label: string; readonly month: string } | null;
};

type PoliceFailure =
  /** The service answered with an error or with something else than it should. */
  | { readonly kind: 'failed'; readonly problem: string }
  /** An area with more crimes than it gives at once. */
  | { readonly kind: 'too much' }
  /** It has failed so often that it is not asked for now, or too many are waiting for it. */
  | { readonly kind: 'unavailable'; readonly retrySeconds: number };

export type LiveResult<T> = { readonly kind: 'answered'; readonly value: T } | PoliceFailure;

type Point = { readonly latitudeDegrees: number; readonly longitudeDegrees: number };

export type PoliceApi = {
  /** Published months, oldest first. */
  readonly findMonths: () => Promise<LiveResult<readonly number[]>>;
  /** Of one month. A month without crimes and one that was not published look the same. */
  readonly crimesNear: (
    at: Point,
    radiusMetres: number,
    month: string,
    freshness: 'newest' | 'settled',
  ) => Promise<LiveResult<readonly LiveCrime[]>>;
  /** As the files name it; undefined where nobody polices the point. */
  readonly findForce: (at: Point) => Promise<LiveResult<string | undefined>>;
};

/** `odd` where the value is not what the service should answer. */
type Parse<T> = (value: unknown) => T | 'odd';

type NotFound = { readonly kind: 'not found' };

type Question = { readonly address: string; readonly keepMs: number; readonly account: string };

/** Accounts take turns at it. */
export function openPoliceApi(options: LiveOptions, clock: Clock): OpenService<PoliceApi> {
  const { sharers } = options;
  const turns = new FairTurns(requestsPerSecond / sharers, Math.max(1, Math.floor(burst / sharers)), clock);
  const gate = new Gate((account) => turns.waitMs(account), clock, options);
  const cache = new DiskCache({ folder: options.cacheFolder, bytesMost: options.cacheBytesMost });

  const fetchFresh = async <T>(
    { address, keepMs, account }: Question,
    parse: Parse<T>,
  ): Promise<Fresh<T> | PoliceFailure | NotFound> => {
    const waitMs = gate.waitMs(account);
    if (waitMs > 0) return { kind: 'unavailable', retrySeconds: Math.ceil(waitMs / 1000) };
    const takeTurn = () => turns.take(account);
    const fetched = await fetchPatiently(`${options.baseUrl}${address}`, options.deadline, takeTurn, clock);
    const read = fetched.kind === 'answered' ? readText(fetched.value, keepMs, parse) : fetched;
    if (read.kind === 'failed') gate.failed();
    else if (read.kind !== 'too much') gate.succeeded();
    return read;
  };
  const asker = <T>() => {
    const ask = askOnce<T, PoliceFailure | NotFound>(cache, clock, options);
    return (question: Question, parse: Parse<T>) =>
      ask({
        address: question.address,
        readKept: (text) => {
          const kept = parseJson(text);
          return kept === 'no JSON' ? 'odd' : parse(kept.value);
        },
        fetchFresh: () => fetchFresh(question, parse),
      });
  };
  const askMonths = asker<readonly number[]>();
  const askCrimes = asker<readonly LiveCrime[]>();
  const askForce = asker<string | undefined>();

  return (account) => ({
    findMonths: async () => {
      const question = { address: '/crimes-street-dates', keepMs: dayMs, account };
      return orFailed(await askMonths(question, readMonths));
    },
    crimesNear: async (at, radiusMetres, month, freshness) => {
      const keepMs = freshness === 'newest' ? dayMs : Number.POSITIVE_INFINITY;
      const address = `/crimes-street/all-crime?${areaOf(at, radiusMetres)}&date=${month}`;
      return orFailed(await askCrimes({ address, keepMs, account }, (value) => readCrimes(value, month)));
    },
    findForce: async ({ latitudeDegrees, longitudeDegrees }) => {
      const place = `${latitudeDegrees.toFixed(6)},${longitudeDegrees.toFixed(6)}`;
      const question = { address: `/locate-neighbourhood?q=${place}`, keepMs: 30 * dayMs, account };
      const found = await askForce(question, readForce);
      return found.kind === 'not found' ? { kind: 'answered', value: undefined } : found;
    },
  });
}

const orFailed = <T>(result: LiveResult<T> | NotFound): LiveResult<T> =>
  result.kind === 'not found' ? { kind: 'failed', problem: 'status 404' } : result;

/** What is kept is never asked for again, so it must be what the service should answer. */
function readText<T>(text: string, keepMs: number, parse: Parse<T>): Fresh<T> | PoliceFailure {
  const json = parseJson(text);
  if (json === 'no JSON') return { kind: 'failed', problem: json };
  const value = parse(json.value);
  if (value === 'odd') return { kind: 'failed', problem: 'an answer of another form' };
  // A force may still have to publish what is an empty list today.
  const isEmpty = Array.isArray(json.value) && json.value.length === 0;
  return { kind: 'fresh', value, text, keepMs: isEmpty ? Math.min(keepMs, dayMs) : keepMs };
}

function areaOf({ latitudeDegrees, longitudeDegrees }: Point, radiusMetres: number): string {
  if (radiusMetres <= ownRadiusMetres) {
    return `lat=${latitudeDegrees.toFixed(6)}&lng=${longitudeDegrees.toFixed(6)}`;
  }
  // Its sides touch a circle a little larger, so that nothing within is cut off; what is outside is left out later.
  const reach = (1.003 * radiusMetres) / metresPerDegree / Math.cos(Math.PI / corners);
  const wide = reach / Math.cos((latitudeDegrees * Math.PI) / 180);
  const poly = Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners;
    return `${(latitudeDegrees + reach * Math.sin(angle)).toFixed(5)},${(longitudeDegrees + wide * Math.cos(angle)).toFixed(5)}`;
  });
  return `poly=${poly.join(':')}`;
}

/** Tries again, after a pause of random length, where another try may help. A redirect is an answer like any other that
 *  is not expected: it may lead anywhere. */
async function fetchPatiently(
  url: string,
  deadline: LiveOptions['deadline'],
  takeTurn: () => Promise<void>,
  clock: Clock,
): Promise<LiveResult<string> | NotFound> {
  let problem = '';
  for (let tries = 1; tries <= triesAtMost; tries += 1) {
    await takeTurn();
    let pauseMs = firstPauseMs * 2 ** tries;
    try {
      const response = await fetch(url, { redirect: 'manual', signal: deadline() });
      const { status } = response;
      if (status === 200) return { kind: 'answered', value: await readTextUpTo(replyBytesMost, response) };
      await response.body?.cancel();
      problem = `status ${status}`;
      if (status === 404) return { kind: 'not found' };
      // Its answer for an area with more than 10,000 crimes, however often it is asked.
      if (status === 503 && url.includes('poly=')) return { kind: 'too much' };
      if (status !== 429 && status < 500) break;
      const asked = Number(response.headers.get('retry-after') ?? 0) * 1000;
      // It may also be a date, which is no number.
      if (asked > pauseMs) pauseMs = Math.min(asked, longestPauseMs);
    } catch (error) {
      problem = error instanceof Error ? error.name : 'unreachable';
      if (error instanceof TooLarge) break;
    }
    if (tries < triesAtMost) await clock.sleep(pauseMs * (0.5 + clock.random() / 2));
  }
  return { kind: 'failed', problem };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function readMonths(value: unknown): readonly number[] | 'odd' {
  if (!Array.isArray(value)) return 'odd';
  const months = value.map((entry: unknown) =>
    isObject(entry) ? parseMonth(textOf(entry.date)) : undefined,
  );
  const known = months.filter((month) => month !== undefined);
  return known.length === months.length && known.length > 0 ? known.sort((a, b) => a - b) : 'odd';
}

function readForce(value: unknown): string | undefined | 'odd' {
  if (!isObject(value) || typeof value.force !== 'string') return 'odd';
  return findForceBySlug(value.force) ?? value.force;
}

function readCrimes(value: unknown, month: string): readonly LiveCrime[] | 'odd' {
  if (!Array.isArray(value)) return 'odd';
  const crimes: LiveCrime[] = [];
  for (const entry of value) {
    if (!isObject(entry) || typeof entry.category !== 'string' || entry.month !== month) return 'odd';
    // Crimes without a place are near nothing.
    if (!isObject(entry.location)) continue;
    const { latitude, longitude, street } = entry.location;
    const status = entry.outcome_status;
    crimes.push({
      category: entry.category,
      latitudeDegrees: Number(latitude),
      longitudeDegrees: Number(longitude),
      location: isObject(street) ? textOf(street.name) : '',
      context: textOf(entry.context),
      id: textOf(entry.persistent_id),
      locationSubtype: textOf(entry.location_subtype),
      outcome: isObject(status) ? { label: textOf(status.category), month: textOf(status.date) } : null,
    });
  }
  return crimes;
}
