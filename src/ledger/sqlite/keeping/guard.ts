// Watches that the ledger on disk is still the one that was opened. A file that was removed, exchanged or cut off takes
// writes like any other, so that every acknowledgement after it would be lost.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { LedgerOutOfService, type Tell } from '../../ledger.ts';
import { restoreCommand } from '../../restore-command.ts';
import type { Connection } from '../connection.ts';

class WatchedFile {
  readonly #path: string;
  readonly #device: bigint;
  readonly #inode: bigint;
  #size = 0n;

  constructor(file: string) {
    this.#path = file;
    const { dev, ino } = statSync(file, { bigint: true });
    [this.#device, this.#inode] = [dev, ino];
  }

  /** What was done to it by other hands. */
  findLoss(): Loss | undefined {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found?.dev !== this.#device || found.ino !== this.#inode) {
      const what = found === undefined ? 'was removed or renamed' : 'was exchanged for another file';
      return { what: `${this.#path} ${what} while the service ran`, isWhole: true };
    }
    if (found.size < this.#size) {
      return { what: `${this.#path} was truncated while the service ran`, isWhole: false };
    }
    this.#size = found.size;
    return undefined;
  }

  mayShrink(): void {
    this.#size = 0n;
  }
}

/** `isWhole`: what was acknowledged can still be read through the files that are open. */
type Loss = { readonly what: string; readonly isWhole: boolean };

export class Guard {
  readonly #main: WatchedFile;
  readonly #log: WatchedFile;
  readonly #connection: Pick<Connection, 'timesEmptied'>;
  #timesEmptied = 0;
  #state: 'sound' | 'suspended' | 'lost' = 'sound';
  /** After a loss, whether everything can still be read. */
  content: 'readable' | 'unknown' = 'readable';
  #refusal = new LedgerOutOfService('The ledger is out of service.', 'until it is checked');
  readonly #home: string;
  readonly #tell: Tell;

  /** Of a ledger that is open, so that its log is there. */
  constructor(ledger: string, connection: Pick<Connection, 'timesEmptied'>, tell: Tell) {
    this.#home = path.dirname(ledger);
    this.#connection = connection;
    this.#tell = tell;
    this.#main = new WatchedFile(ledger);
    // SQLite keeps the log beside the file that a link leads to.
    this.#log = new WatchedFile(`${realpathSync(ledger)}-wal`);
  }

  get state(): 'sound' | 'suspended' | 'lost' {
    return this.#state;
  }

  assertUsable(): void {
    if (this.#state !== 'sound') throw this.#refusal;
  }

  /** Right before a commit, which would lengthen a log again that was cut off. */
  confirmLog(): void {
    this.#condemnIf(this.#findLossOfLog());
    this.assertUsable();
  }

  /** After a commit and before anybody learns of it. */
  confirm(): void {
    this.lookAtFiles();
    this.assertUsable();
  }

  lookAtFiles(): void {
    this.#condemnIf(this.#main.findLoss() ?? this.#findLossOfLog());
  }

  /** The log grows, or is begun anew within its length, until this process empties it. */
  #findLossOfLog(): Loss | undefined {
    const { timesEmptied } = this.#connection;
    if (timesEmptied !== this.#timesEmptied) this.#log.mayShrink();
    this.#timesEmptied = timesEmptied;
    return this.#log.findLoss();
  }

  #condemnIf(loss: Loss | undefined): void {
    if (loss === undefined || this.#state === 'lost') return;
    if (!loss.isWhole) this.content = 'unknown';
    this.condemn(loss.what);
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
