// Applies the files of one run, each as of its month: what a later month has said of a sale stands, whenever its file came
// (docs/decisions/0022-price-paid-changes.md).

import path from 'node:path';
import type { TextFile } from '../../ingest/files.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, RecognisedFile } from '../../ingest/source.ts';
import { compareSaleFiles, type SaleFile } from '../../tables/sales/changes.ts';
import type { SalesStanding } from '../../tables/sales/sales.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { type Before, SalesBuild } from './build.ts';
import { ChangeLog, type Turn } from './changes.ts';
import { type FileFacts, type FileSizes, identify, readFile, scanFile } from './reading.ts';
import { formatId } from './records.ts';

/** The average of the bulk layout. */
const bytesPerRow = 172;

/** A larger file holds years and comes first. Reading it twice to be sure is not worth the time. */
const scannedBytes = 1 << 30;

type Given = { readonly file: TextFile; readonly layout: string };
type Scanned = Given & { readonly facts: FileFacts };
type Identified = Scanned & { readonly sale: SaleFile };

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
