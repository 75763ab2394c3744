// Which files the sales are made of, and which month spoke last of each sale: what decides whether a record counts. It
// comes from the release before and goes into the new one (src/tables/sales/changes.ts).

import { outOfRange } from '../../columns/out-of-range.ts';
import {
  encodeSaleChanges,
  monthsOf,
  openSaleChanges,
  type SaleFile,
  type SaleHistory,
  saleChangesTable,
} from '../../tables/sales/changes.ts';
import { orderOf } from '../../tables/sales/order.ts';
import { idBytes } from '../../tables/sales/rows.ts';
import type { Before } from './build.ts';
import { IdTable } from './ids.ts';

/** A file that is being applied. */
export type Turn = {
  readonly file: SaleFile;
  /** Its place among the files of this run, from 1; 0 stands for the release before. */
  readonly number: number;
};

/** `counts`: no later month has spoken of the sale. `contradicts`: another file of the same month, with corrections as
 *  this one, speaks of it too, so that nobody can tell which of the two is later. */
type Verdict = 'counts' | 'superseded' | 'contradicts';

const filesInRun = 2 ** 16;

/** Corrections of a month come after its additions. Years come before every month, because which of their sales were there
 *  is not remembered. */
const saidBy = ({ month, kind }: SaleFile): number =>
  kind === 'years' ? 0 : 2 * month + (kind === 'changes' ? 1 : 0);

export class ChangeLog {
  readonly #history: SaleHistory;
  /** Of every sale: when it was last spoken of, as the table has it, times `filesInRun`, and the file in this run. */
  readonly #said = IdTable.empty();
  /** Fingerprints. More than `#files` where an earlier version, which kept no months, applied some. */
  readonly #applied: Set<string>;
  #files: readonly SaleFile[];
  #turns = 0;
  #isChanged = false;

  private constructor(history: SaleHistory, files: readonly SaleFile[], applied: readonly string[]) {
    this.#history = history;
    this.#files = files;
    this.#applied = new Set(applied);
  }

  /** Of the release that is built on. */
  static of(before: Before | undefined): ChangeLog {
    if (before === undefined) return new ChangeLog('known', [], []);
    const { release, index } = before;
    const kept = openSaleChanges(release, index);
    const log = new ChangeLog(kept.history, kept.files, index.applied);
    log.#isChanged = index.standing !== 'sample' && !saleChangesTable.isIn(release);
    const words = new Uint32Array(kept.ids.buffer, kept.ids.byteOffset, kept.ids.length / 4);
    for (const [change, said] of kept.said.entries()) log.#said.put(words, 4 * change, said * filesInRun);
    return log;
  }

  /** Of the complete file alone: whatever was before is in it. */
  static from(complete: SaleFile): ChangeLog {
    const log = new ChangeLog('known', [complete], [complete.fingerprint]);
    log.#isChanged = true;
    return log;
  }

  get files(): readonly SaleFile[] {
    return this.#files;
  }

  get applied(): readonly string[] {
    return [...this.#applied];
  }

  /** Whether it is another than that of the release before. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  get months(): ReturnType<typeof monthsOf> {
    return monthsOf(this.#files);
  }

  hasApplied(fingerprint: string): boolean {
    return this.#applied.has(fingerprint);
  }

  /** A file that comes before this one by its month and after it by its newest sale: the months of the two are not of one kind,
   *  as where one name has the month of the download. */
  findDisagreeing(file: SaleFile): SaleFile | undefined {
    const isOrdered = ({ kind, newest }: SaleFile) =>
      (kind === 'changes' || kind === 'complete') && newest > 0;
    if (!isOrdered(file)) return undefined;
    return this.#files.find(
      (other) => isOrdered(other) && (other.month - file.month) * (other.newest - file.newest) < 0,
    );
  }

  begin(file: SaleFile): Turn {
    this.#files = [...this.#files, file];
    this.#applied.add(file.fingerprint);
    this.#isChanged = true;
    this.#turns += 1;
    return { file, number: this.#turns };
  }

  /** Hears that a file speaks of a sale. A later month is remembered. */
  hear({ file, number }: Turn, idWords: Uint32Array): Verdict {
    const said = saidBy(file);
    const before = this.#said.find(idWords, 0);
    const lastSaid = Math.floor(before / filesInRun);
    if (lastSaid > said) return 'superseded';
    const isOther = before % filesInRun !== number;
    if (lastSaid === said && isOther && file.kind === 'changes') return 'contradicts';
    if (file.kind !== 'years') this.#said.put(idWords, 0, said * filesInRun + number);
    return 'counts';
  }

  /** As `hear`, for all sales of a file that was read when nothing was known yet. */
  hearAll(turn: Turn, ids: IdTable): void {
    if (turn.file.kind !== 'years') ids.each((idWords) => this.hear(turn, idWords));
  }

  /** Why a file that was applied as of one month cannot be taken for one of an earlier month; undefined where it can. */
  whyNotEarlier(file: SaleFile, earlier: number): SaleFile | undefined {
    return this.#files.find(({ month }) => month >= earlier && month < file.month);
  }

  /** The same content has turned up as of an earlier month, so that the later file was an old one under a new name. */
  rename(file: SaleFile, earlier: number): (idWords: Uint32Array) => void {
    const renamed = { ...file, month: earlier };
    this.#files = this.#files.map((known) => (known === file ? renamed : known));
    this.#isChanged = true;
    return (idWords) => {
      const before = this.#said.find(idWords, 0);
      if (Math.floor(before / filesInRun) === saidBy(file)) {
        this.#said.put(idWords, 0, saidBy(renamed) * filesInRun);
      }
    };
  }

  encode(): ReturnType<typeof encodeSaleChanges> {
    const count = this.#said.size;
    const words = new Uint32Array(4 * count);
    const said = new Uint16Array(count);
    let change = 0;
    this.#said.each((idWords, mark) => {
      words.set(idWords, 4 * change);
      said[change] = Math.floor(mark / filesInRun);
      change += 1;
    });
    const ids = new Uint8Array(words.buffer);
    const order = orderOf({ days: new Uint16Array(count), ids });
    const sorted = new Uint8Array(ids.length);
    for (const [to, from] of order.entries()) {
      sorted.set(ids.subarray(from * idBytes, (from + 1) * idBytes), to * idBytes);
    }
    return encodeSaleChanges({
      history: this.#history,
      files: this.#files,
      ids: sorted,
      said: Uint16Array.from(order, (from) => said[from] ?? outOfRange()),
    });
  }
}
