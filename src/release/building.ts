// A folder beside the releases in which one is put together, until it is renamed into its place: whole, or never.

import { randomUUID } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Lock, takeLock } from '../lock.ts';
import { syncFolder } from './durable.ts';

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
