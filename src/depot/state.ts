// What a replica remembers of what it follows: <home>/replica.json. The sequence number in it keeps older releases away, so a
// note that cannot be read is a fault, and never taken for none.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { replaceDurable } from '../release/durable.ts';
import { FieldFault, type FieldReader, readFields } from '../release/fields.ts';
import { isReleaseId } from '../release/manifest.ts';
import type { Validators } from '../update/web/part.ts';
import { DepotFault, type FaultKind, faultKinds } from './fault.ts';
import type { Content } from './format.ts';

const version = 1;

/** The newest release that was taken. */
type Taken = {
  readonly sequence: number;
  readonly release: string;
  readonly list: Content;
  /** ISO 8601 instants. */
  readonly publishedAt: string;
  readonly takenAt: string;
  /** Of the pointer that named it. */
  readonly validators: Validators;
};

type Failing = {
  readonly since: string;
  readonly kind: FaultKind;
  readonly why: string;
  /** Nothing is asked before. */
  readonly notBefore: string | null;
};

export type ReplicaState = {
  readonly taken: Taken | undefined;
  readonly failing: Failing | undefined;
  /** Ids of releases that were fetched and not removed since, newest first. */
  readonly fetched: readonly string[];
};

const empty: ReplicaState = { taken: undefined, failing: undefined, fetched: [] };

export const replicaFile = (home: string): string => path.join(home, 'replica.json');

export const isReplica = (home: string): boolean => existsSync(replicaFile(home));

/** Throws DepotFault. */
export function readReplicaState(home: string): ReplicaState {
  const file = replicaFile(home);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return empty;
    throw error;
  }
  try {
    return parseState(readFields(text, 'replica'));
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new DepotFault(
      'invalid',
      `${file} ${error.message}. It keeps older releases away; remove it to take whatever is published now.`,
    );
  }
}

export function writeReplicaState(home: string, { taken, failing, fetched }: ReplicaState): void {
  const value = { version, taken: taken ?? null, failing: failing ?? null, fetched };
  replaceDurable(replicaFile(home), `${JSON.stringify(value, null, 2)}\n`);
}

/** Since when it fails stays as it was. Writes nothing where that is known already. */
export function noteFault(home: string, { kind, message, retryAt }: DepotFault, nowMs: number): void {
  const state = readReplicaState(home);
  const notBefore = retryAt === undefined ? null : new Date(retryAt).toISOString();
  const { failing } = state;
  if (failing?.kind === kind && failing.why === message && failing.notBefore === notBefore) return;
  const since = failing?.since ?? new Date(nowMs).toISOString();
  writeReplicaState(home, { ...state, failing: { since, kind, why: message, notBefore } });
}

export function noteSuccess(home: string): void {
  const state = readReplicaState(home);
  if (state.failing !== undefined) writeReplicaState(home, { ...state, failing: undefined });
}

function parseState(fields: FieldReader): ReplicaState {
  if (fields.count('version') !== version) throw fields.wrong('version', String(version));
  return {
    taken: fields.isNull('taken') ? undefined : parseTaken(fields.within('taken')),
    failing: fields.isNull('failing') ? undefined : parseFailing(fields.within('failing')),
    fetched: fields.list('fetched').map((id) => {
      if (typeof id !== 'string' || !isReleaseId(id)) throw fields.wrong('fetched', 'ids of releases');
      return id;
    }),
  };
}

function parseTaken(fields: FieldReader): Taken {
  const release = fields.text('release');
  if (!isReleaseId(release)) throw fields.wrong('release', 'a release id');
  const list = fields.within('list');
  const validators = fields.within('validators');
  return {
    sequence: fields.count('sequence'),
    release,
    list: { bytes: list.count('bytes'), sha256: list.sha256('sha256') },
    publishedAt: fields.instant('publishedAt'),
    takenAt: fields.instant('takenAt'),
    validators: {
      ...(validators.has('etag') ? { etag: validators.text('etag') } : {}),
      ...(validators.has('lastModified') ? { lastModified: validators.text('lastModified') } : {}),
    },
  };
}

const kinds = Object.keys(faultKinds);
const isKind = (word: string): word is FaultKind => kinds.includes(word);

function parseFailing(fields: FieldReader): Failing {
  const kind = fields.text('kind');
  if (!isKind(kind)) throw fields.wrong('kind', `one of ${kinds.join(', ')}`);
  return {
    since: fields.instant('since'),
    kind,
    why: fields.text('why'),
    notBefore: fields.isNull('notBefore') ? null : fields.instant('notBefore'),
  };
}
