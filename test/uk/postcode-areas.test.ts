// What letters tell of a postcode, against the directory of Ordnance Survey.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { isBorderArea, isPostcodeArea, nationOfArea } from '../../src/uk/postcode-areas.ts';
import { realFile, testWith } from '../requirements.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const everyPair = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];

test('there are 124 areas, and ZZ is none of them', () => {
  assert.equal(everyPair.filter(isPostcodeArea).length, 124);
  assert.equal(isPostcodeArea('ZZ'), false);
  assert.deepEqual(['BT', 'JE', 'GY', 'IM', 'EH', 'SW', 'TD', 'QQ'].map(nationOfArea), [
    'Northern Ireland',
    'Channel Islands',
    'Channel Islands',
    'Isle of Man',
    'Scotland',
    undefined,
    undefined,
    undefined,
  ]);
});

testWith(
  realFile('data/codepoint_open/codepo_gb_2025.4_all.csv.gz'),
  'every postcode of Great Britain lies where its letters say',
  (file) => {
    const nations = new Map<string, Set<string>>();
    for (const line of gunzipSync(readFileSync(file)).toString('latin1').split('\n')) {
      const [, area, country] = /^"([A-Z]+)[^"]*",.*?"([EWS])92\d{6}"/.exec(line) ?? [];
      if (area === undefined || country === undefined) continue;
      nations.set(area, (nations.get(area) ?? new Set()).add(country));
    }
    assert.equal(nations.size, 120);
    for (const area of everyPair) {
      const found = nations.get(area);
      const outside = nationOfArea(area) !== undefined && nationOfArea(area) !== 'Scotland';
      assert.equal(isPostcodeArea(area), found !== undefined || outside, area);
      if (found === undefined) continue;
      assert.equal(nationOfArea(area) === 'Scotland', found.has('S') && found.size === 1, area);
      assert.equal(isBorderArea(area), found.has('S') && found.size > 1, area);
    }
  },
);
