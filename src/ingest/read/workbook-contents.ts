// Looks into a workbook before the library does, which unpacks and expands whatever it is given: 3 MB have cost it 6 GB.
// What is handed on is a plain archive of the texts that were looked at, so that nothing else can be read in them.

import { crc32 } from 'node:zlib';
import { readArchive } from '../archive.ts';
import { FileRefused } from '../refusal.ts';
import { formatCount } from '../tally.ts';
import { wholeOf } from '../unpacking.ts';

/** The largest of a publisher that is read here has 13 MB and 200,000 cells. */
export const mostWorkbookBytes = 1 << 27;
const mostCells = 2_000_000;
const mostEntries = 5_000;

export type WorkbookContents = {
  /** For the library. */
  readonly bytes: Buffer;
  /** Texts by their names; none where the workbook is no archive (.xls). */
  readonly texts: ReadonlyMap<string, Buffer>;
};

const isText = (name: string) => /\.(xml|rels)$|^mimetype$/.test(name);

/** Throws FileRefused. */
export async function unpackWorkbook(file: string, bytes: Buffer): Promise<WorkbookContents> {
  if (bytes.length > mostWorkbookBytes) throw tooLarge(file);
  // An .xls is not compressed: it takes no more than its size.
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) return { bytes, texts: new Map() };
  const entries = await readArchive(file, bytes);
  if (entries.some(({ name }) => name === 'xl/workbook.bin'))
    throw new FileRefused(
      file,
      'is a binary workbook (.xlsb), which this program cannot read. Save it as .xlsx',
    );
  if (entries.length > mostEntries)
    throw new FileRefused(file, `has ${formatCount(entries.length)} entries; no workbook has so many`);
  const texts = new Map<string, Buffer>();
  let unpacked = 0;
  for (const entry of entries) {
    if (!isText(entry.name)) continue;
    if (unpacked + entry.bytes > mostWorkbookBytes) throw tooLarge(file);
    const text = await wholeOf(entry.open(), `${file} > ${entry.name}`, mostWorkbookBytes - unpacked);
    unpacked += text.length;
    texts.set(entry.name, text);
  }
  refuseManyCells(file, texts);
  return { bytes: storedZip(texts), texts };
}

const tooLarge = (file: string) =>
  new FileRefused(
    file,
    `unpacks to more than ${mostWorkbookBytes >> 20} MB, ten times what the largest workbook of a publisher has. Is it the right file?`,
  );

function refuseManyCells(file: string, texts: ReadonlyMap<string, Buffer>): void {
  let cells = 0;
  for (const [name, text] of texts) {
    if (/worksheets\//i.test(name)) cells += countCells(text);
    else if (name === 'content.xml') cells += countRepeatedCells(text);
  }
  if (cells > mostCells) {
    throw new FileRefused(
      file,
      `has more than ${formatCount(mostCells)} cells, ten times what the largest workbook of a publisher has. Is it the right file?`,
    );
  }
}

/** Cells of an .xlsx. */
function countCells(text: Buffer): number {
  let cells = 0;
  for (const _ of text.toString('latin1').matchAll(/<(?:[\w.-]+:)?c[\s/>]/g)) cells += 1;
  return cells;
}

/** Cells of an .ods, where one that is written may stand for as many as it says, in as many rows as its row says. An empty
 *  one takes nothing: real sheets are filled up with those to their last row. Up to the next tag, whatever its quotes. */
function countRepeatedCells(text: Buffer): number {
  let cells = 0;
  let rows = 1;
  for (const [, kind, rest = ''] of text
    .toString('latin1')
    .matchAll(/<(?:[^\s<>/:]+:)?(table-row|table-cell)([^<]*)/g)) {
    if (kind === 'table-row') rows = repeats(rest, 'rows');
    else if (!/\/>\s*$/.test(rest)) cells += rows * repeats(rest, 'columns');
  }
  return cells;
}

function repeats(attributes: string, what: 'rows' | 'columns'): number {
  const found = new RegExp(`number-${what}-repeated\\s*=\\s*["']?([^"'\\s>]*)`).exec(attributes)?.[1];
  const count = Math.max(Number(found), Number.parseInt(found ?? '', 10));
  return found === undefined || Number.isNaN(count) ? 1 : Math.max(1, count);
}

/** An archive of entries that are not compressed. */
function storedZip(entries: ReadonlyMap<string, Buffer>): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    // Names are UTF-8.
    facts.writeUInt16LE(0x800, 2);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, title);
    pieces.push(Buffer.from('PK\x03\x04', 'latin1'), facts, title, content);
    offset += 4 + facts.length + title.length + content.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.size, 8);
  end.writeUInt16LE(entries.size, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, listed, end]);
}
