// The CSV reader against a naive one, whatever the chunks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CsvEncoding, CsvReader, firstRows } from '../../../src/ingest/read/csv.ts';

type Row = { line: number; cells: string[] };

function read(chunks: readonly Uint8Array[], encoding: CsvEncoding = 'utf-8'): Row[] {
  const rows: Row[] = [];
  const reader = new CsvReader({ file: 'a.csv', encoding }, (row) =>
    rows.push({ line: row.line, cells: row.texts() }),
  );
  for (const chunk of chunks) {
    reader.push(chunk);
    // The reader may not rely on the memory of a chunk after it was pushed.
    chunk.fill(0x22);
  }
  reader.finish();
  return rows;
}

const cellsOf = (text: string) => read([Buffer.from(text)]).map(({ cells }) => cells);

/** Character by character, as the rules are told; slow and plain. */
function readPlainly(text: string): Row[] {
  const rows: Row[] = [];
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let isEmptyLine = true;
  const endRow = () => {
    if (state !== 'closed' && cell.endsWith('\r')) cell = cell.slice(0, -1);
    cells.push(cell);
    if (!isEmptyLine) rows.push({ line: start, cells });
    cells = [];
    cell = '';
    state = 'start';
    isEmptyLine = true;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const isReturnBeforeEnd = char === '\r' && (at + 1 === text.length || text[at + 1] === '\n');
    if (state === 'quoted') {
      if (char === '\n') line += 1;
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else state = 'closed';
      continue;
    }
    if (char === '\n') {
      endRow();
      line += 1;
      start = line;
      continue;
    }
    if (!isReturnBeforeEnd || cells.length > 0 || cell !== '' || state === 'closed') isEmptyLine = false;
    if (char === ',') {
      cells.push(cell);
      cell = '';
      state = 'start';
    } else if (state === 'start' && char === '"') state = 'quoted';
    else if (state === 'closed' && isReturnBeforeEnd) continue;
    else {
      cell += char;
      state = 'plain';
    }
  }
  if (!isEmptyLine) endRow();
  return rows;
}

const plainCell = fc.string({ unit: fc.constantFrom('a', 'é', '€', '7', ' ', '\t', '\r'), maxLength: 4 });
const quotedCell = fc
  .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ô', '𝄞'), maxLength: 6 })
  .map((text) => `"${text.replaceAll('"', '""')}"`);
const csvText = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.array(fc.oneof(plainCell, quotedCell), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n'),
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('', 'last', 'x,"y"', '\r', 'a,'),
  )
  .map(([lines, end]) => lines.map(([cells, lineEnd]) => cells.join(',') + lineEnd).join('') + end);

test('rows, cells and line numbers equal those of a plain reader, however the bytes are cut', () => {
  fc.assert(
    fc.property(csvText, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => Buffer.from(bytes.subarray(places[index], end)));
      assert.deepEqual(read(chunks), readPlainly(text));
      assert.deepEqual(read(Array.from(bytes, (byte) => Buffer.of(byte))), readPlainly(text));
    }),
    { numRuns: 2000 },
  );
});

test('quotes, doubled quotes, line breaks within quotes, CRLF, LF, none at the end', () => {
  assert.deepEqual(read([Buffer.from('a,"b ""c"", d"\r\n"x\ny",\n\nlast')]), [
    { line: 1, cells: ['a', 'b "c", d'] },
    { line: 2, cells: ['x\ny', ''] },
    { line: 5, cells: ['last'] },
  ]);
});

test('a quote inside an unquoted field is an ordinary character', () => {
  assert.deepEqual(cellsOf('5" pipe,b\n'), [['5" pipe', 'b']]);
});

test('a byte order mark is skipped, also when it is cut in two', () => {
  const bytes = Buffer.from('\ufeffdate,rate\n');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const rows = read([Buffer.from(bytes.subarray(0, cut)), Buffer.from(bytes.subarray(cut))]);
    assert.deepEqual(rows, [{ line: 1, cells: ['date', 'rate'] }]);
  }
});

test('a field beyond the row is empty', () => {
  new CsvReader({ file: 'a.csv', encoding: 'utf-8' }, (row) => {
    assert.equal(row.text(5), '');
    assert.equal(row.start(5), row.end(5));
  }).push(Buffer.from('a\n'));
});

test('more fields than expected are all there', () => {
  const cells = Array.from({ length: 1000 }, (_, index) => String(index));
  assert.deepEqual(cellsOf(`${cells.join(',')}\n`), [cells]);
});

test('an unclosed quote is refused with the line of its row', () => {
  assert.throws(() => read([Buffer.from('a\nb,"c\nd\n')]), {
    message: 'a.csv: line 2 has a quote that is never closed; is the file cut off?',
  });
});

test('an unclosed quote does not take all memory', () => {
  const reader = new CsvReader({ file: 'a.csv', encoding: 'utf-8' }, () => {});
  reader.push(Buffer.from('a\n"'));
  assert.throws(() => {
    for (let index = 0; index < 40; index += 1) reader.push(Buffer.alloc(65_536, 'x\n'));
  }, /^FileRefused: a\.csv: line 2 begins a row of more than 1 MB/);
});

test('text after a closing quote is refused with its line', () => {
  assert.throws(() => read([Buffer.from('a\n"b"c,d\n')]), {
    message: 'a.csv: line 2 has text after a closing quote',
  });
});

test('bytes that are not UTF-8 are refused with their line; cp1252 is a choice of the source', () => {
  const bytes = () => Buffer.concat([Buffer.from('caf\u00e9\nprice \u00a3'), Buffer.of(0xa3, 0x0a)]);
  assert.throws(() => read([bytes()]), {
    message: 'a.csv: line 2 is not UTF-8; the file was saved in another encoding',
  });
  assert.deepEqual(read([Buffer.of(0xa3, 0x35, 0x2c, 0x80, 0x0a)], 'cp1252'), [
    { line: 1, cells: ['£5', '€'] },
  ]);
});

test('firstRows gives what it can of a beginning that is cut off', () => {
  assert.deepEqual(firstRows(Buffer.from('a,b\n1,"2'), 3, 'utf-8'), [['a', 'b']]);
  assert.deepEqual(firstRows(Buffer.from('a,b'), 3, 'utf-8'), [['a', 'b']]);
  assert.deepEqual(firstRows(Buffer.alloc(0), 3, 'utf-8'), []);
});
