// Entry of the thread beside the ledger: checks it after an unclean stop, copies its log into its file, looks whether
// that file is still ours before each copy, and keeps seal and reserve. It ends only when it is told to; see
// checkpoints.ts.

import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { readNumber } from '../../../storage/rows.ts';
import { restoreCommand } from '../../restore-command.ts';
import { readSeal, type Seal, sealFile, writeSeal } from '../../seal.ts';
import { existingFile } from '../connection.ts';
import { faultOf, resultOf } from '../faults.ts';
import { checkWhole } from '../file.ts';
import type { FromThread, ThreadStart, ToThread } from './checkpoints.ts';
import { findExchanged } from './guard.ts';
import { newestEntryOf, readIdentity, readMainFile } from './identity.ts';
import { bytesOfLog, countCommits, type LogIndex, readLogIndex } from './log-index.ts';
import { keepReserve, letReserveGo } from './reserve.ts';

const ticksPerSeal = 4;
/** While somebody writes all the time the log is never wholly copied and only grows. From this size on (16 MB), writers
 *  are made to wait once: a long log could fill a disk by itself. */
const longLogPages = 4_096;
const busyTimeoutMs = 5_000;
const unreadable: ReadonlySet<number | undefined> = new Set([11, 26]); // SQLite: corrupt, not a database

class Caretaker {
  readonly #path: string;
  readonly #port: MessagePort;
  readonly #db: DatabaseSync;
  readonly #pageBytes: number;
  readonly #files: ThreadStart['files'];
  readonly #logIndex: number;
  #writeLock: DatabaseSync | undefined;
  #seal: Seal;
  #timer: NodeJS.Timeout | undefined;
  /** What the main file has at least. */
  #lowest: { readonly pulse: number; readonly size: number };
  readonly #ownCopies: ThreadStart['ownCopies'];
  /** How the last copy left the file and the log; undefined where another process was copying. */
  #leftAt: { readonly mtimeNs: bigint; readonly log: LogIndex; readonly ownCopies: number } | undefined;
  #isInDoubt = false;
  #isLost = false;
  #isToSave = false;
  #isFailing = false;
  #isToShorten = false;
  #ticks = 0;

  constructor(
    { path: file, files, logIndex, ownCopies, everyMs }: ThreadStart,
    seal: Seal,
    port: MessagePort,
  ) {
    this.#path = file;
    this.#files = files;
    this.#logIndex = logIndex;
    this.#ownCopies = ownCopies;
    this.#seal = seal;
    this.#port = port;
    this.#db = new DatabaseSync(existingFile(file), { timeout: busyTimeoutMs });
    this.#db.prepare('SELECT 1 FROM identity').get(); // the log is opened with the first read
    this.#pageBytes = readNumber(this.#db.prepare('PRAGMA page_size').get() ?? {}, 'page_size');
    this.#lowest = { pulse: seal.checkpointed, size: 0 };
    this.#timer = setInterval(this.#tick, everyMs);
  }

  shorten(): void {
    if (this.#isToShorten) return;
    this.#isToShorten = true;
    this.#tick();
  }

  /** Once nothing is charged any more: what was charged until the service knew of the loss is to be in it. */
  save(): void {
    if (!this.#isToSave) return;
    this.#isToSave = false;
    this.#sealLoss(() => newestEntryOf(this.#db));
    this.#rescue();
  }

  /** Looks once more, so that a service that stops at once does not copy into another's file either. */
  stop(): Seal {
    clearInterval(this.#timer);
    try {
      if (!this.#isLost && this.#look() === 'in doubt') this.#look();
      this.save();
    } catch (error) {
      this.#fail(error);
    }
    this.#writeLock?.close();
    this.#db.close();
    return this.#seal;
  }

  readonly #tick = (): void => {
    if (this.#isLost) return;
    try {
      if (this.#look() !== 'ours') return;
      this.#copyLog();
      this.#ticks += 1;
      // What failed may have been the seal: only one that is written says that all is well again.
      if (this.#ticks % ticksPerSeal === 0 || this.#isFailing) this.#keepSeal();
      if (!this.#isFailing) return;
      this.#isFailing = false;
      this.#say({
        kind: 'notice',
        notice: { level: 'info', message: 'the log of the ledger can be copied again' },
      });
    } catch (error) {
      this.#fail(error);
    }
  };

  /** What is not ours is not to be written to. */
  #look(): 'ours' | 'in doubt' | 'lost' {
    const exchanged = findExchanged(this.#files);
    if (exchanged !== undefined) {
      // Through the connection that is still open: everything that was acknowledged.
      this.#lose(exchanged, () => newestEntryOf(this.#db));
      this.#isToSave = true;
      return 'lost';
    }
    if (this.#isLogCut()) return this.#loseContent('-wal was overwritten');
    const { size: bigSize, mtimeNs } = statSync(this.#path, { bigint: true });
    const size = Number(bigSize);
    if (this.#isWrittenByOthers(mtimeNs)) return this.#loseContent(' was overwritten');
    const copies = Atomics.load(this.#ownCopies, 0);
    const found = this.#readMainFile();
    const { id, generation } = this.#seal;
    const isOurs =
      found !== undefined &&
      found.id === id &&
      found.generation <= generation &&
      found.pulse >= this.#lowest.pulse &&
      size >= this.#lowest.size;
    if (isOurs) {
      this.#isInDoubt = false;
      this.#lowest = { pulse: found.pulse, size };
      return 'ours';
    }
    if (this.#isCopiedSince(copies)) return 'in doubt';
    // Looked at again before it is said: another process may have been writing it.
    if (this.#isInDoubt) {
      const isCut = size < this.#lowest.size && (found === undefined || found.id === id);
      return this.#loseContent(isCut ? ' was truncated' : ' was overwritten');
    }
    this.#isInDoubt = true;
    return 'in doubt';
  }

  /** The log is as long as what stands in it, or longer: a shorter one was cut by other hands, and must not be copied. */
  #isLogCut(): boolean {
    const copies = Atomics.load(this.#ownCopies, 0);
    const { pages, salt } = readLogIndex(this.#logIndex);
    const { size } = statSync(`${realpathSync(this.#path)}-wal`);
    const isShort = pages > 0 && size < bytesOfLog(pages, this.#pageBytes);
    // Another process may have emptied it meanwhile, which shows in the index first.
    return isShort && !this.#isCopiedSince(copies) && readLogIndex(this.#logIndex).salt === salt;
  }

  /** What was read while the ledger itself wrote the file or emptied the log, whose number is odd meanwhile, says nothing. */
  #isCopiedSince(copies: number): boolean {
    return copies % 2 !== 0 || Atomics.load(this.#ownCopies, 0) !== copies;
  }

  /** Whoever writes to the file without copying the log overwrites it. Where another process may have copied it, the time says
   *  nothing, and the content has to. */
  #isWrittenByOthers(mtimeNs: bigint): boolean {
    if (this.#leftAt === undefined || this.#leftAt.mtimeNs === mtimeNs || this.#isFailing) return false;
    const { log, ownCopies } = this.#leftAt;
    // Raised before the copy, as `begun` is: whoever has seen the time it left sees this too.
    if (Atomics.load(this.#ownCopies, 0) !== ownCopies) return false;
    const now = readLogIndex(this.#logIndex);
    if (now.begun === undefined) return false;
    return now.salt === log.salt ? now.begun === log.begun : this.#isNothingCopied(log, now);
  }

  /** Of a log that began anew, which it does only once all of it is copied: whether all was when it was left, so that no commit came
   *  that another process had to copy first, and nobody has begun to copy since. */
  #isNothingCopied(left: LogIndex, now: LogIndex): boolean {
    if (left.copied !== left.pages || now.begun !== 0) return false;
    const commits = (now.commits - left.commits) >>> 0;
    return countCommits(this.#path, now, this.#pageBytes) === commits;
  }

  #readMainFile() {
    try {
      return readMainFile(this.#path, readIdentity);
    } catch (error) {
      if (error instanceof TypeError || unreadable.has(resultOf(error))) return undefined;
      throw error;
    }
  }

  #copyLog(): void {
    const pages = this.#copy('PASSIVE');
    if (this.#isToShorten || this.#isFailing) {
      this.#copy('TRUNCATE');
      this.#isToShorten = false;
    } else if (pages > longLogPages) this.#copyWhole();
  }

  /** Tells how long the log was, and notes how the file is left: what differs at the next look was done by others. What
   *  is in the file now is known through the connection: by its name another may be read already. */
  #copy(mode: 'PASSIVE' | 'TRUNCATE'): number {
    const ownCopies = Atomics.load(this.#ownCopies, 0);
    const pulse = readIdentity(this.#db)?.pulse ?? this.#lowest.pulse;
    const size = this.#pageBytes * readNumber(this.#db.prepare('PRAGMA page_count').get(), 'page_count');
    const row = this.#db.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const log = readLogIndex(this.#logIndex);
    // After the index: a copy that begins between the two is known by it.
    const mtimeNs = statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    const isCopying = log.begun !== log.copied;
    this.#leftAt = mtimeNs === undefined || isCopying ? undefined : { mtimeNs, log, ownCopies };
    const pages = readNumber(row, 'log');
    if (readNumber(row, 'busy') !== 0 || readNumber(row, 'checkpointed') !== pages) return pages;
    this.#lowest = { pulse, size };
    // SQLite leaves the file unsynced where the log grew meanwhile, and begins the log anew only after a sync.
    const isSynced = mode === 'TRUNCATE' || log.copied === log.pages || log.pages < pages;
    if (isSynced) this.#seal = { ...this.#seal, checkpointed: pulse };
    return pages;
  }

  /** As wal_checkpoint(RESTART), which would wait for writers between the look at the file and the copy. */
  #copyWhole(): void {
    this.#writeLock ??= new DatabaseSync(existingFile(this.#path), { timeout: busyTimeoutMs });
    this.#writeLock.exec('BEGIN IMMEDIATE');
    try {
      if (this.#look() === 'ours') this.#copy('PASSIVE');
    } finally {
      this.#writeLock.exec('ROLLBACK');
    }
  }

  #keepSeal(): void {
    const file = sealFile(path.dirname(this.#path));
    const stored = readSeal(file);
    this.#seal = { ...this.#seal, newestEntry: newestEntryOf(this.#db) };
    const { checkpointed, newestEntry } = this.#seal;
    const isStored =
      stored !== 'absent' && stored.checkpointed === checkpointed && stored.newestEntry === newestEntry;
    if (!isStored) writeSeal(file, this.#seal);
    keepReserve(this.#path);
  }

  /** What the connection reads now may be of another ledger: only what was sealed before is known to be ours. */
  #loseContent(what: string): 'lost' {
    this.#lose(`${this.#path}${what} while the service ran`, () => this.#seal.newestEntry);
    return 'lost';
  }

  #lose(what: string, newestEntry: () => number): void {
    clearInterval(this.#timer);
    this.#isLost = true;
    this.#say({ kind: 'lost', what });
    this.#sealLoss(newestEntry);
  }

  /** So that the next start knows exactly what was lost. The seal there now may be of another home. */
  #sealLoss(newestEntry: () => number): void {
    try {
      const file = sealFile(path.dirname(this.#path));
      const stored = readSeal(file);
      if (stored === 'absent' || stored.id !== this.#seal.id) return;
      writeSeal(file, { ...this.#seal, newestEntry: newestEntry(), checkpointed: this.#lowest.pulse });
    } catch (fault) {
      const message = 'the seal of the lost ledger could not be written';
      this.#say({ kind: 'notice', notice: { level: 'error', message, fault } });
    }
  }

  /** The files are gone by name, yet still open here: everything that was acknowledged can be read. */
  #rescue(): void {
    const file = `${this.#path}.rescued-${Date.now()}`;
    try {
      closeSync(openSync(file, 'wx', 0o600));
      this.#db.prepare('VACUUM INTO ?').run(file);
      const message = `the content of the lost ledger is in ${file}; stop the service and run ${restoreCommand(path.dirname(file), { file })}`;
      this.#say({ kind: 'notice', notice: { level: 'error', message } });
    } catch (fault) {
      this.#say({
        kind: 'notice',
        notice: { level: 'error', message: 'the lost ledger could not be saved', fault },
      });
    }
  }

  #fail(fault: unknown): void {
    const isFull = faultOf(fault) === 'full';
    const gone = isFull ? letReserveGo(this.#path) : 'none';
    // At once, before new charges take the room: emptied, the log gives back more than the reserve had.
    if (gone === 'let go') setImmediate(this.#tick);
    if (this.#isFailing) return;
    this.#isFailing = true;
    const why = isFull ? 'the disk is full; make room' : 'the service tries again until it succeeds';
    const reserve = gone === 'let go' ? ' (its reserve was released)' : '';
    const message = `the log of the ledger cannot be copied: ${why}${reserve}`;
    this.#say({ kind: 'notice', notice: { level: 'error', message, fault } });
  }

  #say(message: FromThread): void {
    this.#port.postMessage(message);
  }
}

const port = parentPort;
if (port === null) throw new Error('This is started by checkpoints.ts.');
const start: ThreadStart = workerData;
const say = (message: FromThread) => port.postMessage(message);
let caretaker: Caretaker | undefined;

port.on('message', (message: ToThread) => {
  if (message.kind === 'go on') {
    // What is opened here is closed again, and whoever closes a file last copies the log into it.
    const what = findExchanged(start.files);
    if (what === undefined) caretaker = new Caretaker(start, message.seal, port);
    else say({ kind: 'lost', what });
  } else if (message.kind === 'shorten') caretaker?.shorten();
  else if (message.kind === 'save') caretaker?.save();
  else {
    say({ kind: 'stopped', seal: caretaker?.stop() });
    port.close();
  }
});

if (start.first === 'check') {
  const startedMs = performance.now();
  try {
    checkWhole(start.path, 'pages');
    say({ kind: 'checked', seconds: (performance.now() - startedMs) / 1_000 });
  } catch (error) {
    say({ kind: 'lost', what: error instanceof Error ? error.message : String(error) });
  }
}
