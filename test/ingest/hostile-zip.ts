// Archives that say what they like: sizes, checksums, names and methods are the test's, whatever the content is.

import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type ZipEntry, zipOf } from '../../scripts/make-zip.ts';

export function entryOf(name: string, content: string | Uint8Array): ZipEntry {
  const bytes = Buffer.from(content);
  return { name, packed: deflateRawSync(bytes), bytes: bytes.length, crc: crc32(bytes) };
}

/** An entry of any size that takes a thousandth of it: one block of bytes, so many times, between two texts. */
export function repeatedEntry(name: string, { before = '', block, times, after = '' }: Repeated): ZipEntry {
  const flush = { finishFlush: constants.Z_FULL_FLUSH, level: 9 };
  const first = Buffer.from(before);
  const middle = Buffer.from(block);
  const last = Buffer.from(after);
  const packedMiddle = deflateRawSync(middle, flush);
  let crc = crc32(first);
  for (let time = 0; time < times; time += 1) crc = crc32(middle, crc);
  return {
    name,
    packed: Buffer.concat([
      deflateRawSync(first, flush),
      ...Array.from({ length: times }, () => packedMiddle),
      deflateRawSync(last),
    ]),
    bytes: first.length + times * middle.length + last.length,
    crc: crc32(last, crc),
  };
}

export type Repeated = {
  readonly before?: string;
  readonly block: string;
  readonly times: number;
  readonly after?: string;
};

/** A member of a .gz, of any size. */
export function repeatedGzip(repeated: Repeated): Buffer {
  const { packed, crc, bytes } = repeatedEntry('', repeated);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc, 0);
  end.writeUInt32LE(bytes % 2 ** 32, 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]), packed, end]);
}

const relations = (target: string, kind: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/></Relationships>`;

export const sheetBegins =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>';
export const sheetEnds = '</sheetData></worksheet>';

/** An .xlsx with one sheet, named as the table of Bank Rate is. */
export const workbookOf = (sheet: ZipEntry): Buffer =>
  zipOf([
    entryOf(
      '[Content_Types].xml',
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    ),
    entryOf('_rels/.rels', relations('xl/workbook.xml', 'officeDocument')),
    entryOf(
      'xl/workbook.xml',
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="HISTORICAL SINCE 1694" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ),
    entryOf('xl/_rels/workbook.xml.rels', relations('worksheets/sheet1.xml', 'worksheet')),
    sheet,
  ]);

/** An .ods whose sheets are that XML. */
export const openDocumentOf = (tables: string): Buffer =>
  zipOf([
    entryOf('mimetype', 'application/vnd.oasis.opendocument.spreadsheet'),
    entryOf(
      'META-INF/manifest.xml',
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
    ),
    entryOf('styles.xml', '<office:document-styles/>'),
    entryOf(
      'content.xml',
      `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    ),
  ]);
