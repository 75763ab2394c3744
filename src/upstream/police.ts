// The live service of data.police.uk: crimes near a point by month, which months there are, and which force polices a
// point. Sparing with it: a shared rate, one request for equal questions, answers kept on disk.

import { parseMonth } from '../uk/calendar.ts';
import { findForceBySlug } from '../uk/police.ts';
import { Breaker } from './live/breaker.ts';
import { DiskCache } from './live/disk-cache.ts';
import { type Clock, TokenBucket } from './live/token-bucket.ts';
import type { LiveFacts } from './live-facts.ts';

/** The limits that data.police.uk states for one caller. */
const requestsPerSecond = 15;
const burst = 30;
const triesAtMost = 3;
const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** Nobody waits longer than this for his turn. */
const longestQueueMs = 20_000;
const dayMs = 86_400_000;
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

export type LiveResult<T> =
  | { readonly kind: 'answered'; readonly value: T }
  /** The service answered with an error or with something else than it should. */
  | { readonly kind: 'failed'; readonly problem: string }
  /** An area with more crimes than it gives at once. */
  | { readonly kind: 'too much' }
  /** It has failed so often that it is not asked for now, or too many are waiting for it. */
  | { readonly kind: 'unavailable'; readonly retrySeconds: number };

type Point = { readonly latitudeDegrees: number; readonly longitudeDegrees: number };

export type PoliceApi = {
  readonly facts: LiveFacts;
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

export type PoliceOptions = {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly cacheFolder: string;
  /** How many threads share the limits. */
  readonly sharers: number;
  readonly timeoutMs: number;
};

/** `odd` where the value is not what the service should answer. */
type Parse<T> = (value: unknown) => T | 'odd';

type Fetched = LiveResult<unknown> | { readonly kind: 'not found' };

export function openPoliceApi(options: PoliceOptions, clock: Clock): PoliceApi {
  const { sharers } = options;
  const bucket = new TokenBucket(
    requestsPerSecond / sharers,
    Math.max(1, Math.floor(burst / sharers)),
    clock,
  );
  const breaker = new Breaker();
  const cache = new DiskCache(options.cacheFolder);
  const underWay = new Map<string, Promise<Fetched>>();

  const ask = (address: string, keepMs: number, parse: Parse<unknown>): Promise<Fetched> => {
    const known = underWay.get(address);
    if (known !== undefined) return known;
    const asking = askOnce(address, keepMs, parse).finally(() => underWay.delete(address));
    underWay.set(address, asking);
    return asking;
  };

  const askOnce = async (address: string, keepMs: number, parse: Parse<unknown>): Promise<Fetched> => {
    const kept = await cache.find(address, clock.now());
    const known = kept === undefined ? undefined : parseJson(kept);
    // What was kept may have been cut short by a loss of power.
    if (known?.kind === 'answered' && parse(known.value) !== 'odd') return known;
    const queueMs = bucket.waitMs();
    const waitMs = queueMs > longestQueueMs ? queueMs : breaker.waitMs(clock.now());
    if (waitMs > 0) return { kind: 'unavailable', retrySeconds: Math.ceil(waitMs / 1000) };
    const text = await fetchPatiently(`${options.baseUrl}${address}`, options.timeoutMs, bucket, clock);
    const fetched = text.kind === 'answered' ? parseJson(text.value) : text;
    // What is kept is never asked for again, so that it must be what it should be.
    if (fetched.kind === 'answered' && parse(fetched.value) === 'odd') {
      breaker.failed(clock.now());
      return oddAnswer;
    }
    if (fetched.kind === 'failed') breaker.failed(clock.now());
    else if (fetched.kind !== 'too much') breaker.succeeded();
    if (fetched.kind === 'answered' && text.kind === 'answered') {
      // Nothing at all may be what a force has still to publish.
      const isEmpty = Array.isArray(fetched.value) && fetched.value.length === 0;
      await cache.keep(address, text.value, clock.now() + (isEmpty ? Math.min(keepMs, dayMs) : keepMs));
    }
    return fetched;
  };

  return {
    facts: {
      name: 'police-api',
      address: options.baseUrl,
      publisher: 'Police forces of England, Wales and Northern Ireland, through data.police.uk',
      usedFor: 'crime where no archive is loaded',
      terms: 'Open Government Licence v3.0.',
    },
    findMonths: async () => read(await ask('/crimes-street-dates', dayMs, readMonths), readMonths),
    crimesNear: async (at, radiusMetres, month, freshness) => {
      const keepMs = freshness === 'newest' ? dayMs : Number.POSITIVE_INFINITY;
      const address = `/crimes-street/all-crime?${areaOf(at, radiusMetres)}&date=${month}`;
      const parse = (value: unknown) => readCrimes(value, month);
      return read(await ask(address, keepMs, parse), parse);
    },
    findForce: async ({ latitudeDegrees, longitudeDegrees }) => {
      const place = `${latitudeDegrees.toFixed(6)},${longitudeDegrees.toFixed(6)}`;
      const fetched = await ask(`/locate-neighbourhood?q=${place}`, 30 * dayMs, readForce);
      return fetched.kind === 'not found' ? { kind: 'answered', value: undefined } : read(fetched, readForce);
    },
  };
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

/** Tries again, after a pause of random length, where another try may help. */
async function fetchPatiently(
  url: string,
  timeoutMs: number,
  bucket: TokenBucket,
  clock: Clock,
): Promise<LiveResult<string> | { readonly kind: 'not found' }> {
  let problem = '';
  for (let tries = 1; tries <= triesAtMost; tries += 1) {
    await bucket.take();
    let pauseMs = firstPauseMs * 2 ** tries;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      const { status } = response;
      if (status === 200) return { kind: 'answered', value: await response.text() };
      await response.body?.cancel();
      problem = `status ${status}`;
      if (status === 404) return { kind: 'not found' };
      // Its answer for an area with more than 10,000 crimes, however often it is asked.
      if (status === 503 && url.includes('poly=')) return { kind: 'too much' };
      if (status !== 429 && status < 500) break;
      const asked = Number(response.headers.get('retry-after') ?? 0) * 1000;
      pauseMs = Math.min(Math.max(pauseMs, asked), longestPauseMs);
    } catch (error) {
      problem = error instanceof Error ? error.name : 'unreachable';
    }
    if (tries < triesAtMost) await clock.sleep(pauseMs * (0.5 + clock.random() / 2));
  }
  return { kind: 'failed', problem };
}

function parseJson(text: string): LiveResult<unknown> {
  try {
    return { kind: 'answered', value: JSON.parse(text) };
  } catch {
    return { kind: 'failed', problem: 'no JSON' };
  }
}

const oddAnswer = { kind: 'failed', problem: 'an answer of another form' } as const;

function read<T>(fetched: Fetched, parse: Parse<T>): LiveResult<T> {
  if (fetched.kind === 'not found') return { kind: 'failed', problem: 'status 404' };
  if (fetched.kind !== 'answered') return fetched;
  const value = parse(fetched.value);
  return value === 'odd' ? oddAnswer : { kind: 'answered', value };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
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
