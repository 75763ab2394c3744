// One opened release: its manifest, and its parts, each read on first use into memory that threads can share.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { sayEarly } from '../before-release.ts';
import type { DatasetName } from '../datasets.ts';
import { errorCode } from '../errno.ts';
import type { DiskPace } from './disk-pace.ts';
import { EarlyFormat, FieldFault } from './fields.ts';
import {
  type Dataset,
  type DerivedPart,
  type KnownDataset,
  type Layouts,
  type Manifest,
  parseManifest,
} from './manifest.ts';
import { Part, PartFault } from './part.ts';

export const manifestName = 'manifest.json';
/** Proves the manifest. */
export const sealName = 'manifest.sha256';
export const partFileName = (name: string): string => `${name}.part`;

/** Brings the whole file into memory; a thread may hand over a buffer that another thread has read. */
export type LoadBuffer = (path: string, bytes: number) => SharedArrayBuffer;

/** The release on disk is not what was written; the message is for the operator. */
export class ReleaseDamaged extends Error {
  override name = 'ReleaseDamaged';
  readonly releaseId: string;
  readonly part: string | undefined;
  readonly problem: string;
  constructor(releaseId: string, part: string | undefined, problem: string) {
    const what = part === undefined ? `Release ${releaseId}` : `Part ${part} of release ${releaseId}`;
    super(
      `${what} cannot be used: ${problem}. Run \`domesday check\`, or use another release with \`domesday releases use ID\`.`,
    );
    this.releaseId = releaseId;
    this.part = part;
    this.problem = problem;
  }
}

/** It was made before version 1.0 was published. */
class EarlyRelease extends ReleaseDamaged {
  override name = 'EarlyRelease';
  constructor(releaseId: string) {
    super(releaseId, undefined, 'it was made before Domesday 1.0');
    this.message = sayEarly(`Release ${releaseId}`);
  }
}

/** A dataset whose parts this program cannot read, because another version of the program laid them out. */
export type Unreadable = { readonly dataset: Dataset; readonly laidOutBy: 'earlier' | 'later' };

export const otherVersion: Readonly<Record<Unreadable['laidOutBy'], string>> = {
  earlier: 'an earlier version of this program',
  later: 'a later version of this program',
};

/** How a message about it begins. */
export const describeUnreadable = ({ dataset, laidOutBy }: Unreadable, { id }: Release): string =>
  `The dataset ${dataset.name} of release ${id} has the layout of ${otherVersion[laidOutBy]}`;

/** Checksums run at about 1 GB/s, so this much costs a start some 16 ms. */
const openedAtStartBytes = 2 ** 24;

export class Release {
  readonly id: string;
  readonly manifest: Manifest;
  /** Those of the manifest that this program can read. The others are as if they were not loaded. */
  readonly datasets: readonly KnownDataset[];
  readonly unreadable: readonly Unreadable[];
  readonly layouts: Layouts;
  readonly dir: string;
  /** While it is being built: the folder of the parts that are not in `dir`. */
  readonly beneath: string | undefined;
  readonly #byName: ReadonlyMap<DatasetName, KnownDataset>;
  readonly #loadBuffer: LoadBuffer;
  readonly #parts = new Map<string, Part>();
  readonly #unreadableParts: ReadonlySet<string>;

  constructor(dir: string, manifest: Manifest, layouts: Layouts, loadBuffer: LoadBuffer, beneath?: string) {
    this.id = manifest.id;
    this.manifest = manifest;
    this.layouts = layouts;
    const isReadable = (dataset: Dataset): dataset is KnownDataset =>
      layouts.get(dataset.name) === dataset.layout;
    this.datasets = manifest.datasets.filter(isReadable);
    this.#byName = new Map(this.datasets.map((dataset) => [dataset.name, dataset]));
    this.unreadable = manifest.datasets
      .filter((dataset) => !isReadable(dataset))
      .map((dataset) => {
        // A dataset that this version does not know is of a later one: no dataset was ever dropped.
        const own = layouts.get(dataset.name);
        return { dataset, laidOutBy: own !== undefined && dataset.layout < own ? 'earlier' : 'later' };
      });
    this.#unreadableParts = new Set(this.unreadable.flatMap(({ dataset }) => dataset.parts));
    this.dir = dir;
    this.beneath = beneath;
    this.#loadBuffer = loadBuffer;
  }

  /** Whether it is there and can be read. */
  has(name: string): boolean {
    return Object.hasOwn(this.manifest.parts, name) && !this.#unreadableParts.has(name);
  }

  /** Whether the part was worked out by that version of its rule. */
  hasDerived({ part, version }: Pick<DerivedPart, 'part' | 'version'>): boolean {
    return this.manifest.derived.some((made) => made.part === part && made.version === version);
  }

  /** Opened and checked on first use. Throws ReleaseDamaged; so does the part itself where a column is missing. */
  part(name: string): Part {
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    const part = this.#open(name);
    this.#parts.set(name, part);
    return part;
  }

  /** As `part`, but not kept in memory: for going through large parts once. */
  readPart(name: string): Part {
    return this.#parts.get(name) ?? this.#open(name);
  }

  findDataset(name: DatasetName): KnownDataset | undefined {
    return this.#byName.get(name);
  }

  /** As if nothing of the data that comes with the program were loaded, and nothing worked out from it; itself where there is none. */
  withoutSample(): Release {
    const { manifest, dir, layouts, beneath } = this;
    const isSample = ({ extent }: Dataset) => extent === 'sample';
    const sampled = manifest.datasets.filter(isSample);
    if (sampled.length === 0) return this;
    const names = new Set(sampled.map(({ name }) => name));
    const isOfSample = ({ from }: DerivedPart) => from.some((name) => names.has(name));
    const gone = new Set([
      ...sampled.flatMap(({ parts }) => parts),
      ...manifest.derived.filter(isOfSample).map(({ part }) => part),
    ]);
    const own = {
      ...manifest,
      datasets: manifest.datasets.filter((dataset) => !isSample(dataset)),
      derived: manifest.derived.filter((part) => !isOfSample(part)),
      parts: Object.fromEntries(Object.entries(manifest.parts).filter(([name]) => !gone.has(name))),
    };
    return new Release(dir, own, layouts, this.#loadBuffer, beneath);
  }

  findUnreadable(name: DatasetName): Unreadable | undefined {
    return this.unreadable.find(({ dataset }) => dataset.name === name);
  }

  /** Reads every part (or those named) once more from disk. Throws ReleaseDamaged at the first fault. */
  verify(names: Iterable<string> = Object.keys(this.manifest.parts)): void {
    for (const name of names) this.#open(name);
  }

  /** What a start has time for: that every part is there with its size, and that the small ones can be opened. Throws
   *  ReleaseDamaged. */
  verifyQuickly(): void {
    const smallestFirst = Object.entries(this.manifest.parts).sort(([, a], [, b]) => a.bytes - b.bytes);
    let opened = 0;
    for (const [name, { bytes }] of smallestFirst) {
      const size = statSync(path.join(this.dir, partFileName(name)), { throwIfNoEntry: false })?.size;
      if (size === undefined) throw new ReleaseDamaged(this.id, name, 'its file is missing');
      if (size !== bytes) throw new ReleaseDamaged(this.id, name, `it has ${size} bytes instead of ${bytes}`);
      opened += bytes;
      if (opened <= openedAtStartBytes) this.part(name);
    }
  }

  #open(name: string): Part {
    const entry = this.manifest.parts[name];
    if (entry === undefined) throw new ReleaseDamaged(this.id, name, 'the release does not contain it');
    const blame = ({ message }: PartFault) => new ReleaseDamaged(this.id, name, message);
    try {
      const part = Part.open(this.#loadBuffer(this.fileOf(name), entry.bytes), blame);
      if (part.checksum === entry.crc32) return part;
    } catch (error) {
      throw new ReleaseDamaged(this.id, name, problemOf(error));
    }
    throw new ReleaseDamaged(this.id, name, 'it is a part of another release');
  }

  fileOf(name: string): string {
    const file = path.join(this.dir, partFileName(name));
    return this.beneath === undefined || existsSync(file)
      ? file
      : path.join(this.beneath, partFileName(name));
  }
}

/** Opens once per release: so requests share a table's opened columns. */
export function oncePerRelease<T>(open: (release: Release) => T): (release: Release) => T {
  const known = new WeakMap<Release, { readonly value: T }>();
  return (release) => {
    const found = known.get(release);
    if (found !== undefined) return found.value;
    const value = open(release);
    known.set(release, { value });
    return value;
  };
}

/** The content of the file beside a manifest that proves it, as `sha256sum --check` reads it. */
export const sealOf = (manifest: Uint8Array): string =>
  `${createHash('sha256').update(manifest).digest('hex')}  ${manifestName}\n`;

/** Throws FieldFault. */
function readManifest(dir: string): Manifest {
  const bytes = readFileSync(path.join(dir, manifestName));
  const seal = readIfThere(path.join(dir, sealName));
  if (seal === undefined) throw new FieldFault(`cannot be proved: ${sealName} is missing beside it`);
  if (!seal.equals(Buffer.from(sealOf(bytes)))) {
    throw new FieldFault(`does not match its checksum in ${sealName}`);
  }
  return parseManifest(bytes.toString('utf8'));
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws ReleaseDamaged. */
export function openRelease(dir: string, layouts: Layouts, loadBuffer: LoadBuffer = readShared): Release {
  const id = path.basename(dir);
  let manifest: Manifest;
  try {
    manifest = readManifest(dir);
  } catch (error) {
    if (error instanceof EarlyFormat) throw new EarlyRelease(id);
    const problem = error instanceof FieldFault ? `its manifest ${error.message}` : problemOf(error);
    throw new ReleaseDamaged(id, undefined, problem);
  }
  return new Release(dir, manifest, layouts, loadBuffer);
}

/** As much of a file as is read without a rest. */
const pacedBytes = 1 << 22;

/** Reads a file into memory that can be handed to other threads. */
export function readShared(file: string, bytes: number, pace?: DiskPace): SharedArrayBuffer {
  const descriptor = openSync(file, 'r');
  try {
    const size = fstatSync(descriptor).size;
    if (size !== bytes) throw new PartFault('truncated', `it has ${size} bytes instead of ${bytes}`);
    const buffer = new SharedArrayBuffer(bytes);
    const target = new Uint8Array(buffer);
    // One read() moves at most 2 GB.
    const mostAtOnce = pace === undefined ? 1 << 30 : pacedBytes;
    let done = 0;
    while (done < bytes) {
      const begunMs = performance.now();
      const read = readSync(descriptor, target, done, Math.min(bytes - done, mostAtOnce), done);
      if (read === 0) throw new PartFault('truncated', `it ends after ${done} bytes instead of ${bytes}`);
      done += read;
      pace?.rest(read, performance.now() - begunMs);
    }
    return buffer;
  } finally {
    closeSync(descriptor);
  }
}

/** What is wrong with a part that could not be read, for the operator. */
export function problemOf(error: unknown): string {
  if (error instanceof PartFault) return error.message;
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'a file of it is missing';
  if (typeof code === 'string') return `a file of it cannot be read (${code})`;
  throw error;
}
