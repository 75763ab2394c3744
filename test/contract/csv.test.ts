// Tables for callers: whatever the texts hold, a reader of RFC 4180 gets them back, and a spreadsheet no formula.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tableOf, writeCsv } from '../../src/contract/csv.ts';
import { integer, list, nullable, object, optional, record, string } from '../../src/contract/shape.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';

const read = (csv: string) => firstRows(Buffer.from(csv), Number.POSITIVE_INFINITY, 'utf-8');
const signs = ['=', '-', '+', '@', '＝', '－', '＋', '＠', '﹦', '\u2212'];
const unseen = [
  ' ',
  '\t',
  '\r',
  '\n',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u2003',
  '\u3000',
  '\u00ad',
  '\ufe0f',
  '\u3164',
];
const text = fc.string({ unit: fc.constantFrom('a', 'ŵ', ',', '"', '1', ...signs, ...unseen) });
const isFormula = (field: string): boolean => {
  const seen = [...field].find((character) => !unseen.includes(character));
  return /^[\t\r\n]/.test(field) || (seen !== undefined && signs.includes(seen));
};

test('fields come back as they were, but for the apostrophe before what begins like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, fc.integer())), (rows) => {
      const [titles, ...fields] = read(writeCsv(['one', 'two', 'three'], rows));
      assert.deepEqual(titles, ['one', 'two', 'three']);
      assert.deepEqual(
        fields,
        rows.map((row) =>
          row.map((field) => (typeof field === 'string' && isFormula(field) ? `'${field}` : String(field))),
        ),
      );
    }),
  );
});

test('a line ends with CR LF, an unknown is empty, and a negative number stays a number', () => {
  assert.equal(
    writeCsv(['a', 'b', 'c', 'd'], [['=1+1', null, -1.29, 'x, "y"']]),
    `a,b,c,d\r\n'=1+1,,-1.29,"x, ""y"""\r\n`,
  );
  assert.equal(writeCsv(['a'], []), 'a\r\n');
});

test('columns are paths in the JSON; an object that may be null is spread, a list or a keyed object is one column with its JSON', () => {
  const place = object('Place', {
    ward: nullable(object('Ward', { code: string(), name: nullable(string()) })),
    kind: optional(object('Kind', { total: integer() })),
    names: list(string()),
    byMonth: record(integer()),
    note: optional(nullable(string())),
  });
  const { tables, write } = tableOf(object('Places', { total: integer(), places: list(place) }), 'places');
  assert.deepEqual(tables, [
    { columns: ['ward.code', 'ward.name', 'kind.total', 'names', 'byMonth', 'note'] },
  ]);
  const places = [
    { ward: { code: 'E1', name: null }, kind: { total: 2 }, names: ['a', '=b'], byMonth: { '2026-01': 3 } },
    { ward: null, names: [], byMonth: {}, note: '=1' },
  ];
  assert.equal(
    write({ total: 2, places }),
    `ward.code,ward.name,kind.total,names,byMonth,note\r\nE1,,2,"[""a"",""=b""]","{""2026-01"":3}",\r\n,,,[],{},'=1\r\n`,
  );
});

test('without a list the answer is the one row, and a list of texts is a column with its name', () => {
  const shape = object('Streets', { postcode: string(), streets: list(string()) });
  const value = { postcode: 'ZZ1 1AA', streets: ['High Street', 'Last Lane'] };
  assert.equal(
    tableOf(shape, undefined).write(value),
    'postcode,streets\r\nZZ1 1AA,"[""High Street"",""Last Lane""]"\r\n',
  );
  assert.equal(tableOf(shape, 'streets').write(value), 'streets\r\nHigh Street\r\nLast Lane\r\n');
  assert.throws(() => tableOf(shape, 'postcode'), /Streets has no list postcode/);
});
