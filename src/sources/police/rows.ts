// Reads the files of the police archive row by row, at the level of bytes: nationally there are twenty million rows.
// Odd rows are kept as they are, and counted.

import path from 'node:path';
import { ByteDictionary, TextDictionary } from '../../columns/byte-dictionary.ts';
import { TupleDictionary } from '../../columns/tuple-dictionary.ts';
import type { TextFile } from '../../ingest/files.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import { columnsOf, type Places, type RowFormat, readNamedRows } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import type { ArchiveOf } from '../../tables/crime/archives.ts';
import { CrimesBuilder } from '../../tables/crime/crimes-builder.ts';
import { idBytes } from '../../tables/crime/tables.ts';
import { formatMonth, parseMonth } from '../../uk/calendar.ts';
import { slugOfCategory } from '../../uk/police.ts';

export const streetColumns = {
  required: [
    'Crime ID',
    'Month',
    'Reported by',
    'Longitude',
    'Latitude',
    'Location',
    'LSOA code',
    'LSOA name',
    'Crime type',
    'Last outcome category',
    'Context',
  ],
} as const;
export const outcomesColumns = { required: ['Crime ID', 'Month', 'Outcome type'] } as const;

const format: RowFormat = { width: 'least' };

/** Values of `CrimeIds` hold an outcome's month, from this one on, and its number. */
const firstOutcomeMonth = 12 * 2010;
const outcomesPerMonth = 64;
const lastOutcomeMonth = firstOutcomeMonth + 1023;
const forcesAtMost = 256;

/** Distinct words in the order they were met. */
class WordList {
  readonly words: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    this.#numbers.set(word, this.words.length);
    return this.words.push(word) - 1;
  }
}

/** Words of one column: bytes of a file → number in a list. */
class ColumnWords {
  readonly list = new WordList();
  readonly #raw = new ByteDictionary();
  readonly #numbers: number[] = [];
  readonly #meaning: (text: string) => string;

  constructor(meaning: (text: string) => string = (text) => text) {
    this.#meaning = meaning;
  }

  read(row: CsvRow, column: number): number {
    const raw = this.#raw.codeOf(row.bytes, row.start(column), row.end(column));
    const known = this.#numbers[raw];
    if (known !== undefined) return known;
    const number = this.list.number(this.#meaning(row.text(column).trim()));
    this.#numbers[raw] = number;
    return number;
  }
}

type Odd = { count: number; place: string };

/** What becomes of a force's rows in a file. */
type Claim = { readonly file: string; readonly fate: 'taken' | 'passed over' };

const passedOver = 'row of a force and month that is already loaded from a newer archive, passed over';
const passedOverNamed = 3;

// Crime ids (64 hexadecimal digits) as keys of tens of millions, by their first 64 bits. Two of 20 million ids would share
// them once in some hundred thousand loads.

/** A number from 1 to 65,535 for each id. */
class CrimeIds {
  readonly #ids = new TupleDictionary(2);
  readonly #key = new Uint32Array(2);
  #values = new Uint16Array(1 << 12);

  get size(): number {
    return this.#ids.length;
  }

  /** 0 where it is not there. `at` is where the id's 32 bytes begin. */
  get(id: Buffer, at: number): number {
    const code = this.#ids.find(this.#keyOf(id, at), 0);
    return code === -1 ? 0 : defined(this.#values[code]);
  }

  set(id: Buffer, at: number, value: number): void {
    const code = this.#ids.codeOf(this.#keyOf(id, at), 0);
    if (code === this.#values.length) {
      const values = new Uint16Array(2 * code);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[code] = value;
  }

  clear(): void {
    this.#ids.clear();
  }

  #keyOf(id: Buffer, at: number): Uint32Array {
    this.#key[0] = id.readUInt32LE(at);
    this.#key[1] = id.readUInt32LE(at + 4);
    return this.#key;
  }
}

/** Writes the 32 bytes of 64 hexadecimal digits; after `malformed` the caller must clear them. */
function writeId(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): 'written' | 'malformed' {
  if (end - start !== 64) return 'malformed';
  for (let index = 0; index < 32; index += 1) {
    const high = digits[defined(from[start + 2 * index])] ?? 255;
    const low = digits[defined(from[start + 2 * index + 1])] ?? 255;
    if ((high | low) > 15) return 'malformed';
    to[at + index] = 16 * high + low;
  }
  return 'written';
}

const digits = new Uint8Array(256).fill(255);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}

export class PoliceRows {
  readonly builder = new CrimesBuilder();
  readonly names = new TextDictionary();
  readonly lsoas = new TextDictionary();
  readonly forces = new ColumnWords();
  readonly categories = new ColumnWords(slugOfCategory);
  readonly outcomes = new ColumnWords();
  readonly latestOutcomes = new CrimeIds();
  readonly #into: Pick<Into, 'progress' | 'tally'>;
  readonly #odd = new Map<string, Odd>();
  readonly #seen = new CrimeIds();
  #seenMonth = 0;
  #file = '';
  #archive = 0;
  /** By the number of a force: the file of the month that has its rows. */
  readonly #claims: Claim[] = [];
  readonly #archiveBefore: ArchiveOf;
  readonly #passedOver: string[] = [];
  readonly #id = Buffer.alloc(idBytes);
  /** LSOA → its district plus one. */
  readonly #districtOf: number[] = [];
  readonly #districts = new WordList();
  /** Rows per district and force. */
  #districtRows = new Uint32Array(forcesAtMost * 512);

  /** `archiveBefore` tells which archives are loaded already. */
  constructor(into: Pick<Into, 'progress' | 'tally'>, archiveBefore: ArchiveOf = () => 0) {
    this.#into = into;
    this.#archiveBefore = archiveBefore;
  }

  /** Of several outcomes of a crime the latest stays. */
  async readOutcomes(file: TextFile): Promise<void> {
    const base = path.basename(file.name);
    await readNamedRows(file, format, columnsOf(file, outcomesColumns, format), this.#into, (row, at) => {
      const { 'Crime ID': idAt, Month: monthAt, 'Outcome type': typeAt } = at;
      const month = parseMonth(row.text(monthAt));
      const label = 1 + this.outcomes.read(row, typeAt);
      const place = () => `${base}:${row.line}`;
      if (month === undefined || month < firstOutcomeMonth || month > lastOutcomeMonth) {
        this.#into.tally.reject('outcome without a month', place());
      } else if (label >= outcomesPerMonth || row.start(typeAt) === row.end(typeAt)) {
        this.#into.tally.reject('outcome of an unknown kind', place());
      } else if (writeId(row.bytes, row.start(idAt), row.end(idAt), this.#id, 0) === 'malformed') {
        this.#into.tally.reject('outcome without a crime id', place());
      } else {
        this.odd('row of outcomes, which belongs to a crime and is not a crime itself', place);
        const before = this.latestOutcomes.get(this.#id, 0);
        const value = (month - firstOutcomeMonth) * outcomesPerMonth + label;
        // Of one month, the row further down is the later one.
        if (before === 0 || Math.floor(before / outcomesPerMonth) <= month - firstOutcomeMonth) {
          this.latestOutcomes.set(this.#id, 0, value);
        }
      }
    });
  }

  /** Files of a month after each other, so that ids that occur twice are noticed. `archive` is the newest month of the archive
   *  that the file is of. */
  async readStreet(file: TextFile, archive: number): Promise<void> {
    const base = path.basename(file.name);
    let fileMonth: number | undefined;
    const monthBytes = Buffer.alloc(7);
    await readNamedRows(file, format, columnsOf(file, streetColumns, format), this.#into, (row, at) => {
      const monthAt = at.Month;
      const start = row.start(monthAt);
      if (fileMonth === undefined) {
        fileMonth = parseMonth(row.text(monthAt));
        if (fileMonth === undefined) {
          throw new FileRefused(
            file.name,
            `line ${row.line} has the month ${JSON.stringify(row.text(monthAt))}; expected YYYY-MM`,
          );
        }
        monthBytes.set(row.bytes.subarray(start, start + 7));
        this.#beginMonth(fileMonth);
        this.#file = file.name;
        this.#archive = archive;
      } else if (row.end(monthAt) - start !== 7 || monthBytes.compare(row.bytes, start, start + 7) !== 0) {
        // The archive has one file per force and month. The file tells what the force published.
        this.#into.tally.reject('of another month than the first row of its file', `${base}:${row.line}`);
        return;
      }
      this.#takeStreetRow(row, at, fileMonth, base);
    });
    if (fileMonth === undefined) this.odd('file without rows', () => base);
  }

  odd(reason: string, place: () => string, times = 1): void {
    const known = this.#odd.get(reason);
    if (known === undefined) this.#odd.set(reason, { count: times, place: place() });
    else known.count += times;
  }

  /** Hands the counts over. */
  report(nationalForce: string): void {
    const outside = this.#countOutside(nationalForce);
    this.odd('outside the area of the force that reported it', () => 'by LSOA', outside);
    for (const [reason, { count, place }] of this.#odd) {
      this.#into.tally.note(reason, count, reason === passedOver ? this.#describePassedOver() : place);
    }
  }

  #describePassedOver(): string {
    const more = this.#passedOver.length - passedOverNamed;
    const named = this.#passedOver.slice(0, passedOverNamed);
    return [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ');
  }

  #beginMonth(month: number): void {
    if (month === this.#seenMonth) return;
    // Files come month by month: the one before is complete.
    if (this.#seenMonth > 0) this.builder.month(this.#seenMonth).trim();
    this.#seenMonth = month;
    this.#seen.clear();
    this.#claims.length = 0;
  }

  /** A file of several forces is no file of the archive, and it may repeat what another file of the month has. */
  #claim(force: number, month: number): Claim['fate'] {
    const owner = this.#claims[force];
    if (owner?.file === this.#file) return owner.fate;
    const name = defined(this.forces.list.words[force]);
    if (owner !== undefined) {
      throw new FileRefused(
        this.#file,
        `has rows of ${name} for a month that ${owner.file} has too. Give only one of them`,
      );
    }
    const loaded = this.#archiveBefore(name, month);
    const fate = loaded > this.#archive ? 'passed over' : 'taken';
    this.#claims[force] = { file: this.#file, fate };
    if (fate === 'taken') this.builder.setArchive(month, force, this.#archive);
    else {
      const [own, newer] = [formatMonth(this.#archive), formatMonth(loaded)];
      this.#passedOver.push(`${formatMonth(month)} of ${name} (given: archive of ${own}, loaded: ${newer})`);
    }
    return fate;
  }

  #takeStreetRow(row: CsvRow, at: Places<typeof streetColumns>, month: number, base: string): void {
    const { 'Crime ID': idAt, Latitude: latitudeAt, Longitude: longitudeAt, 'Crime type': typeAt } = at;
    const force = this.forces.read(row, at['Reported by']);
    const place = () => `${base}:${row.line}`;
    if (this.#claim(force, month) === 'passed over') {
      this.odd(passedOver, place);
      return;
    }
    this.builder.countPublished(month, force);
    const latitudeMicro = parseMicro(row.bytes, row.start(latitudeAt), row.end(latitudeAt));
    const longitudeMicro = parseMicro(row.bytes, row.start(longitudeAt), row.end(longitudeAt));
    if (latitudeMicro === undefined || longitudeMicro === undefined) {
      const isBlank = row.start(latitudeAt) === row.end(latitudeAt);
      this.#into.tally.reject(isBlank ? 'no point' : 'coordinates that are not numbers', place());
      return;
    }
    if (!isInUnitedKingdom(latitudeMicro, longitudeMicro)) {
      this.#into.tally.reject('point outside the United Kingdom', place());
      return;
    }
    if (row.start(typeAt) === row.end(typeAt)) {
      this.#into.tally.reject('no crime type', place());
      return;
    }
    const lsoa = this.#takeLsoa(row, at['LSOA code'], at['LSOA name'], force);
    const name = this.names.codeOf(row.bytes, row.start(at.Location), row.end(at.Location));
    const { point, isOtherLsoa } = this.builder.point({ latitudeMicro, longitudeMicro, name, lsoa, month });
    if (isOtherLsoa) this.odd('LSOA of another vintage than the same point had before', place);
    const hasOutcome = row.start(at['Last outcome category']) < row.end(at['Last outcome category']);
    const rows = this.builder.month(month);
    const incident = rows.add(
      point,
      this.categories.read(row, typeAt),
      hasOutcome ? 1 + this.outcomes.read(row, at['Last outcome category']) : 0,
      0,
      force,
    );
    this.#into.tally.kept += 1;
    this.#takeId(row, idAt, rows, incident, place);
    this.settleOutcome(month, incident);
    if (row.start(at.Context) < row.end(at.Context)) rows.contexts.set(incident, row.text(at.Context));
  }

  #takeId(row: CsvRow, idAt: number, { id }: { id: Buffer }, at: number, place: () => string): void {
    const [start, end] = [row.start(idAt), row.end(idAt)];
    if (start === end) {
      this.odd('no crime id', place);
      return;
    }
    if (writeId(row.bytes, start, end, id, at * idBytes) === 'malformed') {
      id.fill(0, at * idBytes, (at + 1) * idBytes);
      this.odd('crime id in another form', place);
    } else if (this.#seen.get(id, at * idBytes) !== 0) this.odd('duplicate crime id in its month', place);
    else this.#seen.set(id, at * idBytes, 1);
  }

  /**
   * Settles the outcome of a row with what the outcomes files have of it. The row's own is of the day its archive was made:
   * another one replaces it only if it came since, and an equal one dates it. Earlier files never take back a date.
   */
  settleOutcome(month: number, at: number): void {
    const latest = this.#findOutcome(month, at);
    if (latest === undefined) return;
    const rows = this.builder.month(month);
    const isDated = rows.outcome[at] === latest.label;
    if (isDated && defined(rows.outcomeAfter[at]) >= latest.after) return;
    const archive = this.builder.archiveOf(month, defined(rows.force[at]));
    const isSince = month + latest.after - 1 > archive;
    if (!isDated && !isSince && rows.outcome[at] !== 0) return;
    rows.outcome[at] = latest.label;
    rows.outcomeAfter[at] = latest.after;
  }

  #findOutcome(month: number, at: number): { readonly label: number; readonly after: number } | undefined {
    if (this.latestOutcomes.size === 0) return undefined;
    const { id } = this.builder.month(month);
    if (id.readUInt32LE(at * idBytes) === 0 && id.readUInt32LE(at * idBytes + 4) === 0) return undefined;
    const value = this.latestOutcomes.get(id, at * idBytes);
    if (value === 0) return undefined;
    const after = firstOutcomeMonth + Math.floor(value / outcomesPerMonth) - month + 1;
    // A month before that of the crime, or decades after it, is a mistake.
    return after < 1 || after > 255 ? undefined : { label: value % outcomesPerMonth, after };
  }

  #takeLsoa(row: CsvRow, codeAt: number, nameAt: number, force: number): number {
    if (row.start(codeAt) === row.end(codeAt)) return 0;
    const lsoa = this.lsoas.codeOf(row.bytes, row.start(codeAt), row.end(codeAt));
    let district = this.#districtOf[lsoa];
    if (district === undefined) {
      // "Leicester 041B"
      const name = row.text(nameAt).replace(/ \d{3}[A-Z]$/, '');
      district = name === '' ? 0 : 1 + this.#districts.number(name);
      this.#districtOf[lsoa] = district;
    }
    const cell = district * forcesAtMost + force;
    if (cell >= this.#districtRows.length) {
      const larger = new Uint32Array(2 * cell);
      larger.set(this.#districtRows);
      this.#districtRows = larger;
    }
    this.#districtRows[cell] = defined(this.#districtRows[cell]) + 1;
    return lsoa + 1;
  }

  /** A district belongs to the force that reports most in it. */
  #countOutside(nationalForce: string): number {
    let outside = 0;
    for (let district = 1; district <= this.#districts.words.length; district += 1) {
      const rows = this.#districtRows.subarray(district * forcesAtMost, (district + 1) * forcesAtMost);
      const own = rows.filter((_, force) => this.forces.list.words[force] !== nationalForce);
      outside +=
        own.reduce((sum, count) => sum + count, 0) - own.reduce((most, count) => Math.max(most, count), 0);
    }
    return outside;
  }
}

const isInUnitedKingdom = (latitudeMicro: number, longitudeMicro: number) =>
  latitudeMicro > 49e6 && latitudeMicro < 61.5e6 && longitudeMicro > -9e6 && longitudeMicro < 2.5e6;

/** `-1.134336` → −1134336; undefined where it is no decimal number. */
function parseMicro(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = start;
  const isNegative = bytes[at] === 0x2d;
  if (isNegative) at += 1;
  let whole = 0;
  let decimals = -1;
  let next = 0;
  if (at >= end) return undefined;
  for (; at < end; at += 1) {
    const byte = defined(bytes[at]);
    if (byte === 0x2e && decimals < 0) decimals = 0;
    else if (byte < 0x30 || byte > 0x39) return undefined;
    else if (decimals < 6) {
      whole = whole * 10 + byte - 0x30;
      if (decimals >= 0) decimals += 1;
    } else if (decimals === 6) {
      next = byte >= 0x35 ? 1 : 0;
      decimals = 7;
    }
  }
  const scaled = whole * 10 ** (6 - Math.min(Math.max(decimals, 0), 6)) + next;
  return isNegative ? -scaled : scaled;
}
