// Homes with small releases, a depot between them, and a replica that takes from it.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openAsker } from '../../src/depot/asking.ts';
import { folderTarget } from '../../src/depot/folder-target.ts';
import { openPlace, type Place } from '../../src/depot/place.ts';
import { type Publication, publish } from '../../src/depot/publish.ts';
import { readPublicKeys } from '../../src/depot/signature.ts';
import { type Outcome, type Taking, takeNewest } from '../../src/depot/take.ts';
import type { Target } from '../../src/depot/target.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome, type ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { type Clock, systemClock } from '../../src/update/web/clock.ts';
import { madeUpDataset } from '../release/made-up-dataset.ts';

export const noonMs = Date.UTC(2026, 10, 15, 12);

/** Pauses before another try take no time; silence is waited for. */
const hastyClock: Clock = {
  ...systemClock,
  wait: (ms, signal) => systemClock.wait(ms <= 300 || ms > 60_000 ? ms : 0, signal),
};

export type Context = { after(end: () => void | Promise<void>): void };

export function temporaryFolder(context: Context): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-depot-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const storeOf = (home: string): ReleaseStore => openHome(home, layouts).releases;

/** Numbers of one part; the others stay those of the base. */
export type Contents = Readonly<Record<string, Uint32Array>>;

/** Makes a release of dataset "authorities" with a part for each name. */
export function makeRelease(home: string, minute: number, contents: Contents): Release {
  const store = storeOf(home);
  const id = `release-${String(minute).padStart(4, '0')}`;
  const writer = store.beginRelease({
    id,
    kind: 'loaded',
    createdAtMs: noonMs + minute * 60_000,
    base: undefined,
  });
  for (const [name, value] of Object.entries(contents)) writer.writePart(name, { value });
  writer.putDataset(madeUpDataset('authorities', Object.keys(contents)));
  const release = writer.finish();
  store.point(id);
  return release;
}

export const numbers = (seed: number, length = 4): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (seed * 2_654_435_761 + at * 40_503) >>> 0);

/** As the command does: under the lock of the target. */
export async function publishTo(
  target: Target,
  release: Release,
  more: Partial<Pick<Publication, 'signingKey' | 'allowed' | 'now' | 'onFile'>> = {},
) {
  const lock = target.lock();
  try {
    return await publish({
      target,
      release,
      now: () => noonMs,
      signingKey: undefined,
      allowed: new Set(),
      ...more,
    });
  } finally {
    lock.release();
  }
}

export const publishToFolder = (folder: string, release: Release, more?: Parameters<typeof publishTo>[2]) =>
  publishTo(folderTarget(folder), release, more);

export type TakeMore = Partial<Pick<Taking, 'keep' | 'safeEveryBytes' | 'onFile' | 'store'>> & {
  readonly publicKey?: string;
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  readonly stallMs?: number;
  /** In place of the one of the address. */
  readonly place?: (real: Place) => Place;
};

export async function takeFrom(address: string, home: string, more: TakeMore = {}): Promise<Outcome> {
  const {
    publicKey,
    env = {},
    clock = hastyClock,
    // A busy machine is slow, but never silent; a test of silence names how long it waits for it.
    stallMs = 120_000,
    place: wrap = (real) => real,
    ...rest
  } = more;
  const keys = publicKey === undefined ? [] : (readPublicKeys(publicKey) ?? []);
  const proof = keys.length === 0 ? 'none' : 'signatures';
  const place = wrap(openPlace(address, { env, userAgent: 'test', proof, clock }));
  const signal = new AbortController().signal;
  const asker = openAsker({ place, clock, signal, stallMs });
  try {
    return await takeNewest({ asker, home, store: storeOf(home), keys, keep: 2, ...rest });
  } finally {
    place.wire.close();
  }
}

/** Every file of a release with its bytes, whichever home it is in. */
export const bytesOf = ({ dir }: Release): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(dir)
      .sort()
      .map((name) => [name, readFileSync(path.join(dir, name)).toString('base64')]),
  );

/** All files of a depot that replicas read. */
export const keysIn = (folder: string): readonly string[] => [
  'newest',
  ...['files', 'releases'].flatMap((below) =>
    readdirSync(path.join(folder, below)).map((name) => `${below}/${name}`),
  ),
];
