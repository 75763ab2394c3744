// The one CSV reader: bytes in, rows with line numbers out, correct however the bytes are cut into chunks.
// RFC 4180 (quotes, "", CRLF or LF, line breaks inside quotes), a byte order mark is skipped, empty lines too.
// It works on bytes because the national files have gigabytes: a field becomes text only when asked for.

import { isAscii, isUtf8 } from 'node:buffer';
import { defined } from '../../out-of-range.ts';
import { FileRefused } from '../refusal.ts';

/** `either`: some publishers save as Windows-1252, and whoever opens the file and saves it again may make it UTF-8; each
 *  field is read as what its bytes are. */
export type CsvEncoding = 'utf-8' | 'cp1252' | 'either';

export type CsvDelimiter = ',' | '\t' | ';' | '|';

type CsvOptions = {
  /** The file's name as the operator knows it, for error messages. */
  readonly file: string;
  readonly encoding: CsvEncoding;
  readonly delimiter?: CsvDelimiter;
};

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const space = 0x20;
const tab = 0x09;
const firstPrinted = 0x20;
const lastPrinted = 0x7e;
const del = 0x7f;
const whiteSpace = new Set([tab, lineFeed, carriageReturn]);

/** Longer than any row of an official file: what is longer is an unclosed quote, or not a CSV file. */
const longestRowBytes = 1 << 20;

const cp1252 = new TextDecoder('windows-1252');

// Control characters in a field of data mean nothing to a reader and may mean something to a terminal. They never get
// into a release: each becomes a space. White space (tab, line feed, carriage return) stays.

/** Any but white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export const withoutControls = (text: string): string => text.replace(control, ' ');

/** One row; the reader reuses it for the next, so keep texts, not rows. */
export class CsvRow {
  /** Line of the file on which the row begins, from 1. */
  line = 0;
  /** Number of fields. */
  length = 0;
  bytes: Buffer = Buffer.alloc(0);
  /** Per field its start, its end, and whether `""` occurs in it, in `bytes`. */
  fields = new Int32Array(3 * 128);
  readonly #encoding: CsvEncoding;

  constructor(encoding: CsvEncoding) {
    this.#encoding = encoding;
  }

  /** Start and end enclose the field's bytes without its quotes; both 0 where the row has no such field, as for −1. */
  start(index: number): number {
    return this.#has(index) ? defined(this.fields[3 * index]) : 0;
  }

  end(index: number): number {
    return this.#has(index) ? defined(this.fields[3 * index + 1]) : 0;
  }

  #has(index: number): boolean {
    return index >= 0 && index < this.length;
  }

  /** Empty where the row has no such field. */
  text(index: number): string {
    if (!this.#has(index)) return '';
    const start = this.start(index);
    const end = this.end(index);
    // Many columns are empty or one letter; decoding bytes costs more than these.
    if (start === end) return '';
    const first = defined(this.bytes[start]);
    if (end - start === 1 && first < 0x80) return String.fromCharCode(first);
    const text =
      this.#encoding === 'utf-8' ? this.bytes.toString('utf8', start, end) : this.#decode(start, end);
    return this.fields[3 * index + 2] === 1 ? text.replaceAll('""', '"') : text;
  }

  #decode(start: number, end: number): string {
    const field = this.bytes.subarray(start, end);
    if (isAscii(field)) return field.toString('latin1');
    const text = this.#encoding === 'either' && isUtf8(field) ? field.toString('utf8') : cp1252.decode(field);
    return withoutControls(text);
  }

  texts(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.text(index));
  }
}

type OnRow = (row: CsvRow) => void;

export class CsvReader {
  readonly #options: CsvOptions;
  readonly #delimiter: number;
  readonly #onRow: OnRow;
  readonly #row: CsvRow;
  /** Bytes of the row that the last chunk left unfinished. */
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  #atStart = true;

  constructor(options: CsvOptions, onRow: OnRow) {
    this.#options = options;
    this.#delimiter = (options.delimiter ?? ',').charCodeAt(0);
    this.#onRow = onRow;
    this.#row = new CsvRow(options.encoding);
  }

  /** Rows that end within this chunk are handed out at once. Throws FileRefused. */
  push(chunk: Uint8Array): void {
    const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#take(this.#rest.length === 0 ? given : Buffer.concat([this.#rest, given]), 'more follows');
  }

  finish(): void {
    this.#take(this.#rest, 'end of file');
  }

  #take(bytes: Buffer, whatFollows: 'more follows' | 'end of file'): void {
    let start = 0;
    if (this.#atStart) {
      if (bytes.length < 3 && whatFollows === 'more follows') {
        this.#rest = Buffer.from(bytes);
        return;
      }
      this.#atStart = false;
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) start = 3;
    }
    // Everything up to the last line feed is whole characters, since no other character contains that byte.
    const whole = whatFollows === 'end of file' ? bytes.length : bytes.lastIndexOf(lineFeed) + 1;
    const isClean =
      this.#options.encoding !== 'utf-8' || isUtf8(bytes.subarray(start, Math.max(whole, start)));
    this.#row.bytes = bytes;
    while (start < bytes.length) {
      const line = this.#line;
      const next = this.#scanRow(bytes, start, whatFollows);
      if (next === -1) break;
      if (!isClean && !isUtf8(bytes.subarray(start, next))) {
        throw this.#refuse(line, 'is not UTF-8; the file was saved in another encoding');
      }
      start = next;
      if (this.#row.length > 0) {
        this.#row.line = line;
        this.#onRow(this.#row);
      }
    }
    // Copied: the owner of the chunk may use its memory again.
    this.#rest = Buffer.from(bytes.subarray(start));
    if (this.#rest.length > longestRowBytes) {
      throw this.#refuse(this.#line, 'begins a row of more than 1 MB; is a quote left open there?');
    }
  }

  /** Finds the fields of the row at `start`; returns where the next row starts, or -1 if this one is unfinished. */
  #scanRow(bytes: Buffer, start: number, whatFollows: 'more follows' | 'end of file'): number {
    const delimiter = this.#delimiter;
    const size = bytes.length;
    const row = this.#row;
    let { fields } = row;
    let count = 0;
    let at = start;
    let lines = 0;
    let plain = true;
    for (;;) {
      if (3 * count + 3 > fields.length) {
        fields = new Int32Array(2 * fields.length);
        fields.set(row.fields);
        row.fields = fields;
      }
      let fieldStart = at;
      let fieldEnd: number;
      let escaped = 0;
      if (at < size && bytes[at] === quote) {
        fieldStart += 1;
        at += 1;
        for (; at < size; at += 1) {
          const byte = defined(bytes[at]);
          if (byte === lineFeed) lines += 1;
          else if (byte < firstPrinted || byte > lastPrinted) plain &&= byte === carriageReturn;
          if (byte !== quote) continue;
          if (bytes[at + 1] !== quote) break;
          escaped = 1;
          at += 1;
        }
        if (at >= size) {
          if (whatFollows === 'more follows') return -1;
          throw this.#refuse(this.#line, 'has a quote that is never closed; is the file cut off?');
        }
        fieldEnd = at;
        at += 1;
        if (bytes[at] === carriageReturn && (at + 1 >= size || bytes[at + 1] === lineFeed)) at += 1;
        if (at < size && bytes[at] !== delimiter && bytes[at] !== lineFeed) {
          throw this.#refuse(this.#line + lines, 'has text after a closing quote');
        }
      } else {
        let byte = bytes[at] ?? lineFeed;
        while (at < size && byte !== delimiter && byte !== lineFeed) {
          if (byte < firstPrinted || byte > lastPrinted) plain &&= byte === carriageReturn;
          at += 1;
          byte = bytes[at] ?? lineFeed;
        }
        const isLineEnd = at >= size || byte === lineFeed;
        fieldEnd = isLineEnd && at > fieldStart && bytes[at - 1] === carriageReturn ? at - 1 : at;
      }
      if (at >= size && whatFollows === 'more follows') return -1;
      fields[3 * count] = fieldStart;
      fields[3 * count + 1] = fieldEnd;
      fields[3 * count + 2] = escaped;
      count += 1;
      if (at >= size || bytes[at] === lineFeed) break;
      at += 1;
    }
    if (!plain) this.#clean(bytes, start, at);
    // A line without a single byte is no row.
    row.length = count === 1 && fields[0] === start && fields[1] === start ? 0 : count;
    this.#line += lines + 1;
    return at + 1;
  }

  /** Control characters become spaces, where they stand: some readers take bytes and not texts. */
  #clean(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const byte = defined(bytes[at]);
      if (byte === 0) {
        throw this.#refuse(
          this.#line,
          'has a zero byte, which an interrupted download leaves. Download it again',
        );
      }
      if ((byte < firstPrinted && !whiteSpace.has(byte)) || byte === del) bytes[at] = space;
      // UTF-8 has the upper ones in two bytes. What is read in single bytes is cleaned as text.
      const next = bytes[at + 1];
      if (this.#options.encoding !== 'utf-8' || byte !== 0xc2 || next === undefined) continue;
      if (next >= 0x80 && next < 0xa0) bytes.fill(space, at, at + 2);
    }
  }

  #refuse(line: number, problem: string): FileRefused {
    return new FileRefused(this.#options.file, `line ${line} ${problem}`);
  }
}

/** Reads a whole stream of bytes. */
export async function readCsv(
  chunks: AsyncIterable<Uint8Array>,
  options: CsvOptions,
  onRow: OnRow,
): Promise<void> {
  const reader = new CsvReader(options, onRow);
  for await (const chunk of chunks) reader.push(chunk);
  reader.finish();
}

/** The first rows of a file's beginning, for telling its layout; none where it is not CSV. */
export const firstRows = (
  head: Uint8Array,
  count: number,
  encoding: CsvEncoding,
  delimiter: CsvDelimiter = ',',
): readonly string[][] => firstLines(head, count, encoding, delimiter).map(({ texts }) => texts);

/** As `firstRows`, with the line on which each of them begins. */
export function firstLines(
  head: Uint8Array,
  count: number,
  encoding: CsvEncoding,
  delimiter: CsvDelimiter,
): readonly { readonly line: number; readonly texts: string[] }[] {
  const rows: { readonly line: number; readonly texts: string[] }[] = [];
  const enough = new Error('enough rows');
  const reader = new CsvReader({ file: '', encoding, delimiter }, (row) => {
    rows.push({ line: row.line, texts: row.texts() });
    // Every source looks at every file, so nothing is read beyond what it asked for.
    if (rows.length >= count) throw enough;
  });
  try {
    reader.push(head);
    reader.finish();
  } catch (error) {
    if (error !== enough && !(error instanceof FileRefused)) throw error;
  }
  return rows;
}
