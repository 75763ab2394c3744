// Keeps ledger and seal in step: begins a generation when a service starts, has the log copied while it runs, leaves room for that on
// the disk, and closes the seal when it stops.

import { closeSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Tell } from '../../ledger.ts';
import { restoreCommand } from '../../restore-command.ts';
import { readSeal, type Seal, sealFile, stampOf, writeSeal } from '../../seal.ts';
import type { Connection } from '../connection.ts';
import { faultOf, NoRoom } from '../faults.ts';
import { asLedgerError, type OpenedFile } from '../file.ts';
import { CheckpointThread, type Outcome } from './checkpoints.ts';
import type { Guard } from './guard.ts';
import { identityOf, newestEntryOf } from './identity.ts';
import { letReserveGo, roomFor } from './reserve.ts';

const copiesPerSeal = 4;
const retryMs = 1_000;
/** What the log may take until it is looked for room again. */
const bytesPerLook = 8 * 2 ** 20;
/** At most, in pages of 4 KiB: a charge has places of its own for its id and its Idempotency-Key; so has another row, and what is split
 *  for it; and a commit has what all of them share. */
const [bytesPerCharge, bytesPerRow, bytesPerCommit] = [3 * 2 ** 12, 4 * 2 ** 12, 16 * 2 ** 12];

/** Connections that must not be closed: the last one to close removes the log by its name, whatever has that name now. */
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
  readonly #opened: Pick<OpenedFile, 'standing'>;
  readonly #connection: Connection;
  readonly #guard: Guard;
  readonly #tell: Tell;
  readonly #copyEveryMs: number;
  #seal: Seal | 'absent';
  #thread: CheckpointThread | undefined;
  #timer: NodeJS.Timeout | undefined;
  #copying: Promise<void> = Promise.resolve();
  #copies = 0;
  #isRescued = false;
  #isStopped = false;
  #health: 'sound' | 'failing' = 'sound';
  #bytesSinceLook = 0;
  #room: 'enough' | 'too little' = 'enough';

  constructor({ file, opened, connection, guard, tell, copyEveryMs }: KeeperParts) {
    this.#path = file;
    this.#seal = opened.seal;
    this.#opened = opened;
    this.#connection = connection;
    this.#guard = guard;
    this.#tell = tell;
    this.#copyEveryMs = copyEveryMs;
  }

  /** From here on this is a service. */
  serve(): void {
    const tell = this.#tell;
    if (this.#seal === 'absent') {
      tell({ level: 'warn', message: `${this.#path} had no seal beside it and is used as it is` });
    }
    const thread = new CheckpointThread(this.#path);
    this.#thread = thread;
    if (this.#opened.standing === 'proved') {
      this.#begin(thread);
      return;
    }
    this.#guard.suspend('The ledger is being checked.');
    const message = `${this.#path} was not closed properly, or was changed since; a full check runs, and nothing is charged until it is done`;
    tell({ level: 'warn', message });
    void this.#beginChecked(thread);
  }

  async #beginChecked(thread: CheckpointThread): Promise<void> {
    const startedMs = performance.now();
    const outcome = await thread.ask({ kind: 'check' });
    if (this.#isStopped) return;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    if (outcome.kind === 'failed') {
      const { fault } = outcome;
      this.#guard.condemn(fault instanceof Error ? fault.message : String(fault));
      return;
    }
    this.#beginLater(thread, `the full check of the ledger took ${seconds} s and found no fault`);
  }

  #beginLater(thread: CheckpointThread, message: string): void {
    try {
      this.#begin(thread);
      this.#guard.resume();
      this.#tell({ level: 'info', message });
    } catch (fault) {
      this.#tell({ level: 'error', message: 'the ledger is sound but cannot be written', fault });
      this.#timer = setTimeout(() => this.#beginLater(thread, message), retryMs).unref();
    }
  }

  /** What a run before left in the log is copied first: on a full disk, new charges would take the room for it. */
  #begin(thread: CheckpointThread): void {
    const known = this.#seal === 'absent' ? 0 : this.#seal.checkpointed;
    const { db } = this.#connection;
    try {
      const { id, pulse } = identityOf(db);
      const checkpointed = this.#withRoom(() => this.#connection.emptyLog()) === 'emptied' ? pulse : known;
      this.#withRoom(() => db.exec('UPDATE identity SET generation = generation + 1, pulse = pulse + 1'));
      const { generation } = identityOf(db);
      const seal: Seal = {
        id,
        generation,
        state: 'open',
        checkpointed,
        newestEntry: newestEntryOf(db),
        stamp: null,
      };
      this.#withRoom(() => writeSeal(sealFile(path.dirname(this.#path)), seal));
      this.#seal = seal;
      this.#copyLater(thread, seal);
    } catch (error) {
      throw asLedgerError(error, this.#path);
    }
  }

  #copyLater(thread: CheckpointThread, seal: Seal): void {
    const copy = () => {
      this.#copying = this.#copy(thread, seal);
    };
    this.#timer = setTimeout(copy, this.#copyEveryMs).unref();
  }

  async #copy(thread: CheckpointThread, seal: Seal): Promise<void> {
    const outcome = await this.#askForCopy(thread, seal);
    if (this.#guard.state === 'lost') {
      this.#rescue(seal);
      return;
    }
    if (outcome.kind === 'failed') this.#fail(outcome);
    else if (this.#health === 'failing') {
      this.#health = 'sound';
      this.#tell({ level: 'info', message: 'the log of the ledger can be copied again' });
    }
    const sealed = (outcome.kind === 'done' && outcome.seal) || seal;
    this.#seal = sealed;
    this.#copyLater(thread, sealed);
  }

  async #askForCopy(thread: CheckpointThread, seal: Seal): Promise<Outcome> {
    try {
      this.#guard.lookAtFiles();
    } catch (fault) {
      return { kind: 'failed', fault, why: 'other' };
    }
    if (this.#guard.state === 'lost') return { kind: 'done', seal };
    this.#copies += 1;
    // What failed may have been the seal: only one that is written says that all is well again.
    const isToSeal = this.#copies % copiesPerSeal === 0 || this.#health === 'failing';
    return thread.ask({ kind: 'copy', seal, isToSeal });
  }

  #fail({ fault, why }: Extract<Outcome, { readonly kind: 'failed' }>): void {
    const reserve = this.#makeRoom(why) === 'let go' ? ' (its reserve was released)' : '';
    if (this.#health === 'failing') return;
    this.#health = 'failing';
    const advice =
      why === 'full' ? 'the disk is full; make room' : 'the service tries again until it succeeds';
    const message = `the log of the ledger cannot be copied: ${advice}${reserve}`;
    this.#tell({ level: 'error', message, fault });
  }

  /** In this thread, before new charges take the room: emptied, the log gives back more than the reserve had. */
  #makeRoom(why: 'full' | 'other'): 'let go' | 'none' {
    const reserve = why === 'full' ? letReserveGo(this.#path) : 'none';
    try {
      this.#connection.emptyLog();
    } catch {
      // The next copy tries again, and whoever is charged is told.
    }
    return reserve;
  }

  /** Of files that are gone by name, yet still open here. Nothing is charged any more, so that nobody waits for it. */
  #rescue(seal: Seal): void {
    if (this.#guard.content === 'unknown' || this.#isRescued) return;
    this.#isRescued = true;
    const { db } = this.#connection;
    try {
      // So that the next start knows exactly what was lost. The seal there now may be of another home.
      const file = sealFile(path.dirname(this.#path));
      const stored = readSeal(file);
      if (stored !== 'absent' && stored.id === seal.id)
        writeSeal(file, { ...seal, newestEntry: newestEntryOf(db) });
    } catch (fault) {
      this.#tell({ level: 'error', message: 'the seal of the lost ledger could not be written', fault });
    }
    const file = `${this.#path}.rescued-${Date.now()}`;
    try {
      closeSync(openSync(file, 'wx', 0o600));
      db.prepare('VACUUM INTO ?').run(file);
      const message = `the content of the lost ledger is in ${file}; stop the service and run ${restoreCommand(path.dirname(file), { file })}`;
      this.#tell({ level: 'error', message });
    } catch (fault) {
      this.#tell({ level: 'error', message: 'the lost ledger could not be saved', fault });
    }
  }

  /** Before a commit. A log that has taken the room that its own copy needs could never be emptied. */
  assertRoom(): void {
    if (this.#thread === undefined) return;
    if (this.#room === 'enough' && this.#bytesSinceLook < bytesPerLook) return;
    this.#room = this.#lookForRoom();
    this.#bytesSinceLook = 0;
    if (this.#room === 'too little') throw new NoRoom('The log would take the room that its copy needs.');
  }

  /** Of a transaction that is about to be committed. */
  noteCommit(charges: number, otherRows: number): void {
    this.#bytesSinceLook += bytesPerCommit + charges * bytesPerCharge;
    this.noteRows(otherRows);
    this.#guard.confirmLog();
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

  /** The room of the reserve is for copying the log, not for making it longer: the log is emptied without it first. */
  noteFailure(error: unknown): void {
    if (faultOf(error) !== 'full' || this.#thread === undefined) return;
    try {
      this.#connection.emptyLog();
    } catch (fault) {
      if (faultOf(fault) === 'full') this.#makeRoom('full');
    }
  }

  /** Closes the seal and the connection, unless the file is no longer ours. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (this.#guard.state === 'suspended') {
      void this.#thread?.stop(); // a check may take minutes
      return this.#leaveOpen();
    }
    this.#thread?.hold();
    await this.#copying;
    clearTimeout(this.#timer);
    await this.#thread?.stop();
    this.#guard.lookAtFiles();
    if (this.#guard.state === 'lost') {
      // The stop may come between a loss and the next copy.
      if (this.#thread !== undefined && this.#seal !== 'absent') this.#rescue(this.#seal);
      return this.#leaveOpen();
    }
    try {
      this.#closeSeal();
    } catch (fault) {
      const message = 'the seal of the ledger could not be written; the next start checks the whole ledger';
      this.#tell({ level: 'error', message, fault });
    }
    this.#connection.close();
  }

  /** After an unclean stop a command leaves the seal open, for the next service to check the ledger; where there is none, it makes none. */
  #closeSeal(): void {
    if (this.#seal === 'absent') return;
    const { db } = this.#connection;
    const { generation, pulse } = identityOf(db);
    const isCopied = this.#connection.copyLog() === 'copied';
    writeSeal(sealFile(path.dirname(this.#path)), {
      ...this.#seal,
      generation,
      newestEntry: newestEntryOf(db),
      checkpointed: isCopied ? pulse : this.#seal.checkpointed,
      stamp: isCopied ? stampOf(this.#path) : null,
      state: this.#thread === undefined ? this.#seal.state : 'closed',
    });
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
