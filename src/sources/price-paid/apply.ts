// Applies the files of one run, each as of its month: what a later month has said of a sale stands, whenever its file came
// (docs/decisions/0022-price-paid-changes.md).

import path from 'node:path';
import { firstIndex } from '../../columns/sorted.ts';
import type { TextFile } from '../../ingest/files.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, RecognisedFile } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import {
  compareSaleFiles,
  monthsOf,
  openSaleChanges,
  type SaleChanges,
  type SaleFile,
} from '../../tables/sales/changes.ts';
import { compareIds, orderOf } from '../../tables/sales/order.ts';
import { idBytes } from '../../tables/sales/rows.ts';
import type { SalesStanding } from '../../tables/sales/sales.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { type Before, SalesBuild } from './build.ts';
import { IdTable } from './ids.ts';
import { type FileFacts, type FileSizes, identify, readFile, scanFile } from './reading.ts';
import { formatId } from './records.ts';

/** The average of the bulk layout. */
const bytesPerRow = 172;

/** A larger file holds years and comes first. Reading it twice to be sure is not worth the time. */
const scannedBytes = 1 << 30;

type Given = { readonly file: TextFile; readonly layout: string };
type Scanned = Given & { readonly facts: FileFacts };
type Identified = Scanned & { readonly sale: SaleFile };

// Which files the sales are made of, and which month spoke last of each sale: what decides whether a record counts. It
// comes from the release before and goes into the new one (src/tables/sales/changes.ts).

/** A file that is being applied. */
type Turn = {
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

class ChangeLog {
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

/** What has become of the sales, as far as the files say. */
type Applied = {
  readonly build: SalesBuild;
  readonly log: ChangeLog;
  readonly standing: SalesStanding;
  /** What is built on; undefined where the complete file has taken the place of everything, or nothing was there. */
  readonly before: Before | undefined;
  /** Whether the complete file is among those of this run. */
  readonly isWhole: boolean;
};

export async function applyFiles(
  files: readonly RecognisedFile[],
  into: Into,
  known: Before | undefined,
  sizes: FileSizes,
): Promise<Applied> {
  const given = files.flatMap(({ file, layout }) => (file.form === 'text' ? [{ file, layout }] : []));
  const application = new Application(into, known, sizes, given);
  const unseen = known === undefined ? notWorthScanning(given) : undefined;
  if (unseen !== undefined) await application.readUnseen(unseen);
  const scanned: Scanned[] = [];
  for (const one of given) {
    if (one !== unseen) scanned.push({ ...one, facts: await scanFile(one.file, into) });
  }
  await application.apply(scanned);
  return application;
}

/** With nothing loaded, a file alone needs no order, and the only large one comes first in any case. */
function notWorthScanning(given: readonly Given[]): Given | undefined {
  // How large a compressed file is, is not known.
  const mayBeLarge = given.filter(({ file: { bytes } }) => bytes === undefined || bytes >= scannedBytes);
  const [only, another] = given.length === 1 ? given : mayBeLarge;
  return another === undefined ? only : undefined;
}

class Application implements Applied {
  readonly build: SalesBuild;
  log: ChangeLog;
  standing: SalesStanding;
  before: Before | undefined;
  isWhole = false;
  readonly #into: Into;
  readonly #sizes: FileSizes;
  readonly #ahead: string[] = [];

  constructor(into: Into, known: Before | undefined, sizes: FileSizes, given: readonly Given[]) {
    this.#into = into;
    this.#sizes = sizes;
    this.before = known;
    this.log = ChangeLog.of(known);
    this.standing = known?.index.standing ?? 'sample';
    const bytes = given.reduce((sum, { file }) => sum + (file.bytes ?? 0), 0);
    this.build = new SalesBuild(into, bytes / bytesPerRow);
  }

  /** Reads a file of which nothing is known beforehand, onto nothing. */
  async readUnseen(given: Given): Promise<void> {
    const facts = await this.#read(given.file, undefined);
    const [identified] = this.#identify([{ ...given, facts }]);
    if (identified === undefined) return;
    if (identified.sale.kind === 'complete') this.#restart(identified.sale);
    else this.log.hearAll(this.log.begin(identified.sale), this.build.ids);
  }

  async apply(scanned: readonly Scanned[]): Promise<void> {
    const identified = this.#identify(scanned);
    // The bundled sample has no months, and a file without any record says nothing: reading it counts what is wrong with it.
    const told = new Set(identified.map(({ file }) => file));
    for (const { file } of scanned) if (!told.has(file)) await this.#read(file, undefined);
    const whole = await this.#applyWhole(identified);
    const inOrder = identified.toSorted((a, b) => compareSaleFiles(a.sale, b.sale));
    for (const one of inOrder) if (one !== whole) await this.#applyOne(one);
  }

  #identify(scanned: readonly Scanned[]): readonly Identified[] {
    const identified = scanned
      .filter(({ facts }) => this.#into.kind !== 'sample' && facts.records > 0)
      .map((one) => ({
        ...one,
        sale: identify(one.file, one.layout, one.facts, this.#sizes, this.#into),
      }));
    if (identified.length > 0 && this.standing === 'sample') this.standing = 'partial';
    const ahead = identified.filter(
      ({ sale: { kind, newest, month } }) => kind === 'changes' && newest > 0 && newest < month,
    );
    this.#ahead.push(...ahead.map(({ file }) => path.basename(file.name)));
    this.#into.tally.note(
      'file of changes whose name or --edition gives a later month than its newest sale. If file names have the month of the download, remove it from all of them, or months may seem to be missing',
      this.#ahead.length,
      this.#ahead[0] ?? '',
    );
    return identified;
  }

  /** The complete file says all that is known to its month: a sale that it no longer has is gone. */
  async #applyWhole(identified: readonly Identified[]): Promise<Identified | undefined> {
    const whole = identified
      .filter(({ sale }) => sale.kind === 'complete' && !this.log.hasApplied(sale.fingerprint))
      .reduce<Identified | undefined>(
        (a, b) => (a === undefined || b.sale.month > a.sale.month ? b : a),
        undefined,
      );
    const { completeOf } = this.log.months;
    if (whole === undefined || (completeOf !== undefined && whole.sale.month < completeOf)) return undefined;
    const { month } = whole.sale;
    const again = new Set(identified.map(({ sale }) => sale.fingerprint));
    const lost = this.log.files.filter((file) => file.month > month && !again.has(file.fingerprint));
    if (lost.length > 0) {
      const months = [...new Set(lost.map((file) => formatMonth(file.month)))].join(', ');
      throw new FileRefused(
        whole.file.name,
        `reaches ${formatMonth(month)}, but changes of ${months} are loaded and would be lost. Take a newer complete file, or give those files too, in the same run`,
      );
    }
    this.#restart(whole.sale);
    await this.#read(whole.file, undefined);
    return whole;
  }

  #restart(complete: SaleFile): void {
    this.log = ChangeLog.from(complete);
    this.standing = 'complete';
    this.before = undefined;
    this.isWhole = true;
  }

  async #applyOne(one: Identified): Promise<void> {
    const { file, sale } = one;
    const { completeOf } = this.log.months;
    if (this.log.hasApplied(sale.fingerprint)) await this.#meetAgain(one);
    else if (completeOf !== undefined && sale.month <= completeOf) {
      const reach = `the complete file, which reaches ${formatMonth(completeOf)}, includes this file of ${formatMonth(sale.month)}`;
      this.#leaveOut(one, `${reach}; if it is of a later month, add --edition`);
    } else {
      this.#refuseDisagreeing(one);
      await this.#read(file, this.log.begin(sale));
    }
  }

  #refuseDisagreeing({ file, sale }: Identified): void {
    const other = this.log.findDisagreeing(sale);
    if (other === undefined) return;
    const [ours, its] = [sale, other].map(
      ({ month, newest }) => `${formatMonth(month)} with sales to ${formatMonth(newest)}`,
    );
    const what = other.kind === 'complete' ? 'the complete file' : 'another file of changes';
    throw new FileRefused(
      file.name,
      `is of ${ours}, and ${what} is of ${its}: nobody can tell which is later. A month in a file name must not be the month of the download; remove it, and the newest sale decides`,
    );
  }

  /** The publisher's address of the latest changes may still serve those of the month before. */
  async #meetAgain(one: Identified): Promise<void> {
    const { file, sale } = one;
    const known = this.log.files.find(({ fingerprint }) => fingerprint === sale.fingerprint);
    if (known === undefined || known.kind === 'complete' || sale.month >= known.month) {
      this.#leaveOut(one, 'the file has been applied before; is there a newer one?');
      return;
    }
    const between = this.log.findBetween(known, sale.month);
    if (between !== undefined) {
      throw new FileRefused(
        file.name,
        `is of ${formatMonth(sale.month)}, but the same content was applied as the file of ${formatMonth(known.month)}, over a file of ${formatMonth(between.month)}. Load the complete file (pp-complete.csv), which has all of it`,
      );
    }
    const rename = this.log.rename(known, sale.month);
    this.#leaveOut(
      one,
      `the file was applied before as the file of ${formatMonth(known.month)}; from now on it counts as the file of ${formatMonth(sale.month)}`,
    );
    await scanFile(file, this.#into, ({ idWords }) => rename(idWords));
  }

  #leaveOut({ file, facts }: Identified, why: string): void {
    const { tally } = this.#into;
    tally.read += facts.rows;
    for (let row = 0; row < facts.rows; row++) tally.reject(why, `${path.basename(file.name)}:${row + 1}`);
  }

  /** Without a turn, every record counts. */
  #read(file: TextFile, turn: Turn | undefined): Promise<FileFacts> {
    const { tally } = this.#into;
    const { build, log } = this;
    return readFile(file, this.#into, (row, fields, record, place) => {
      const verdict = turn === undefined ? 'counts' : log.hear(turn, record.idWords);
      if (verdict === 'superseded') {
        tally.reject('a file of a later month decides about the sale', place());
        build.tellTown(row, fields, record);
        return;
      }
      if (verdict === 'contradicts') throw this.#contradiction(file, turn, record.id);
      if (record.status === 'live') tally.kept += 1;
      else tally.reject('record that deletes a sale', place());
      build.add(row, fields, record);
    });
  }

  #contradiction(file: TextFile, turn: Turn | undefined, id: Uint8Array): FileRefused {
    const month = turn === undefined ? '' : ` of ${formatMonth(turn.file.month)}`;
    return new FileRefused(
      file.name,
      `is${month}, as is another file of changes with other content, and both have transaction ${formatId(id)}: nobody can tell which is later. Give the month of the later one with --edition, in a separate run, or in its name`,
    );
  }
}
