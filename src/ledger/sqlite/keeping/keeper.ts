// Keeps ledger and seal in step: begins a generation when a service starts, closes the seal when it stops, and sees to
// it that nothing is copied into a file that is no longer ours.

import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readNumber } from '../../../storage/rows.ts';
import type { Tell } from '../../ledger.ts';
import { readSeal, removeSealDrafts, type Seal, sealFile, stampOf, writeSeal } from '../../seal.ts';
import { type Connection, existingFile } from '../connection.ts';
import { faultOf, NoRoom } from '../faults.ts';
import { asLedgerError, type OpenedFile } from '../file.ts';
import { type Checkpoints, type Heard, startCheckpoints } from './checkpoints.ts';
import type { Guard } from './guard.ts';
import { identityOf, newestEntryOf } from './identity.ts';
import { openLogIndex } from './log-index.ts';
import { letReserveGo, roomFor } from './reserve.ts';

/** SQLite's own: the writer copies the log whenever it has so many pages. */
const pagesWithoutThread = 1_000;
const lockPatienceMs = 5_000;
/** What the log may take until it is looked for room again. */
const bytesPerLook = 8 * 2 ** 20;
/** At most, in pages of 4 KiB: a charge has places of its own for its id and its Idempotency-Key; so has another row, and what is split
 *  for it; and a commit has what all of them share. */
const [bytesPerCharge, bytesPerRow, bytesPerCommit] = [3 * 2 ** 12, 4 * 2 ** 12, 16 * 2 ** 12];

/** Connections that must not be closed: the last one to close copies its log into whatever file is there now. */
const left: DatabaseSync[] = [];

type KeeperParts = {
  readonly file: string;
  readonly opened: OpenedFile;
  readonly connection: Connection;
  readonly guard: Guard;
  readonly tell: Tell;
  readonly copyEveryMs: number;
};

export class Keeper {
  readonly #path: string;
  readonly #seal: string;
  readonly #opened: Pick<OpenedFile, 'seal' | 'standing'>;
  readonly #connection: Connection;
  readonly #guard: Guard;
  readonly #tell: Tell;
  readonly #copyEveryMs: number;
  #checkpoints: Checkpoints | undefined;
  #thread: 'sound' | 'ended' = 'sound';
  #bytesSinceLook = 0;
  #room: 'enough' | 'too little' = 'enough';

  constructor({ file, opened, connection, guard, tell, copyEveryMs }: KeeperParts) {
    this.#path = file;
    this.#seal = sealFile(path.dirname(file));
    this.#opened = opened;
    this.#connection = connection;
    this.#guard = guard;
    this.#tell = tell;
    this.#copyEveryMs = copyEveryMs;
  }

  serve(): void {
    try {
      this.#serve();
    } catch (error) {
      throw asLedgerError(error, this.#path);
    }
  }

  #serve(): void {
    const tell = this.#tell;
    const { seal, standing } = this.#opened;
    this.#connection.setLogPagesMost(0);
    if (seal === 'absent') {
      tell({ level: 'warn', message: `${this.#path} had no seal beside it and is used as it is` });
    }
    const first = standing === 'proved' ? 'go on' : 'check';
    const { files } = this.#guard;
    const { ownCopies } = this.#connection;
    const logIndex = openLogIndex(this.#path);
    const start = {
      path: this.#path,
      files,
      first,
      logIndex,
      ownCopies,
      everyMs: this.#copyEveryMs,
    } as const;
    this.#checkpoints = startCheckpoints(start, (message) => this.#hear(message));
    if (first === 'go on') this.#connection.patiently(() => this.#begin());
    else {
      this.#guard.suspend('The ledger is being checked.');
      const message = `${this.#path} was not closed properly, or was changed since; a full check runs, and nothing is charged until it is done`;
      tell({ level: 'warn', message });
    }
  }

  /** Before a commit. A log that has taken the room that its own copy needs could never be emptied. */
  assertRoom(): void {
    if (this.#checkpoints === undefined || this.#thread === 'ended') return;
    if (this.#room === 'enough' && this.#bytesSinceLook < bytesPerLook) return;
    this.#room = this.#lookForRoom();
    this.#bytesSinceLook = 0;
    if (this.#room === 'too little') throw new NoRoom('The log would take the room that its copy needs.');
  }

  /** Of a transaction that is about to be committed. */
  noteCommit(charges: number, otherRows: number): void {
    this.#bytesSinceLook += bytesPerCommit + charges * bytesPerCharge;
    this.noteRows(otherRows);
  }

  /** Of a transaction under way. */
  noteRows(count: number): void {
    this.#bytesSinceLook += count * bytesPerRow;
  }

  #lookForRoom(): 'enough' | 'too little' {
    const copied = statSync(this.#path, { throwIfNoEntry: false })?.size;
    // Of a file that is gone the guard tells.
    if (copied === undefined) return 'enough';
    const toCopy = this.#connection.bytesOnceLogIsCopied - copied;
    return roomFor(this.#path) < toCopy + bytesPerLook ? 'too little' : 'enough';
  }

  /** The room of the reserve is for copying the log, not for making it longer: the thread lets it go. */
  noteFailure(error: unknown): void {
    if (faultOf(error) === 'full') this.#checkpoints?.shorten();
  }

  /** Closes the seal and the connection, unless the file is no longer ours. */
  async stop(): Promise<void> {
    if (this.#guard.state === 'suspended') {
      this.#checkpoints?.leave(); // a check may take minutes
      return this.#leaveOpen();
    }
    const last = await this.#checkpoints?.stop();
    this.#guard.lookAtFiles();
    // Without its thread nobody has looked whether the file has our content, into which a close would copy the log.
    if (this.#guard.state === 'lost' || this.#thread === 'ended') return this.#leaveOpen();
    try {
      if (this.#checkpoints === undefined) this.#noteEntries();
      else this.#closeSeal(last);
    } catch (fault) {
      const message = 'the seal of the ledger could not be written; the next start checks the whole ledger';
      this.#tell({ level: 'error', message, fault });
    }
    this.#connection.close();
  }

  #hear(message: Heard): void {
    if (message.kind === 'lost') {
      this.#guard.condemn(message.what);
      this.#checkpoints?.save();
    } else if (message.kind === 'notice') this.#tell(message.notice);
    else if (message.kind === 'checked') this.#beginLater(message.seconds);
    else {
      this.#thread = 'ended';
      this.#connection.setLogPagesMost(pagesWithoutThread);
      const text =
        'the thread that empties the log of the ledger has ended; charges go on, but slower and less protected';
      this.#tell({ level: 'error', message: text, fault: message.fault });
    }
  }

  #beginLater(checkSeconds: number): void {
    try {
      this.#begin();
      this.#guard.resume();
      const message = `the full check of the ledger took ${checkSeconds.toFixed(1)} s and found no fault`;
      this.#tell({ level: 'info', message });
    } catch (fault) {
      this.#tell({ level: 'error', message: 'the ledger is sound but cannot be written', fault });
      setTimeout(() => this.#beginLater(checkSeconds), 1_000).unref();
    }
  }

  /** What a run before left in the log is copied first: on a full disk, new charges would take the room for it. */
  #begin(): void {
    const { db } = this.#connection;
    const { seal } = this.#opened;
    const { pulse } = identityOf(db);
    removeSealDrafts(this.#seal);
    const row = this.#withRoom(() => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get());
    const known = seal === 'absent' ? 0 : seal.checkpointed;
    const checkpointed = readNumber(row, 'busy') === 0 ? pulse : known;
    this.#checkpoints?.goOn(this.#withRoom(() => this.#raiseGeneration(checkpointed)));
  }

  /** The seal follows the ledger by at most one generation, whatever is cut off here. */
  #raiseGeneration(checkpointed: number): Seal {
    const { db } = this.#connection;
    db.exec('BEGIN IMMEDIATE');
    try {
      const { id, generation } = identityOf(db);
      const newestEntry = newestEntryOf(db);
      const seal: Seal = {
        id,
        generation,
        state: 'open',
        checkpointed,
        newestEntry,
        stamp: null,
      };
      writeSeal(this.#seal, seal);
      db.exec('UPDATE identity SET generation = generation + 1, pulse = pulse + 1');
      db.exec('COMMIT');
      const begun = { ...seal, generation: generation + 1 };
      writeSeal(this.#seal, begun);
      return begun;
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  }

  #closeSeal(last: Seal | undefined): void {
    const { db } = this.#connection;
    if (last === undefined) return;
    const { generation, pulse } = identityOf(db);
    const row = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    const newestEntry = newestEntryOf(db);
    const copied =
      readNumber(row, 'busy') === 0 ? { checkpointed: pulse, stamp: stampOf(this.#path) } : undefined;
    writeSeal(this.#seal, { ...last, generation, newestEntry, ...copied, state: 'closed' });
  }

  /** A command's entries. Beside a service, or after an unclean stop, the seal is not a command's to write. */
  #noteEntries(): void {
    const { seal } = this.#opened;
    const { db } = this.#connection;
    const newestEntry = newestEntryOf(db);
    const { pulse } = identityOf(db);
    if (seal === 'absent' || seal.state === 'open') return;
    if (seal.newestEntry === newestEntry && seal.checkpointed === pulse) return;
    // A service that charges without pause can keep the lock from us; where one has the seal, there is nothing to write.
    if (this.#closedSealOf(seal.id) === undefined) return;
    // A service that starts needs this lock before it opens the seal; from then on the log is its thread's to copy.
    const lock = new DatabaseSync(existingFile(this.#path), { timeout: lockPatienceMs });
    try {
      lock.exec('BEGIN IMMEDIATE');
      const now = this.#closedSealOf(seal.id);
      if (now === undefined) return;
      const row = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      const isCopied = readNumber(row, 'log') === readNumber(row, 'checkpointed');
      writeSeal(this.#seal, {
        ...now,
        newestEntry: Math.max(now.newestEntry, newestEntry),
        checkpointed: isCopied ? Math.max(now.checkpointed, pulse) : now.checkpointed,
        stamp: isCopied ? stampOf(this.#path) : null,
      });
    } finally {
      lock.close();
    }
  }

  #closedSealOf(id: string): Seal | undefined {
    const stored = readSeal(this.#seal);
    return stored === 'absent' || stored.state === 'open' || stored.id !== id ? undefined : stored;
  }

  #leaveOpen(): void {
    left.push(this.#connection.db);
    // An ordinary end of the process would close it.
    if (left.length === 1) process.once('exit', (code) => process.exit(code));
  }

  #withRoom<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (faultOf(error) !== 'full' || letReserveGo(this.#path) === 'none') throw error;
      return work();
    }
  }
}
