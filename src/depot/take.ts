// Takes the newest release of a place into the home: asks which it is, fetches the files that no release here has, proves
// each by its hash, and makes it current. Until then, and after any failure, what was current stays so.

import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { takeLock } from '../lock.ts';
import { removeUnfinished } from '../release/durable.ts';
import { FieldFault } from '../release/fields.ts';
import { manifestName, type Release, ReleaseDamaged } from '../release/reader.ts';
import { adoptRelease, HomeBusy, NoSuchRelease, type ReleaseStore } from '../release/store.ts';
import { readBytes } from '../update/web/document.ts';
import { download } from '../update/web/download.ts';
import type { Flow } from '../update/web/flow.ts';
import { type Asked, type Asker, askPointer, askSmall } from './asking.ts';
import { DepotFault } from './fault.ts';
import { type Content, type FileList, fileKey, listKey, mostListBytes, parseList } from './format.ts';
import { contentOf, isSame, textContent } from './hashing.ts';
import { depotFault } from './place.ts';
import { type ReplicaState, readReplicaState, replicaFile, writeReplicaState } from './state.ts';

export type Taking = {
  readonly asker: Asker;
  readonly home: string;
  readonly store: ReleaseStore;
  /** Whose signatures are taken; without any, none is asked for. */
  readonly keys: readonly KeyObject[];
  /** How many fetched releases stay in the home. */
  readonly keep: number;
  /** After so many bytes, what came of a file is made safe against a kill. */
  readonly safeEveryBytes?: number;
  /** Undefined: as fast as they come. */
  readonly flow?: Flow;
  readonly onFile?: (name: string, content: Content) => void;
};

export type Outcome = {
  readonly kind: 'taken' | 'was here';
  readonly release: string;
  readonly sequence: number;
  /** That were fetched, and what they weigh. */
  readonly files: number;
  readonly bytes: number;
  readonly filesInAll: number;
};

/** A release of 4 GB is made safe some sixty times. */
const safeBytes = 1 << 26;
const atOnce = 4;
/** Is left free, for the ledger and for notes. */
const spareBytes = 1 << 26;

/** Throws DepotFault. What came so far is gone on with the next time. */
export async function takeNewest(taking: Taking): Promise<Outcome> {
  const folder = arrivals(taking.home);
  mkdirSync(folder, { recursive: true });
  const lock = takeLock(path.join(folder, '.lock'));
  if (lock === 'taken')
    throw new DepotFault(
      'conflict',
      'Another process fetches releases into this home; wait until it has finished.',
    );
  try {
    const asked = await askPointer(taking.asker, taking.keys, undefined);
    // It was asked for without a condition.
    if (asked === 'unchanged')
      throw new DepotFault('invalid', `${taking.asker.place.shown} answered 304 unasked.`);
    refuseOlder(asked, readReplicaState(taking.home), taking);
    const list = await askList(taking, asked);
    return (await isHere(taking, asked, list))
      ? switchTo(taking, asked, { files: 0, bytes: 0, filesInAll: list.size })
      : await fetchAndSwitch(taking, asked, list);
  } catch (error) {
    if (error instanceof HomeBusy) throw new DepotFault('conflict', error.message);
    const fault = isDiskFull(error) ? diskFull('There is no room left') : error;
    // The ledger may be on the same disk, and needs the room more.
    if (fault instanceof DepotFault && fault.kind === 'disk full') keepOnly(folder, new Set());
    throw fault;
  } finally {
    lock.release();
  }
}

const arrivals = (home: string): string => path.join(home, 'replica-files');

type Fetched = Pick<Outcome, 'files' | 'bytes' | 'filesInAll'>;

function refuseOlder({ pointer }: Asked, { taken }: ReplicaState, { asker }: Taking): void {
  if (taken === undefined || pointer.sequence > taken.sequence) return;
  const isTheSame = pointer.release === taken.release && isSame(pointer.list, taken.list);
  if (pointer.sequence === taken.sequence && isTheSame) return;
  throw new DepotFault(
    'older',
    `${asker.place.shown} says that ${pointer.release} is the newest (sequence ${pointer.sequence}), after ${taken.release} was (${taken.sequence}). It is an old copy, or somebody put it back: publish again, with --roll-back to go back on purpose.`,
  );
}

/** Whole, and the one that is meant. */
async function isHere({ store }: Taking, { pointer }: Asked, list: FileList): Promise<boolean> {
  const published = list.get(manifestName);
  const manifest = path.join(store.folder, pointer.release, manifestName);
  if (published === undefined || !existsSync(manifest)) return false;
  if (!isSame(await contentOf(manifest), published)) return false;
  try {
    store.open(pointer.release).verify();
    return true;
  } catch (error) {
    if (error instanceof ReleaseDamaged) return false;
    throw error;
  }
}

async function fetchAndSwitch(taking: Taking, asked: Asked, list: FileList): Promise<Outcome> {
  const { home, store } = taking;
  const { pointer } = asked;
  const folder = arrivals(home);
  keepOnly(folder, new Set([...list.values()].map(({ sha256 }) => sha256)));
  const found = await findHere(taking, list);
  const lacking = new Map([...list].filter(([name]) => !found.has(name)));
  refuseWithoutRoom(folder, lacking);
  const fetched = await fetchFiles(taking, lacking);
  const lock = store.lock();
  try {
    const current = currentOf(store);
    adoptRelease(store, pointer.release, new Map([...found, ...fetched]), (release) =>
      refuseLoss(release, current),
    );
  } catch (error) {
    if (!(error instanceof ReleaseDamaged)) throw error;
    throw new DepotFault(
      'invalid',
      `What is published as ${pointer.release} cannot be used: ${error.problem}.`,
    );
  } finally {
    lock.release();
  }
  const bytes = [...lacking.values()].reduce((sum, content) => sum + content.bytes, 0);
  return switchTo(taking, asked, { files: lacking.size, bytes, filesInAll: list.size });
}

async function askList({ asker }: Taking, { pointer }: Asked): Promise<FileList> {
  const key = listKey(pointer.sequence, pointer.release);
  const read = async (answer: Parameters<typeof readBytes>[0]) =>
    Buffer.from(await readBytes(answer, Math.min(mostListBytes, pointer.list.bytes))).toString('utf8');
  const text = await askSmall(asker, key, read);
  if (!isSame(textContent(text), pointer.list))
    throw new DepotFault(
      'invalid',
      `${key} at ${asker.place.shown} is not what was published; publish again.`,
    );
  try {
    return parseList(text, pointer.release);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new DepotFault('invalid', `${key} at ${asker.place.shown} ${error.message}.`);
  }
}

/** Files of the list, by name, that a release here has or an earlier run has fetched. Each is read: one that has suffered on
 *  this disk is fetched anew. */
async function findHere({ home, store }: Taking, list: FileList): Promise<Map<string, string>> {
  const folders = store.list().map(({ id }) => path.join(store.folder, id));
  const found = new Map<string, string>();
  for (const [name, content] of list) {
    const places = [
      path.join(arrivals(home), content.sha256),
      ...folders.map((folder) => path.join(folder, name)),
    ];
    for (const place of new Set(places)) {
      if (statSync(place, { throwIfNoEntry: false })?.size !== content.bytes) continue;
      if (!isSame(await contentOf(place), content)) continue;
      found.set(name, place);
      break;
    }
  }
  return found;
}

/** Before anything is fetched: the ledger may be on the same disk. What came of a file before is not counted twice. */
function refuseWithoutRoom(folder: string, lacking: FileList): void {
  const { blocks, bavail, bsize } = statfsSync(folder);
  // Some network disks do not tell.
  if (blocks === 0) return;
  const begun = (sha256: string) =>
    statSync(path.join(folder, `${sha256}.part`), { throwIfNoEntry: false })?.size ?? 0;
  const needed = [...lacking.values()].reduce(
    (sum, { bytes, sha256 }) => sum + Math.max(0, bytes - begun(sha256)),
    0,
  );
  if (needed + spareBytes > bavail * bsize)
    throw diskFull(`${needed} bytes are to come, and there is room for ${bavail * bsize}`);
}

const isDiskFull = (error: unknown): boolean =>
  errorCode(error) === 'ENOSPC' || errorCode(error) === 'EDQUOT';

const diskFull = (what: string): DepotFault =>
  new DepotFault('disk full', `${what} where the home is; make room: \`domesday releases prune\`.`);

/** Returns where each is, by name. */
async function fetchFiles(taking: Taking, lacking: FileList): Promise<ReadonlyMap<string, string>> {
  const { asker } = taking;
  const failed = new AbortController();
  const signal = AbortSignal.any([asker.signal, failed.signal]);
  const waiting = [...lacking];
  const fetched = new Map<string, string>();
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !failed.signal.aborted; next = waiting.shift()) {
      const [name, content] = next;
      fetched.set(name, await fetchFile(taking, name, content, signal));
    }
  };
  const ends = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      work().catch((error: unknown) => {
        failed.abort();
        throw error;
      }),
    ),
  );
  const faults = ends.flatMap((end): readonly unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  // Those that were stopped because of another one tell nothing.
  const fault = faults.find((each) => !(each instanceof DepotFault && each.kind === 'stopped')) ?? faults[0];
  if (fault !== undefined) throw fault;
  return fetched;
}

async function fetchFile(
  { asker, home, onFile, safeEveryBytes = safeBytes, flow }: Taking,
  name: string,
  content: Content,
  signal: AbortSignal,
): Promise<string> {
  const { place, exchange, clock } = asker;
  const { bytes, sha256 } = content;
  const key = fileKey(sha256);
  const folder = arrivals(home);
  onFile?.(name, content);
  const order = {
    address: place.addressOf(key),
    hosts: [],
    folder,
    fileName: sha256,
    mostBytes: bytes,
    bytes,
    signal,
  };
  // What an earlier run left may have been of something else: once more, from its beginning.
  for (let isSecond = false; ; isSecond = true) {
    const outcome = await download(order, { exchange, clock, safeEveryBytes, flow }).catch(
      (error: unknown) => {
        throw depotFault(error, place, key);
      },
    );
    const file = path.join(folder, sha256);
    if (outcome.kind === 'fetched' && outcome.sha256 === sha256) return file;
    rmSync(file, { force: true });
    if (isSecond)
      throw new DepotFault(
        'invalid',
        `${key} at ${place.shown} (${name}) is not what was published; remove that file there and publish again.`,
      );
  }
}

const currentOf = (store: ReleaseStore): Release | undefined => {
  try {
    return store.openCurrent();
  } catch (error) {
    if (error instanceof NoSuchRelease || error instanceof ReleaseDamaged) return undefined;
    throw error;
  }
};

/** A program that is older than the one that made the release waits for its own upgrade, and serves what it has. */
function refuseLoss(release: Release, current: Release | undefined): void {
  const lost = release.unreadable.filter(({ dataset }) =>
    current?.datasets.some(({ name }) => name === dataset.name),
  );
  if (lost.length === 0) return;
  const names = lost.map(({ dataset }) => dataset.name).join(', ');
  throw new DepotFault(
    'unusable',
    `Another version of this program made release ${release.id}, and this one could not answer from its ${names}; upgrade this replica.`,
  );
}

/** The sequence is noted first: after a kill in between, the next run switches, and nothing older is ever taken. */
function switchTo({ home, store, keep, asker }: Taking, asked: Asked, fetched: Fetched): Outcome {
  const { pointer, validators } = asked;
  const { sequence, release, list, publishedAt } = pointer;
  const before = readReplicaState(home);
  const takenAt = new Date(asker.clock.now()).toISOString();
  const taken = { sequence, release, list, publishedAt, takenAt, validators };
  const ids = [release, ...before.fetched.filter((id) => id !== release)];
  const lock = store.lock();
  try {
    const isCurrent = store.list().some((entry) => entry.isCurrent && entry.id === release);
    const isNew = !isCurrent || before.taken?.sequence !== sequence;
    writeReplicaState(home, { taken, failing: undefined, fetched: ids });
    store.point(release);
    for (const id of ids.slice(keep)) store.remove(id);
    // Also what an earlier run left that was killed after the release was in its place.
    keepOnly(arrivals(home), new Set());
    store.removeLeftovers();
    removeUnfinished(replicaFile(home));
    if (ids.length > keep)
      writeReplicaState(home, { taken, failing: undefined, fetched: ids.slice(0, keep) });
    return { kind: isNew ? 'taken' : 'was here', release, sequence, ...fetched };
  } finally {
    lock.release();
  }
}

/** What no file of the list needs any more. */
function keepOnly(folder: string, hashes: ReadonlySet<string>): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{64}/.test(name) && !hashes.has(name.slice(0, 64)))
      rmSync(path.join(folder, name), { force: true });
}
