// Search among authorities, against a naive implementation; joins by name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Authorities, type Authority } from '../../../src/tables/council-tax/authorities.ts';
import { foldName } from '../../../src/uk/place-name.ts';

const authority = (code: string, name: string, more: Partial<Authority> = {}): Authority => ({
  code,
  name,
  fullName: `${name} Council`,
  nation: code.startsWith('W') ? 'Wales' : code.startsWith('S') ? 'Scotland' : 'England',
  category: code.startsWith('W') ? 'Welsh principal area' : 'Unitary authority',
  websiteUrl: null,
  eCode: null,
  formerCodes: [],
  dwellings: null,
  ...more,
});

const list = [
  authority('E06000001', 'Ash'),
  authority('E06000002', 'Ashby-on-Sea', { eCode: 'E0001' }),
  authority('E06000003', 'Great Ash & Elm'),
  authority('E06000004', 'Washford'),
  authority('E06000005', 'St. Olave’s'),
  authority('E06000006', 'Kingston, City of', { formerCodes: ['E06000099'] }),
  authority('E06000007', 'Elm'),
  authority('W06000001', 'Ynys Fôr'),
  authority('W06000002', 'Ash'),
  authority('S12000001', 'City of Elmburgh', { fullName: 'The City of Elmburgh Council' }),
  authority('S12000002', 'Elm Islands'),
];
const table = new Authorities(list, [
  { code: 'E07000001', name: 'Old Ash', eCode: 'E0002', abolishedDay: 0, successors: ['E06000001'] },
]);
const codes = (text: string, more = {}) =>
  table.search({ text, limit: 100, ...more }).map(({ code }) => code);

test('exact code, exact name, beginning of a word, anywhere: in this order', () => {
  assert.deepEqual(codes('ash'), ['E06000001', 'W06000002', 'E06000002', 'E06000003', 'E06000004']);
  assert.deepEqual(codes('e06000003'), ['E06000003']);
  assert.deepEqual(codes('E0600000').length, 7);
  assert.deepEqual(codes('elm'), ['E06000007', 'S12000002', 'E06000003', 'S12000001']);
  assert.deepEqual(codes('000001'), ['E06000001', 'S12000001', 'W06000001']);
});

test('case, accents, hyphens, Saint and & do not matter', () => {
  for (const text of ['YNYS FOR', 'ynys-fôr', 'Ynys Fôr council'])
    assert.deepEqual(codes(text), ['W06000001'], text);
  for (const text of ['Saint Olaves', "st olave's", 'ST.  OLAVE’S', 'saint-olave']) {
    assert.deepEqual(codes(text), ['E06000005'], text);
  }
  for (const text of ['ash and elm', 'ASH & ELM', 'ash&elm'])
    assert.deepEqual(codes(text), ['E06000003'], text);
  assert.deepEqual(codes('ashby on sea'), ['E06000002']);
  assert.deepEqual(codes('kingston city of'), ['E06000006']);
});

test('signs of other languages of search mean themselves, so they find nothing', () => {
  for (const text of ['%', '_', '*', '.', 'a%', '.*', '-', ',', "'", '[a-z]', '\\'])
    assert.deepEqual(codes(text), [], text);
});

test('nation and category narrow in any case, an unknown word gives nothing, blank text gives all by name', () => {
  assert.deepEqual(codes('ash', { nation: 'WALES' }), ['W06000002']);
  assert.deepEqual(codes('', { category: 'welsh PRINCIPAL area' }), ['W06000002', 'W06000001']);
  assert.deepEqual(codes('', { nation: 'Ireland' }), []);
  assert.deepEqual(codes('', { category: 'council' }), []);
  assert.deepEqual(codes('   ').length, list.length);
  assert.deepEqual(codes('').slice(0, 2), ['E06000001', 'W06000002']);
});

test('a former code finds the authority, an abolished one does not', () => {
  assert.deepEqual(codes('E06000099'), ['E06000006']);
  assert.equal(table.find('e06000099')?.code, 'E06000006');
  assert.equal(table.find('E07000001'), undefined);
  assert.deepEqual(table.findAbolished('e07000001')?.successors, ['E06000001']);
  assert.equal(table.isAbolishedEcode('E0002'), true);
  assert.equal(table.findByEcode('E0001')?.name, 'Ashby-on-Sea');
});

test('names of publishers join: words added or left out, spaces, &; never across nations', () => {
  assert.equal(table.findByName('Scotland', 'Elmburgh, City of')?.code, 'S12000001');
  assert.equal(table.findByName('Scotland', ' Elm  Islands ')?.code, 'S12000002');
  assert.equal(table.findByName('Wales', 'Ash')?.code, 'W06000002');
  assert.equal(table.findByName('Wales', 'Washford'), undefined);
});

/** As the documentation says it, word for word. */
function naiveSearch(text: string, limit: number): readonly string[] {
  const wanted = foldName(text);
  const rankOf = ({ code, name, fullName, formerCodes }: Authority) => {
    const known = [code, ...formerCodes].map((each) => each.toLowerCase());
    const texts = [foldName(name), foldName(fullName), ...known];
    if (known.some((each) => each === wanted)) return 1;
    if (foldName(name) === wanted || foldName(fullName) === wanted) return 2;
    if (texts.some((each) => each.startsWith(wanted) || each.includes(` ${wanted}`))) return 3;
    return texts.some((each) => each.includes(wanted)) ? 4 : 9;
  };
  const sortKey = (one: Authority) => `${rankOf(one)} ${foldName(one.fullName)}\u0000${one.code}`;
  if (wanted === '' && text.trim() !== '') return [];
  return list
    .filter((one) => rankOf(one) < 9)
    .sort((a, b) => (wanted === '' ? 0 : sortKey(a) < sortKey(b) ? -1 : 1))
    .slice(0, limit)
    .map(({ code }) => code);
}

test('any fragment gives what a naive search gives', () => {
  const fragment = fc.oneof(
    fc
      .constantFrom(...list.flatMap(({ name, fullName, code }) => [name, fullName, code]))
      .chain((text) =>
        fc
          .tuple(fc.nat(text.length), fc.nat(text.length))
          .map(([a, b]) => text.slice(Math.min(a, b), Math.max(a, b))),
      ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fragment, fc.integer({ min: 1, max: 12 }), (text, limit) => {
      if (foldName(text) === '') return;
      assert.deepEqual(
        table.search({ text, limit }).map(({ code }) => code),
        naiveSearch(text, limit),
      );
    }),
    { numRuns: 500 },
  );
});
