// A table's value keeps encoder and reader to what it says: names, types, lengths, and where numbers may point.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  codes,
  counts,
  exactly,
  f64,
  inTurn,
  into,
  intoOrAfter,
  intoOrZero,
  intoPart,
  oneOf,
  orNone,
  rising,
  starts,
  strings,
  times,
  u8,
  u16,
  u32,
} from '../../src/release/column.ts';
import { type Columns, encodePart, Part, PartFault } from '../../src/release/part.ts';
import { table, UnsoundColumns, type Values } from '../../src/release/table.ts';

const kinds = ['tube', 'rail'];

const stations = table({
  part: 'stations',
  origin: { dataset: 'stops', layout: 1 },
  about: 'Made up.',
  columns: {
    number: u32('station', 'number of the station', rising),
    kind: u8('station', 'what runs there', oneOf(kinds)),
    name: strings('station', 'name'),
    line: codes('station', 'its line', intoOrAfter('line')),
    lines: strings('line', 'names of lines'),
    'first-call': starts('station', 'call'),
    call: u16('call', 'line that calls', intoOrZero('line')),
    corners: u32(times('station', 2), 'two corners'),
    note: f64(orNone('station'), 'note of each'),
    reach: u32(exactly(1), 'one value'),
  },
});

const sound = {
  number: Uint32Array.of(3, 5, 9),
  kind: Uint8Array.of(0, 1, 1),
  name: ['Aldgate', 'Bath Spa', 'Crewe'],
  line: Uint16Array.of(0, 1, 2),
  lines: ['Circle', 'Western'],
  'first-call': Uint32Array.of(0, 1, 1, 3),
  call: Uint16Array.of(0, 2, 1),
  corners: Uint32Array.of(1, 2, 3, 4, 5, 6),
  note: new Float64Array(0),
  reach: Uint32Array.of(3000),
};

const opened = (columns: Columns) => Part.open(new Uint8Array(encodePart(columns)).buffer);
const fault = (problem: string) => (error: unknown) =>
  error instanceof PartFault && error.message === problem;

test('what was encoded is read back, each column with its own type', () => {
  const views = stations.read(opened(stations.encode(sound)));
  assert.deepEqual(views.number, sound.number);
  assert.deepEqual(views.kind, sound.kind);
  assert.deepEqual(views.name.list(), sound.name);
  assert.deepEqual(views.line, sound.line);
  assert.deepEqual(views['first-call'], sound['first-call']);
  assert.equal(views.note.length, 0);
  const wide = stations.read(opened(stations.encode({ ...sound, line: Uint32Array.of(0, 1, 2) })));
  assert.deepEqual(wide.line, Uint32Array.of(0, 1, 2));
});

test('a column that is missing, too many or of another type does not compile, nor is it written', () => {
  const { reach: _, ...less } = sound;
  // @ts-expect-error reach is missing
  assert.throws(() => stations.encode(less), UnsoundColumns);
  const more = { ...sound, height: Uint8Array.of(1) };
  const wider: Values<(typeof stations)['columns']> = more;
  assert.throws(() => stations.encode(wider), /it has no column height/);
  // @ts-expect-error Uint16Array is not Uint8Array
  stations.encode({ ...sound, kind: Uint16Array.of(0, 1, 1) });
  // @ts-expect-error no such column
  stations.read(opened(stations.encode(sound))).height;
});

const unsound: readonly (readonly [problem: string, change: Partial<typeof sound>])[] = [
  ['its column kind has 2 values instead of 3', { kind: Uint8Array.of(0, 1) }],
  ['its column corners has 5 values instead of 6', { corners: new Uint32Array(5) }],
  ['its column note has 2 values instead of 3', { note: new Float64Array(2) }],
  ['its column reach has 0 values instead of 1', { reach: new Uint32Array(0) }],
  ['its column first-call has 3 values instead of 4', { 'first-call': Uint32Array.of(0, 1, 3) }],
  ['its column kind points with 2 into a list of 2', { kind: Uint8Array.of(0, 1, 2) }],
  ['its column line points with 3 into 2 of line', { line: Uint16Array.of(0, 3, 2) }],
  ['its column call points with 3 into 2 of line', { call: Uint16Array.of(0, 3, 1) }],
  ['its column number is not in order: 5 after 5', { number: Uint32Array.of(3, 5, 5) }],
  ['its column first-call is not in order: 1 after 2', { 'first-call': Uint32Array.of(0, 2, 1, 3) }],
  ['its column first-call ends with 2 instead of 3', { 'first-call': Uint32Array.of(0, 1, 1, 2) }],
  ['its column first-call does not begin with 0', { 'first-call': Uint32Array.of(1, 1, 1, 3) }],
];

for (const [problem, change] of unsound) {
  test(`an encoder is stopped: ${problem}`, () => {
    assert.throws(
      () => stations.encode({ ...sound, ...change }),
      (error: unknown) => error instanceof UnsoundColumns && error.message.includes(problem),
    );
  });
  test(`a part is found unsound: ${problem}`, () => {
    assert.throws(() => stations.prove(opened({ ...sound, ...change })), fault(problem));
  });
}

test('lengths are looked at whenever a part is opened, values only when it is proved', () => {
  assert.throws(
    () => stations.read(opened({ ...sound, kind: Uint8Array.of(0, 1) })),
    fault('its column kind has 2 values instead of 3'),
  );
  stations.read(opened({ ...sound, kind: Uint8Array.of(0, 1, 7) }));
});

test('where starts begin and end is looked at whenever a part is opened: a shorter index would hide rows', () => {
  const months = table({
    part: 'months',
    origin: { dataset: 'crime', layout: 1 },
    about: 'Made up.',
    columns: { first: starts('point', 'incident'), force: u8('incident', 'force') },
  });
  const force = Uint8Array.of(1, 1, 4);
  months.read(opened({ first: Uint32Array.of(0, 2, 3), force }));
  assert.throws(
    () => months.read(opened({ first: Uint32Array.of(0, 2), force })),
    fault('its column first ends with 2 instead of 3'),
  );
  assert.throws(
    () => months.read(opened({ first: Uint32Array.of(1, 3), force })),
    fault('its column first does not begin with 0'),
  );
});

test('a part that lacks a column, or has another type of it, is damaged', () => {
  const { reach: _, ...less } = sound;
  assert.throws(() => stations.read(opened(less)), fault('it has no column reach'));
  assert.throws(
    () => stations.read(opened({ ...sound, kind: Uint16Array.of(0, 1, 1) })),
    fault('its column kind is of type u16, not u8'),
  );
});

test('several tables share a part under prefixes, each with rows of its own', () => {
  const month = (prefix: string) =>
    table({
      part: 'months',
      prefix,
      origin: { dataset: 'crime', layout: 1 },
      about: 'Made up.',
      columns: { first: starts('point', 'incident'), force: u8('incident', 'force'), total: counts('force') },
    });
  const may = { first: Uint32Array.of(0, 2), force: Uint8Array.of(1, 1), total: Uint32Array.of(1) };
  const june = { first: Uint32Array.of(0, 0, 1), force: Uint8Array.of(4), total: Uint32Array.of(7) };
  const part = opened({ ...month('2026-05').encode(may), ...month('2026-06').encode(june) });
  assert.deepEqual(part.find('2026-06 first')?.length, 3);
  assert.deepEqual(month('2026-05').read(part), may);
  assert.deepEqual(month('2026-06').read(part), june);
});

test('a size may be stated instead of measured', () => {
  const parks = table({
    part: 'parks',
    origin: { derivedVersion: 1 },
    about: 'Made up.',
    columns: { park: u32('node', 'park of the node', into('park')), count: counts('park') },
  });
  parks.encode({ park: Uint32Array.of(0, 1), count: Uint32Array.of(2) });
  assert.throws(
    () => parks.encode({ park: Uint32Array.of(0, 2), count: Uint32Array.of(2) }),
    /its column park points with 2 into 2 of park/,
  );
});

test('of rows of several numbers each points where it should, and into other parts where those are at hand', () => {
  const places = table({
    part: 'places',
    origin: { derivedVersion: 1 },
    about: 'Made up.',
    columns: {
      place: u32(times('place', 2), 'street and list', inTurn(into('street'), intoPart('lists', 'list'))),
      street: strings('street', 'name'),
    },
  });
  const given = { place: Uint32Array.of(1, 5, 0, 6), street: ['Mill Lane', 'Low Road'] };
  const part = opened(places.encode(given));
  places.prove(part, () => 7);
  assert.throws(() => places.prove(part, () => 6), fault('its column place points with 6 into 6 of list'));
  assert.throws(
    () => places.encode({ ...given, place: Uint32Array.of(2, 5) }),
    /its column place points with 2 into 2 of street/,
  );
});

test('a table whose sizes nothing tells is refused when the program starts', () => {
  assert.throws(
    () =>
      table({
        part: 'parks',
        origin: { derivedVersion: 1 },
        about: 'Made up.',
        columns: { park: u32('node', 'park of the node', into('park')) },
      }),
    /No column of parks tells how many of park there are; park needs it/,
  );
});
