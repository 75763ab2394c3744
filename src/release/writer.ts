// Builds a release in a temporary folder and renames it into place once every part has been read back. A failure at any
// moment leaves the existing releases untouched.

import { randomUUID } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Lock, takeLock } from '../lock.ts';
import type { DiskPace } from './disk-pace.ts';
import { isContentOf, syncFolder, writeDurable, writeDurableAside } from './durable.ts';
import {
  type Dataset,
  type DerivedPart,
  isPartName,
  type KnownDataset,
  type Layouts,
  type Manifest,
  type PartEntry,
  type ReleaseKind,
  releaseFormat,
  releaseVersion,
} from './manifest.ts';
import { type Columns, checksumOf, encodePart } from './part.ts';
import {
  manifestName,
  openRelease,
  partFileName,
  Release,
  ReleaseDamaged,
  readShared,
  sealName,
  sealOf,
} from './reader.ts';

export type NewRelease = {
  readonly id: string;
  readonly kind: ReleaseKind;
  readonly createdAtMs: number;
  /** Its datasets are carried over, unless they are written anew. */
  readonly base: Release | undefined;
};

const scratchName = '.scratch';

// A folder beside the releases in which one is put together, until it is renamed into its place: whole, or never.

const buildingPrefix = '.building-';

/** Beside the folder of a build, and held before the folder appears: a folder whose lock can be taken is of a dead build. */
const lockOf = (building: string): string => `${building}.lock`;

export class Building {
  readonly dir: string;
  readonly #folder: string;
  readonly #lock: Lock;

  /** `folder` holds the releases. What dead builds left behind in it is removed. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    removeAbandoned(folder);
    this.#folder = folder;
    this.dir = path.join(folder, `${buildingPrefix}${randomUUID()}`);
    const lock = takeLock(lockOf(this.dir));
    if (lock === 'taken') throw new Error(`${this.dir} is being built by another process.`);
    this.#lock = lock;
    try {
      mkdirSync(this.dir);
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** What is in it becomes the release of that id. Returns where that is. */
  appearAs(id: string): string {
    const place = path.join(this.#folder, id);
    renameSync(this.dir, place);
    syncFolder(this.#folder);
    return place;
  }

  /** Removes what was built so far; after `appearAs` there is nothing to remove. */
  abandon(): void {
    rmSync(this.dir, { recursive: true, force: true });
    this.#lock.release();
    rmSync(lockOf(this.dir), { force: true });
  }
}

/** The same bytes under a second name. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // No hard links here (another file system, or one without them).
    copyFileSync(from, to);
  }
}

/** Removes the folders of dead builds and the locks of those that died before they had one, never those of a live build. */
export function removeAbandoned(folder: string): void {
  const ofBuilds = readdirSync(folder).filter((name) => name.startsWith(buildingPrefix));
  for (const name of new Set(ofBuilds.map((each) => each.replace(/\.lock$/, '')))) {
    const building = path.join(folder, name);
    const lock = takeLock(lockOf(building));
    if (lock === 'taken') continue;
    rmSync(building, { recursive: true, force: true });
    lock.release();
    rmSync(lockOf(building), { force: true });
  }
}

export class ReleaseWriter {
  readonly #layouts: Layouts;
  readonly #building: Building;
  readonly #release: NewRelease;
  readonly #pace: DiskPace | undefined;
  readonly #written = new Map<string, PartEntry>();
  /** Those of them that have not been read back. */
  readonly #unread = new Set<string>();
  readonly #datasets = new Map<string, Dataset>();
  readonly #derived = new Map<string, DerivedPart>();

  /** `folder` holds the releases. What dead builds left behind in it is removed. */
  constructor(folder: string, layouts: Layouts, release: NewRelease, pace?: DiskPace) {
    this.#building = new Building(folder);
    this.#layouts = layouts;
    this.#release = release;
    this.#pace = pace;
  }

  /** What the release would be if it were finished now; undefined where there is nothing yet. */
  soFar(): Release | undefined {
    const { base } = this.#release;
    if (this.#datasets.size === 0) return base;
    const manifest = this.#describe((name) => base?.manifest.parts[name]);
    return new Release(this.#building.dir, manifest, this.#layouts, readShared, base?.dir);
  }

  /** A folder for what does not fit into memory during the build; it is removed before the release appears. */
  get scratch(): string {
    const folder = path.join(this.#building.dir, scratchName);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  writePart(name: string, columns: Columns): void {
    const part = encodePart(columns);
    writeDurable(this.#placeFor(name, part), part, this.#pace);
    this.#unread.add(name);
  }

  /** Takes what `encodePart` gave in any thread, and does not block this one. Throws ReleaseDamaged. */
  async writeEncoded(name: string, part: Uint8Array): Promise<void> {
    const file = this.#placeFor(name, part);
    await writeDurableAside(file, part, this.#pace);
    if (await isContentOf(file, part)) return;
    throw new ReleaseDamaged(
      this.#release.id,
      name,
      'what is read back from the disk is not what was written',
    );
  }

  #placeFor(name: string, part: Uint8Array): string {
    if (!isPartName(name)) throw new RangeError(`"${name}" is not a name for a part.`);
    if (this.#written.has(name)) throw new RangeError(`Part ${name} was written twice.`);
    this.#written.set(name, { bytes: part.length, crc32: checksumOf(part) });
    return path.join(this.#building.dir, partFileName(name));
  }

  /** Its `parts` are the ones just written, or parts of the base that stay as they are. */
  putDataset(dataset: Omit<KnownDataset, 'layout'>): void {
    const layout = this.#layouts.get(dataset.name);
    if (layout === undefined) throw new RangeError(`No table says how ${dataset.name} is laid out.`);
    this.#datasets.set(dataset.name, { ...dataset, layout });
  }

  /** Whether the parts, just written or kept, are those that the base has of the dataset. */
  hasSameParts(dataset: Dataset, parts: ReadonlySet<string>): boolean {
    const before = this.#release.base?.manifest.parts ?? {};
    return (
      dataset.parts.length === parts.size &&
      dataset.parts.every((name) => {
        const [old, written] = [before[name], this.#written.get(name) ?? before[name]];
        return parts.has(name) && old?.bytes === written?.bytes && old?.crc32 === written?.crc32;
      })
    );
  }

  /** Undoes a dataset that is not put after all. What the base has of it stays, with the parts of the same names. */
  takeBack(parts: Iterable<string>): void {
    for (const name of parts) {
      if (!this.#written.delete(name)) continue;
      this.#unread.delete(name);
      rmSync(path.join(this.#building.dir, partFileName(name)), { force: true });
    }
    rmSync(path.join(this.#building.dir, scratchName), { recursive: true, force: true });
  }

  /** The part was just written, or is a part of the base. Derived parts of the base that are not put are left out. */
  putDerived(derived: DerivedPart): void {
    this.#derived.set(derived.part, derived);
  }

  /** Verifies what was written, then makes the release appear in the folder. It is not made current. */
  finish(): Release {
    try {
      rmSync(path.join(this.#building.dir, scratchName), { recursive: true, force: true });
      const manifest = this.#describe((name) => this.#carryOver(name));
      const content = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
      writeDurable(path.join(this.#building.dir, manifestName), content);
      writeDurable(path.join(this.#building.dir, sealName), Buffer.from(sealOf(content)));
      syncFolder(this.#building.dir);
      openRelease(this.#building.dir, this.#layouts).verify(this.#unread);
      return openRelease(this.#building.appearAs(manifest.id), this.#layouts);
    } finally {
      this.abandon();
    }
  }

  /** Removes what was built so far; does nothing after finish(). */
  abandon(): void {
    this.#building.abandon();
  }

  /** `carryOver` is asked for every part that was not written. */
  #describe(carryOver: (name: string) => PartEntry | undefined): Manifest {
    const { id, kind, createdAtMs, base } = this.#release;
    const kept = (base?.manifest.datasets ?? []).filter(({ name }) => !this.#datasets.has(name));
    const datasets = [...this.#datasets.values(), ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
    const derived = [...this.#derived.values()].sort((a, b) => (a.part < b.part ? -1 : 1));
    const names = [...datasets.flatMap((dataset) => dataset.parts), ...derived.map(({ part }) => part)];
    const parts = names.map((name): [string, PartEntry] => {
      const entry = this.#written.get(name) ?? carryOver(name);
      if (entry === undefined) {
        throw new RangeError(`Part ${name} was neither written nor is it in the base release.`);
      }
      return [name, entry];
    });
    const unclaimed = [...this.#written.keys()].find((name) => !parts.some(([part]) => part === name));
    if (unclaimed !== undefined) throw new RangeError(`Part ${unclaimed} belongs to no dataset.`);
    return {
      format: releaseFormat,
      version: releaseVersion,
      id,
      createdAt: new Date(createdAtMs).toISOString(),
      kind,
      parent: base?.id ?? null,
      datasets,
      derived,
      parts: Object.fromEntries(parts),
    };
  }

  #carryOver(name: string): PartEntry | undefined {
    const { base } = this.#release;
    const entry = base?.manifest.parts[name];
    if (base === undefined || entry === undefined) return undefined;
    const from = path.join(base.dir, partFileName(name));
    const to = path.join(this.#building.dir, partFileName(name));
    linkOrCopy(from, to);
    return entry;
  }
}
