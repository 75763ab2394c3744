// Watches that the ledger on disk is still the one that was opened. A file that was removed or exchanged takes writes
// like any other, so that every acknowledgement after it would be lost.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { LedgerOutOfService, type Tell } from '../../ledger.ts';
import { restoreCommand } from '../../restore-command.ts';

export type Watched = { readonly path: string; readonly device: bigint; readonly inode: bigint };

/** A database that is open, so that its log is there. */
function watch(database: string): readonly Watched[] {
  // SQLite keeps the log beside the file that a link leads to.
  const real = realpathSync(database);
  return [database, `${real}-wal`, `${real}-shm`].map((file) => {
    const { dev, ino } = statSync(file, { bigint: true });
    return { path: file, device: dev, inode: ino };
  });
}

/** What was done to the files by name. */
export function findExchanged(files: readonly Watched[]): string | undefined {
  for (const { path: file, device, inode } of files) {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (found?.dev === device && found.ino === inode) continue;
    const what = found === undefined ? 'was removed or renamed' : 'was exchanged for another file';
    return `${file} ${what} while the service ran`;
  }
  return undefined;
}

export class Guard {
  readonly files: readonly Watched[];
  /** `-shm` holds no charges, so that a commit leaves it to whoever looks at all. */
  readonly #written: readonly Watched[];
  #state: 'sound' | 'suspended' | 'lost' = 'sound';
  #refusal = new LedgerOutOfService('The ledger is out of service.', 'until it is checked');
  readonly #home: string;
  readonly #tell: Tell;

  constructor(ledger: string, tell: Tell) {
    this.#home = path.dirname(ledger);
    this.#tell = tell;
    this.files = watch(ledger);
    this.#written = this.files.slice(0, 2);
  }

  get state(): 'sound' | 'suspended' | 'lost' {
    return this.#state;
  }

  assertUsable(): void {
    if (this.#state !== 'sound') throw this.#refusal;
  }

  /** After a commit and before anybody learns of it. */
  confirm(): void {
    const found = findExchanged(this.#written);
    if (found !== undefined) this.condemn(found);
    this.assertUsable();
  }

  lookAtFiles(): void {
    const found = findExchanged(this.files);
    if (found !== undefined) this.condemn(found);
  }

  /** For good: nothing is charged and nobody is admitted until the next start. */
  condemn(what: string): void {
    if (this.#state === 'lost') return;
    this.#state = 'lost';
    this.#refusal = new LedgerOutOfService('The ledger was lost; the log says what to do.', 'for good');
    this.#tell({
      level: 'error',
      message: `${what}; the service no longer charges: stop it, put the newest ledger back or run ${restoreCommand(this.#home)}, and start again`,
    });
  }

  suspend(why: string): void {
    this.#state = 'suspended';
    this.#refusal = new LedgerOutOfService(why, 'until it is checked');
  }

  resume(): void {
    if (this.#state === 'suspended') this.#state = 'sound';
  }
}
