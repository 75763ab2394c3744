// Workbooks: sheets by name, cells by value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utils, write } from '@e965/xlsx';
import { makeZip } from '../../../scripts/make-zip.ts';
import { readOutline, readSheet } from '../../../src/ingest/read/workbook.ts';

const kinds = ['xls', 'xlsx', 'ods'] as const;

function workbook(kind: (typeof kinds)[number]): Buffer {
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet([
    ['Name', 'Amount', 'Day'],
    ['Zedbury', 2217.39, undefined],
    ['', 0],
  ]);
  sheet.C2 = { t: 'n', v: 46009, z: 'dd/mm/yyyy' };
  sheet['!ref'] = 'A1:C3';
  utils.book_append_sheet(book, utils.aoa_to_sheet([['cover']]), 'Cover');
  utils.book_append_sheet(book, sheet, 'Data Billing');
  return write(book, { type: 'buffer', bookType: kind });
}

for (const kind of kinds) {
  test(`${kind}: a sheet by name, cells as typed values`, async () => {
    const bytes = workbook(kind);
    const outline = await readOutline('a', bytes);
    assert.deepEqual(outline.sheetNames, ['Cover', 'Data Billing']);
    assert.deepEqual(outline.head('Data Billing')[0], ['Name', 'Amount', 'Day']);
    assert.deepEqual(outline.head('Nothing'), []);
    const sheet = await readSheet('a', bytes, 'Data Billing');
    assert.deepEqual(sheet.cell(1, 0), { kind: 'text', value: 'Zedbury' });
    assert.deepEqual(sheet.cell(1, 1), { kind: 'number', value: 2217.39 });
    assert.deepEqual(sheet.cell(1, 2), { kind: 'date', day: 20440 });
    assert.deepEqual(sheet.cell(2, 1), { kind: 'number', value: 0 });
    assert.equal(sheet.cell(2, 0), undefined);
    assert.equal(sheet.cell(99, 99), undefined);
    assert.deepEqual([sheet.lastRow, sheet.lastColumn], [2, 2]);
  });

  test(`${kind}: a missing sheet is refused, naming those there are`, async () => {
    await assert.rejects(readSheet('a.ods', workbook(kind), 'data billing'), {
      message: 'a.ods: has no sheet "data billing"; its sheets are "Cover", "Data Billing"',
    });
  });
}

test('ods: a format of numbers that the library cannot show is no concern of the operator', async (t) => {
  const said = t.mock.method(console, 'error', () => {});
  const space = (name: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`;
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<office:document-content ${space('office')} ${space('style')} ${space('table')} ${space('text')} xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" office:version="1.2">
<office:automatic-styles><number:number-style style:name="N1P0"><number:number number:decimal-places="2"/></number:number-style><number:number-style style:name="N1"><number:text>-</number:text><style:map style:condition="value()&gt;0" style:apply-style-name="N1P0"/></number:number-style><number:date-style style:name="N2"><number:quarter/></number:date-style></office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Data"><table:table-row><table:table-cell office:value-type="float" office:value="12.5"><text:p>12.50</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  const bytes = makeZip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'META-INF/manifest.xml':
      '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
    'styles.xml': '<?xml version="1.0"?><office:document-styles/>',
    'content.xml': content,
  });
  assert.deepEqual((await readOutline('a', bytes)).sheetNames, ['Data']);
  assert.deepEqual((await readSheet('a', bytes, 'Data')).cell(0, 0), { kind: 'number', value: 12.5 });
  assert.equal(said.mock.callCount(), 0);
});
