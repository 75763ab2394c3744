// What a home remembers of its updates, in <home>/updates/state.json: which files of publishers are loaded, when each
// publication was last asked for and last changed, what has been failing and since when. The service tells it, the next
// update rests on it. Without the file nothing is lost but time: everything is asked for anew.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { isObject, parseJson } from '../json.ts';
import { replaceDurable } from '../release/durable.ts';

/** A file that was loaded, as its publisher gave it. */
export type LoadedFile = {
  readonly address: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** As the publisher's index called it. */
  readonly edition?: string | undefined;
};

export type PublicationState = {
  readonly dataset: string;
  /** ISO 8601 instant: its publisher was asked and answered. */
  readonly checkedAt?: string | undefined;
  /** A new file of it was loaded. */
  readonly changedAt?: string | undefined;
  /** `loadedAt` of the dataset in the release that has these files. */
  readonly loadedAt?: string | undefined;
  readonly files?: readonly LoadedFile[] | undefined;
  readonly failing?: { readonly since: string; readonly why: string } | undefined;
  readonly refused?: RefusedFiles | undefined;
};

/** Files that came whole and were not loaded. They are not fetched again where nothing has changed. */
export type RefusedFiles = {
  readonly at: string;
  readonly cause: 'loss' | 'refused';
  readonly files: readonly LoadedFile[];
  /** `loadedAt` of the dataset that they were held against; null where there was none. */
  readonly over: string | null;
  /** Of the program that refused them. */
  readonly version: string;
};

/** Why a publication keeps what it had. `loss`: its file is sound, and would take something away. `refused`: it is not what it
 *  should be. `moved`: it was not found. `transfer`: it did not come. */
export type Cause = 'loss' | 'refused' | 'moved' | 'transfer';

type Kept = {
  readonly dataset: string;
  readonly publication: string;
  readonly why: string;
  readonly cause: Cause;
};

export type UpdateRun = {
  readonly startedAt: string;
  readonly endedAt: string;
  /** `fresh`: everything asked for is the newest. `some kept`: these datasets kept what they had. `failed`: all did. */
  readonly outcome: 'fresh' | 'some kept' | 'failed';
  /** The release that it made, if any. */
  readonly release: string | null;
  readonly kept: readonly Kept[];
};

export type UpdateState = {
  readonly publications: Readonly<Record<string, PublicationState>>;
  /** By host: the instant before which it asked not to be asked again. */
  readonly notBefore: Readonly<Record<string, string>>;
  /** Names of terms that were shown. */
  readonly termsShown: readonly string[];
  /** Names of publications whose fetched files are being removed, as they are loaded or of no use. */
  readonly removing: readonly string[];
  readonly lastRun?: UpdateRun | undefined;
};

const version = 1;
const empty: UpdateState = { publications: {}, notBefore: {}, termsShown: [], removing: [] };

export const updatesFolder = (home: string): string => path.join(home, 'updates');
const stateFile = (home: string) => path.join(updatesFolder(home), 'state.json');

/** What is there and cannot be read counts as unknown: every publisher is then asked anew. */
export function readUpdateState(home: string): UpdateState {
  let text: string;
  try {
    text = readFileSync(stateFile(home), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
      return empty;
    }
    throw error;
  }
  return parseState(text) ?? empty;
}

export function writeUpdateState(home: string, state: UpdateState): void {
  replaceDurable(stateFile(home), `${JSON.stringify({ version, ...state }, null, 2)}\n`);
}

function parseState(text: string): UpdateState | undefined {
  const value = parseJson(text);
  if (!isObject(value) || value.version !== version) return undefined;
  const { publications, notBefore, termsShown, removing, lastRun } = value;
  return {
    publications: mapOf(publications, parsePublication),
    notBefore: mapOf(notBefore, instantOf),
    termsShown: namesOf(termsShown),
    removing: namesOf(removing),
    lastRun: parseRun(lastRun),
  };
}

/** Entries that are not what they should be are left out, and are then unknown. */
function mapOf<T>(value: unknown, parse: (entry: unknown) => T | undefined): Readonly<Record<string, T>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) => {
      const parsed = parse(entry);
      return parsed === undefined ? [] : [[name, parsed]];
    }),
  );
}

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const instantOf = (value: unknown): string | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

function parsePublication(value: unknown): PublicationState | undefined {
  if (!isObject(value)) return undefined;
  const { files, failing } = value;
  const dataset = textOf(value.dataset);
  if (dataset === undefined) return undefined;
  const since = isObject(failing) ? instantOf(failing.since) : undefined;
  const why = isObject(failing) ? textOf(failing.why) : undefined;
  return {
    dataset,
    checkedAt: instantOf(value.checkedAt),
    changedAt: instantOf(value.changedAt),
    loadedAt: instantOf(value.loadedAt),
    files: Array.isArray(files) ? files.flatMap((file) => parseFile(file) ?? []) : undefined,
    failing: since === undefined || why === undefined ? undefined : { since, why },
    refused: parseRefused(value.refused),
  };
}

function parseRefused(value: unknown): RefusedFiles | undefined {
  if (!isObject(value) || !Array.isArray(value.files)) return undefined;
  const [at, version] = [instantOf(value.at), textOf(value.version)];
  const { cause } = value;
  if (at === undefined || version === undefined || (cause !== 'loss' && cause !== 'refused'))
    return undefined;
  const files = value.files.flatMap((file) => parseFile(file) ?? []);
  return { at, cause, files, over: textOf(value.over) ?? null, version };
}

export function parseFile(value: unknown): LoadedFile | undefined {
  if (!isObject(value)) return undefined;
  const { bytes } = value;
  const [address, sha256] = [textOf(value.address), textOf(value.sha256)];
  if (address === undefined || sha256 === undefined || typeof bytes !== 'number') return undefined;
  return {
    address,
    bytes,
    sha256,
    etag: textOf(value.etag),
    lastModified: textOf(value.lastModified),
    edition: textOf(value.edition),
  };
}

const causes: readonly Cause[] = ['loss', 'refused', 'moved', 'transfer'];
const outcomes: readonly UpdateRun['outcome'][] = ['fresh', 'some kept', 'failed'];

function parseRun(value: unknown): UpdateRun | undefined {
  if (!isObject(value)) return undefined;
  const [startedAt, endedAt] = [instantOf(value.startedAt), instantOf(value.endedAt)];
  const outcome = outcomes.find((word) => word === value.outcome);
  if (startedAt === undefined || endedAt === undefined || outcome === undefined) return undefined;
  const kept = Array.isArray(value.kept) ? value.kept : [];
  return {
    startedAt,
    endedAt,
    outcome,
    release: textOf(value.release) ?? null,
    kept: kept.flatMap((entry: unknown) => {
      if (!isObject(entry)) return [];
      const [dataset, publication, why] = [entry.dataset, entry.publication, entry.why].map(textOf);
      const cause = causes.find((word) => word === entry.cause);
      return dataset === undefined || publication === undefined || why === undefined || cause === undefined
        ? []
        : [{ dataset, publication, why, cause }];
    }),
  };
}
