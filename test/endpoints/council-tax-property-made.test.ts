// Never the wrong home, end to end: made lists are loaded, with commas and without, and the endpoint is asked.
// bench/addresses/pairs.ts asks 40,000, with another seed each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askTrials, openMade } from './made-lists.ts';

test('homes that differ from the listed ones in one thing are not found, and listed ones are', async () => {
  const { differing, wrong, found } = await askTrials(15, 1000);
  assert.deepEqual(wrong, []);
  assert.ok(differing > 400);
  const sums = [...found].filter(([style]) => !style.includes('asked anywhere')).map(([, sum]) => sum);
  const asked = sums.reduce((sum, each) => sum + each.asked, 0);
  const hits = sums.reduce((sum, each) => sum + each.found, 0);
  assert.ok(hits >= 0.97 * asked, `${hits} of ${asked}`);
});

type Case = { readonly list: readonly string[]; readonly asked: string; readonly found?: string };

const otherThings =
  'FLOOR LEVEL ATTIC OFFICE STORE KIOSK GARAGE ROOM SHOP STUDIO,PARKING SPACE,STORAGE LOCKER,CAR PARK'.split(
    ',',
  );
const qualifiers = 'WARDENS STAFF NEW OLD CARETAKERS PORTERS ZORBS'.split(' ');

const kinds = [...(otherThings[0] ?? '').split(' '), ...otherThings.slice(1)];
const cases: readonly Case[] = [
  ...[...kinds, ...qualifiers.map((word) => `${word} FLAT`)].flatMap((unit): Case[] => [
    { list: [`${unit} 2, 5 QUICKS ROAD, LEEDS`], asked: 'Flat 2, 5 Quicks Road' },
    { list: ['FLAT 2, 5 QUICKS ROAD, LEEDS'], asked: `${unit} 2, 5 Quicks Road` },
    { list: [`${unit} 2, HERON COURT, LEEDS`], asked: '2 Heron Court' },
    { list: [`${unit}, 5 QUICKS ROAD, LEEDS`], asked: '5 Quicks Road' },
    { list: [`5 QUICKS ROAD, ${unit}, LEEDS`], asked: '5 Quicks Road' },
    { list: ['5 QUICKS ROAD, LEEDS'], asked: `5 Quicks Road, ${unit}` },
  ]),
  { list: ['FLAT 1, RHYDFACH, ROSEBUSH', 'RHYDFACH, ROSEBUSH'], asked: 'Rhydfach, 1, Rosebush' },
  { list: ['FLAT 1, RHYDFACH, ROSEBUSH'], asked: 'Rhydfach 1 Rosebush' },
  { list: ['FLAT 3 HIGH STREET NEWPORT'], asked: '3 High Street Newport' },
  { list: ['3 HIGH STREET NEWPORT'], asked: 'Flat 3 High Street Newport' },
  {
    list: ['FLAT 3, THE MOORINGS, LEEDS', 'UNIT 3, THE MOORINGS, LEEDS'],
    asked: 'Unit 3, The Moorings',
    found: 'UNIT 3, THE MOORINGS, LEEDS',
  },
  { list: ['FLAT 4, THE MOORINGS, LEEDS', 'UNIT 3, THE MOORINGS, LEEDS'], asked: 'Flat 3, The Moorings' },
  {
    list: ['UNIT 3, THE MOORINGS, LEEDS'],
    asked: 'Apt 3, The Moorings',
    found: 'UNIT 3, THE MOORINGS, LEEDS',
  },
  { list: ['28-30 WALDECK STREET, LEEDS', '34 WALDECK STREET, LEEDS'], asked: '30 Waldeck Street' },
  { list: ['12 MILL ROAD LEEDS', '14 MILL ROAD LEEDS'], asked: '12 Mill Road', found: '12 MILL ROAD LEEDS' },
  { list: ['12 MILL ROAD LEEDS'], asked: '12 Mill Road Leeds Leeds', found: '12 MILL ROAD LEEDS' },
  { list: ['12 MILL ROAD LEEDS'], asked: '12 Mill Road, Armley, Leeds', found: '12 MILL ROAD LEEDS' },
  { list: ['12 MILL ROAD, LEEDS'], asked: '12 mill road armley leeds', found: '12 MILL ROAD, LEEDS' },
  { list: ['12 MILL ROAD NORTH LEEDS'], asked: '12 Mill Road' },
  {
    list: ['FLAT 3, PRATT LTD HOUSE, LEEDS'],
    asked: 'Flat 3 Pratt Ltd House Leeds',
    found: 'FLAT 3, PRATT LTD HOUSE, LEEDS',
  },
  {
    list: ['FLAT 3, PRATT LTD HOUSE, LEEDS'],
    asked: 'Flat 3, Pratt House',
    found: 'FLAT 3, PRATT LTD HOUSE, LEEDS',
  },
];

test('units of other kinds, houses beside flats and numbers of ranges are refused with suggestions', async () => {
  const letters = 'ABDEFGHJLNPQRSTUWXYZ';
  const places = cases.map(({ list }, at) => ({
    postcode: `LS1 ${Math.floor(at / 400)}${letters[Math.floor(at / 20) % 20]}${letters[at % 20]}`,
    commas: 'with' as const,
    list,
  }));
  const made = await openMade(places);
  try {
    for (const [at, { list, asked, found }] of cases.entries()) {
      const answer = await made.ask(places[at]?.postcode ?? '', asked);
      const label = `${asked} in ${list.join('; ')}`;
      if (found !== undefined) assert.deepEqual(answer, { kind: 'found', address: found }, label);
      else {
        assert.equal(answer.kind === 'refused' && answer.code, 'PROPERTY_NOT_FOUND', label);
        assert.ok(
          answer.kind === 'refused' && answer.suggestions.some((line) => line.startsWith(list[0] ?? '')),
          label,
        );
      }
    }
  } finally {
    await made.close();
  }
});
