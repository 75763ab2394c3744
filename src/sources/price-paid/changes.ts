// Which files the sales are made of, and which month spoke last of each sale: what decides whether a record counts. It
// comes from the release before and goes into the new one (src/tables/sales/changes.ts).

import { firstIndex } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { monthsOf, openSaleChanges, type SaleChanges, type SaleFile } from '../../tables/sales/changes.ts';
import { compareIds, orderOf } from '../../tables/sales/order.ts';
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

/** Sales in the order of their ids, and when each was last spoken of. */
type Known = Pick<SaleChanges, 'ids' | 'said'>;

const nothingKnown = { ids: new Uint8Array(0), said: new Uint16Array(0) } as const;

/** Corrections of a month come after its additions. Years come before every month, because which of their sales were there
 *  is not remembered. */
const saidBy = ({ month, kind }: SaleFile): number =>
  kind === 'years' ? 0 : 2 * month + (kind === 'changes' ? 1 : 0);

export class ChangeLog {
  /** What the release before knows. It is searched where it lies: a table of a year's changes would take four times the room. */
  readonly #known: Known;
  /** Of every sale in this run: when it was last spoken of, as the table has it, times `filesInRun`, and the file. */
  readonly #heard = IdTable.empty();
  #files: readonly SaleFile[];
  #turns = 0;
  #isChanged = false;

  private constructor({ files, ids, said }: SaleChanges) {
    this.#known = { ids, said };
    this.#files = files;
  }

  /** Of the release that is built on. */
  static of(before: Before | undefined): ChangeLog {
    return new ChangeLog(
      before === undefined ? { ...nothingKnown, files: [] } : openSaleChanges(before.release),
    );
  }

  /** Of the complete file alone: whatever was before is in it. */
  static from(complete: SaleFile): ChangeLog {
    const log = new ChangeLog({ ...nothingKnown, files: [complete] });
    log.#isChanged = true;
    return log;
  }

  get files(): readonly SaleFile[] {
    return this.#files;
  }

  /** Whether it is another than that of the release before. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  get months(): ReturnType<typeof monthsOf> {
    return monthsOf(this.#files);
  }

  hasApplied(fingerprint: string): boolean {
    return this.#files.some((file) => file.fingerprint === fingerprint);
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
    this.#isChanged = true;
    this.#turns += 1;
    return { file, number: this.#turns };
  }

  /** Hears that a file speaks of a sale. A later month is remembered. */
  hear({ file, number }: Turn, idWords: Uint32Array): Verdict {
    const said = saidBy(file);
    const before = this.#find(idWords);
    const lastSaid = Math.floor(before / filesInRun);
    if (lastSaid > said) return 'superseded';
    const isOther = before % filesInRun !== number;
    if (lastSaid === said && isOther && file.kind === 'changes') return 'contradicts';
    if (file.kind !== 'years') this.#heard.put(idWords, 0, said * filesInRun + number);
    return 'counts';
  }

  /** As `hear`, for all sales of a file that was read when nothing was known yet. */
  hearAll(turn: Turn, ids: IdTable): void {
    if (turn.file.kind !== 'years') ids.each((idWords) => this.hear(turn, idWords));
  }

  /** A file between an earlier month and that of one that was applied: because of it, the latter cannot be moved there. */
  findBetween(file: SaleFile, earlier: number): SaleFile | undefined {
    return this.#files.find(({ month }) => month >= earlier && month < file.month);
  }

  /** The same content has turned up as of an earlier month, so that the later file was an old one under a new name. */
  rename(file: SaleFile, earlier: number): (idWords: Uint32Array) => void {
    const renamed = { ...file, month: earlier };
    this.#files = this.#files.map((known) => (known === file ? renamed : known));
    this.#isChanged = true;
    return (idWords) => {
      const before = this.#find(idWords);
      if (Math.floor(before / filesInRun) === saidBy(file)) {
        this.#heard.put(idWords, 0, saidBy(renamed) * filesInRun);
      }
    };
  }

  /** The mark of a sale; -1 where nothing has spoken of it. */
  #find(idWords: Uint32Array): number {
    const heard = this.#heard.find(idWords, 0);
    const { ids, said } = this.#known;
    if (heard !== -1 || said.length === 0) return heard;
    const id = new Uint8Array(idWords.buffer, idWords.byteOffset, idBytes);
    const at = firstNotBefore(ids, id, 0);
    const isThere = at < said.length && compareIds(ids, at * idBytes, id, 0) === 0;
    return isThere ? defined(said[at]) * filesInRun : -1;
  }

  /** For the new release. */
  toChanges(): SaleChanges {
    const heard = this.#heardInOrder();
    const known = this.#known;
    const most = known.said.length + heard.said.length;
    const [ids, said] = [new Uint8Array(most * idBytes), new Uint16Array(most)];
    let count = 0;
    const take = (from: Known, start: number, end: number) => {
      ids.set(from.ids.subarray(start * idBytes, end * idBytes), count * idBytes);
      said.set(from.said.subarray(start, end), count);
      count += end - start;
    };
    let next = 0;
    for (let change = 0; change < heard.said.length; change++) {
      const id = heard.ids.subarray(change * idBytes, (change + 1) * idBytes);
      const stop = firstNotBefore(known.ids, id, next);
      take(known, next, stop);
      take(heard, change, change + 1);
      const isKnown = stop < known.said.length && compareIds(known.ids, stop * idBytes, id, 0) === 0;
      next = isKnown ? stop + 1 : stop;
    }
    take(known, next, known.said.length);
    return {
      files: this.#files,
      ids: ids.subarray(0, count * idBytes),
      said: said.subarray(0, count),
    };
  }

  #heardInOrder(): Known {
    const count = this.#heard.size;
    const words = new Uint32Array(4 * count);
    const said = new Uint16Array(count);
    let change = 0;
    this.#heard.each((idWords, mark) => {
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
    return { ids: sorted, said: Uint16Array.from(order, (from) => defined(said[from])) };
  }
}

/** The first of the ids in order, `from` or later, that does not stand before the given one. */
function firstNotBefore(ids: Uint8Array, id: Uint8Array, from: number): number {
  return firstIndex(from, ids.length / idBytes, (at) => compareIds(ids, at * idBytes, id, 0) >= 0);
}
