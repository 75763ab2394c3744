// The releases of a home folder: which there are, which is current, switching and cleaning up.
// <home>/releases holds what live keys are answered from, <home>/sandbox what test keys are.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { type Lock, takeLock } from '../lock.ts';
import type { DiskPace } from './disk-pace.ts';
import { removeUnfinished, replaceDurable, syncFolder } from './durable.ts';
import { isReleaseId, type Layouts, type Manifest } from './manifest.ts';
import {
  type LoadBuffer,
  manifestName,
  openRelease,
  partFileName,
  type Release,
  ReleaseDamaged,
  readShared,
  sealName,
} from './reader.ts';
import { Building, linkOrCopy, type NewRelease, ReleaseWriter, removeAbandoned } from './writer.ts';

export type ReleaseEntry =
  | { readonly kind: 'usable'; readonly id: string; readonly isCurrent: boolean; readonly manifest: Manifest }
  | { readonly kind: 'damaged'; readonly id: string; readonly isCurrent: boolean; readonly problem: string };

/** The operator named a release that is not there, or there is none yet. */
export class NoSuchRelease extends Error {
  override name = 'NoSuchRelease';
}

/** Another process is at work in this home folder. */
export class HomeBusy extends Error {
  override name = 'HomeBusy';
}

export class ReleaseStore {
  readonly folder: string;
  readonly layouts: Layouts;
  readonly #pointer: string;
  readonly #pace: DiskPace | undefined;

  /** Reads and writes as fast as it goes, unless a pace is given. */
  constructor(folder: string, layouts: Layouts, pace?: DiskPace) {
    this.folder = folder;
    this.layouts = layouts;
    this.#pointer = path.join(folder, 'current');
    this.#pace = pace;
  }

  /** What the pointer file says; undefined before the first release. Cheap enough to ask every second. */
  currentId(): string | undefined {
    let text: string;
    try {
      text = readFileSync(this.#pointer, 'utf8').trim();
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
        return undefined;
      }
      throw error;
    }
    if (!isReleaseId(text)) {
      throw new ReleaseDamaged('current', undefined, 'the file "current" beside the releases names none');
    }
    return text;
  }

  #pointedAt(): string | undefined {
    try {
      return this.currentId();
    } catch (error) {
      if (error instanceof ReleaseDamaged) return undefined;
      throw error;
    }
  }

  has(id: string): boolean {
    return isReleaseId(id) && existsSync(path.join(this.folder, id, manifestName));
  }

  /** Throws NoSuchRelease or ReleaseDamaged. */
  open(id: string, loadBuffer: LoadBuffer = this.#read): Release {
    if (!isReleaseId(id) || !existsSync(path.join(this.folder, id))) {
      throw new NoSuchRelease(`There is no release ${id} here; \`domesday releases\` lists the releases.`);
    }
    const release = openRelease(path.join(this.folder, id), this.layouts, loadBuffer);
    if (release.id === id) return release;
    throw new ReleaseDamaged(id, undefined, `its manifest belongs to ${release.id}`);
  }

  openCurrent(loadBuffer: LoadBuffer = this.#read): Release {
    const id = this.currentId();
    if (id === undefined) {
      throw new NoSuchRelease(
        'There is no release yet; `domesday serve` or `domesday ingest PATH…` makes the first.',
      );
    }
    return this.open(id, loadBuffer);
  }

  /** Newest first. None is current where the pointer names none. */
  list(): readonly ReleaseEntry[] {
    const current = this.#pointedAt();
    return this.#ids()
      .map((id): ReleaseEntry => {
        const isCurrent = id === current;
        try {
          return { kind: 'usable', id, isCurrent, manifest: this.open(id).manifest };
        } catch (error) {
          if (!(error instanceof ReleaseDamaged)) throw error;
          return { kind: 'damaged', id, isCurrent, problem: error.message };
        }
      })
      .sort((a, b) => createdAtOf(b).localeCompare(createdAtOf(a)) || (a.id < b.id ? 1 : -1));
  }

  /** Makes a release current after reading all of it. Throws NoSuchRelease or ReleaseDamaged. */
  use(id: string): Release {
    const release = this.open(id);
    release.verify();
    this.point(id);
    return release;
  }

  /** Makes a release current that has just been verified. */
  point(id: string): void {
    replaceDurable(this.#pointer, `${id}\n`);
  }

  /** What kills left. The caller holds the lock. */
  removeLeftovers(): void {
    removeAbandoned(this.folder);
    removeUnfinished(this.#pointer);
  }

  readonly #read: LoadBuffer = (file, bytes) => readShared(file, bytes, this.#pace);

  beginRelease(release: NewRelease): ReleaseWriter {
    return new ReleaseWriter(this.folder, this.layouts, release, this.#pace);
  }

  /** Removes all but the current release, the newest one made before it and, unless told otherwise, those that are not
   *  older than the current one. Returns ids. */
  prune(newer: 'keep' | 'remove'): {
    readonly removed: readonly string[];
    readonly keptNewer: readonly string[];
  } {
    const entries = this.list();
    const current = entries.find((entry) => entry.isCurrent);
    if (current === undefined || current.kind === 'damaged') {
      throw new NoSuchRelease(
        'The current release is missing or damaged, so nothing was removed; choose one with `domesday releases use ID`.',
      );
    }
    const isOlder = (entry: ReleaseEntry) => madeAtOf(entry) < current.manifest.createdAt;
    const before = entries.find((entry) => entry.kind === 'usable' && isOlder(entry));
    const others = entries.filter((entry) => entry !== current && entry !== before);
    const isKept = (entry: ReleaseEntry) => newer === 'keep' && !isOlder(entry);
    const removed = others.filter((entry) => !isKept(entry)).map(({ id }) => id);
    for (const id of removed) this.remove(id);
    return { removed, keptNewer: others.filter(isKept).map(({ id }) => id) };
  }

  remove(id: string): void {
    if (isReleaseId(id)) rmSync(path.join(this.folder, id), { recursive: true, force: true });
  }

  /** Throws HomeBusy while another process builds, switches or cleans up here. */
  lock(): Lock {
    mkdirSync(this.folder, { recursive: true });
    const lock = takeLock(path.join(this.folder, '.changing.lock'));
    if (lock !== 'taken') return lock;
    throw new HomeBusy(
      'Another process is already changing the releases of this home folder; wait until it has finished.',
    );
  }

  #ids(): readonly string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder).filter(
      (name) =>
        name !== 'current' && isReleaseId(name) && statSync(path.join(this.folder, name)).isDirectory(),
    );
  }
}

const createdAtOf = (entry: ReleaseEntry): string =>
  entry.kind === 'usable' ? entry.manifest.createdAt : '';

/** Of one that cannot be read, as its id tells: it may be a later program's. */
function madeAtOf(entry: ReleaseEntry): string {
  const [, hour, minute] = /^(\d{4}-\d\d-\d\dT\d\d)(\d\d)Z-/.exec(entry.id) ?? [];
  return createdAtOf(entry) || (hour === undefined ? '' : `${hour}:${minute}:59.999Z`);
}

export type Home = { readonly releases: ReleaseStore; readonly sandbox: ReleaseStore };

/** The pace is that of the releases; the sandbox is small. */
export const openHome = (home: string, layouts: Layouts, pace?: DiskPace): Home => ({
  releases: new ReleaseStore(path.join(home, 'releases'), layouts, pace),
  sandbox: new ReleaseStore(path.join(home, 'sandbox'), layouts),
});

/** Sortable by time; `suffix` (six random characters) keeps two of the same minute apart. */
export function releaseIdAt(atMs: number, suffix: string): string {
  const stamp = new Date(atMs).toISOString();
  return `${stamp.slice(0, 13)}${stamp.slice(14, 16)}Z-${suffix}`;
}

// Takes a release into a home that was made in another one: the same files in the same layout, all of them read before it
// appears under its name.

/** The names of all files of a release. */
export const fileNamesOf = ({ parts }: Pick<Manifest, 'parts'>): readonly string[] => [
  manifestName,
  sealName,
  ...Object.keys(parts).map(partFileName),
];

/**
 * `files` are by their names in the release; they stay where they are. `consent` may still throw, when the release is known
 * to be whole. Throws ReleaseDamaged; the home is then as it was. A damaged release of the same id is replaced. It is not
 * made current.
 */
export function adoptRelease(
  store: ReleaseStore,
  id: string,
  files: ReadonlyMap<string, string>,
  consent: (release: Release) => void,
): Release {
  const building = new Building(store.folder);
  try {
    for (const [name, file] of files) linkOrCopy(file, path.join(building.dir, name));
    syncFolder(building.dir);
    const made = openRelease(building.dir, store.layouts);
    if (made.id !== id) throw new ReleaseDamaged(id, undefined, `its manifest belongs to ${made.id}`);
    const names = fileNamesOf(made.manifest);
    if (names.length !== files.size || names.some((name) => !files.has(name)))
      throw new ReleaseDamaged(id, undefined, 'its files are not those of its manifest');
    made.verify();
    consent(made);
    store.remove(id);
    return openRelease(building.appearAs(id), store.layouts);
  } finally {
    building.abandon();
  }
}
