// The labelled sets once more where the list, the question or both have no commas. Labels that rest on a comma (a text that
// is the line itself but for commas) do not count.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endings, learnEndings } from '../../../src/uk/address/lines.ts';
import { matchAddress } from '../../../src/uk/address/match.ts';
import { type Pair, readSet, refusals } from './sets.ts';

/** Percent of the answerable that are found at least: list with commas, then without; text as it is, then without commas.
 *  Many texts leave out what only a comma tells, such as where a house name ends; those are refused. */
const sets: Readonly<Record<string, readonly [number, number, number, number]>> = {
  gold: [99, 98, 97, 97],
  'held-out': [98, 97, 97, 96],
  'held-out-2': [98, 98, 94, 94],
  'held-out-3': [99, 98, 85, 85],
  'held-out-4': [100, 98, 98, 96],
  'held-out-5': [94, 94, 94, 94],
  'held-out-6': [100, 100, 94, 94],
};

const withoutPostcode = (text: string, { postcode }: Pair) =>
  text.endsWith(`, ${postcode}`) ? text.slice(0, -postcode.length - 2) : text;
const withoutCommas = (text: string) => text.replaceAll(',', '');
const letters = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

const commas = ['with', 'without'] as const;
type Commas = (typeof commas)[number];

function mark(pairs: readonly Pair[], listCommas: Commas, textCommas: Commas, endings: Endings) {
  let [answerable, found] = [0, 0];
  const wrong: string[] = [];
  for (const pair of pairs) {
    const lines = pair.candidates.map((line) => withoutPostcode(line, pair));
    const list = listCommas === 'without' ? lines.map(withoutCommas) : lines;
    const text = textCommas === 'without' ? withoutCommas(pair.input) : pair.input;
    const wanted = refusals.includes(pair.expected)
      ? -1
      : lines.indexOf(withoutPostcode(pair.expected, pair));
    const match = matchAddress(text, pair.postcode, list, endings);
    const index = match.kind === 'matched' ? match.index : -1;
    if (wanted !== -1) answerable += 1;
    if (index === -1) continue;
    if (index === wanted) found += 1;
    else if (!letters(list[index] ?? '').startsWith(letters(text))) wrong.push(`"${text}" → ${list[index]}`);
  }
  return { answerable, found, wrong };
}

/** As if all sets were one council's list. */
const endings = learnEndings(
  new Set(
    Object.keys(sets).flatMap((name) =>
      readSet(name).flatMap((pair) =>
        pair.candidates.map((line) => withoutCommas(withoutPostcode(line, pair))),
      ),
    ),
  ),
);

for (const [name, least] of Object.entries(sets)) {
  test(`${name}, with commas and without: no wrong match`, () => {
    const pairs = readSet(name);
    for (const [at, percent] of least.entries()) {
      const { answerable, found, wrong } = mark(
        pairs,
        commas[at >> 1] ?? 'with',
        commas[at % 2] ?? 'with',
        endings,
      );
      assert.deepEqual(wrong, []);
      assert.ok(found >= (percent / 100) * answerable, `style ${at}: ${found} of ${answerable}`);
    }
  });
}

test('the listed addresses of the gold set are found by their full text in every style, with town and without', () => {
  const lists = new Map(readSet('gold').map((pair) => [pair.group, pair]));
  for (const listCommas of commas) {
    for (const textCommas of commas) {
      for (const town of ['with', 'without']) {
        let [asked, found] = [0, 0];
        for (const pair of lists.values()) {
          const lines = pair.candidates.map((line) => withoutPostcode(line, pair));
          const list = listCommas === 'without' ? lines.map(withoutCommas) : lines;
          for (const [index, line] of lines.entries()) {
            if (lines.indexOf(line) !== lines.lastIndexOf(line)) continue;
            const told = town === 'without' ? line.replace(/, [^,]*$/, '') : line;
            const text = textCommas === 'without' ? withoutCommas(told) : told;
            const match = matchAddress(text.toLowerCase(), pair.postcode, list, endings);
            asked += 1;
            if (match.kind !== 'matched') continue;
            assert.equal(list[match.index], list[index], text);
            found += 1;
          }
        }
        const style = `list ${listCommas} commas, asked ${textCommas} commas, ${town} town`;
        assert.ok(found >= 0.99 * asked, `${style}: ${found} of ${asked}`);
      }
    }
  }
});
