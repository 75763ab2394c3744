// What the explorer works out of months of crime, where a month that is missing never counts as zero; and its words for what is not
// known, which need no program.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { errorCodes, errors } from '../../src/errors.ts';
import { wordsFor } from '../../web/api/refusal-words.ts';
import { indexOf, kindsInOrder, monthsInWords, spanOf, yearChange } from '../../web/explore/crime/months.ts';
import { silenceOf } from '../../web/explore/silence.ts';

const monthAt = (at: number) => `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;
const first = fc.integer({ min: 12 * 2011, max: 12 * 2030 });
const counts = fc.array(fc.nat(5_000), { minLength: 24, maxLength: 24 });

const totalsOf = (from: number, values: readonly number[]) =>
  Object.fromEntries(values.map((value, at) => [monthAt(from + at), value]));

test('a year is held against the one before only where every month of both is there', () => {
  fc.assert(
    fc.property(first, counts, fc.nat(23), (from, values, gone) => {
      const sum = (some: readonly number[]) => some.reduce((all, value) => all + value, 0);
      assert.deepEqual(yearChange(totalsOf(from, values)), {
        before: sum(values.slice(0, 12)),
        now: sum(values.slice(12)),
      });
      const { [monthAt(from + gone)]: _, ...less } = totalsOf(from, values);
      assert.equal(yearChange(less), undefined);
      // As many months, but one of them from further back.
      assert.equal(yearChange({ ...less, [monthAt(from - 2)]: 7 }), undefined);
    }),
  );
});

test('months stand against their average, and one that is missing is null', () => {
  fc.assert(
    fc.property(first, counts, fc.uniqueArray(fc.nat(23), { maxLength: 20 }), (from, values, gone) => {
      const months = values.map((_, at) => monthAt(from + at));
      const kept = Object.fromEntries(
        Object.entries(totalsOf(from, values)).filter((_, at) => !gone.includes(at)),
      );
      const index = indexOf(kept, months);
      const known = index.filter((value) => value !== null);
      for (const at of gone) assert.equal(index[at], null);
      if (Object.values(kept).some((value) => value > 0)) {
        const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
        assert.ok(Math.abs(mean - 100) < 0.06, String(mean));
      } else assert.equal(known.length, 0);
    }),
  );
});

test('a span has every month between the first and the last, and words name up to four', () => {
  assert.deepEqual(spanOf(['2026-02', '2025-11']), ['2025-11', '2025-12', '2026-01', '2026-02']);
  assert.deepEqual(spanOf([]), []);
  assert.equal(monthsInWords(['2026-03', '2026-09']), 'March and September 2026');
  assert.equal(monthsInWords(['2025-11', '2025-12', '2026-03']), 'November, December 2025 and March 2026');
  assert.equal(monthsInWords(['2026-03']), 'March 2026');
  assert.equal(monthsInWords(['2026-01', '2026-02', '2026-03', '2026-04', '2026-05']), '5 months');
});

const someKinds = fc
  .uniqueArray(fc.record({ slug: fc.constantFrom(...'abcdefgh'), count: fc.integer({ min: 1, max: 99 }) }), {
    selector: ({ slug }) => slug,
  })
  .map((kinds) => kinds.map((kind) => ({ ...kind, name: kind.slug })));

test('kinds of two places have one order, that of the first, and lose no crime', () => {
  fc.assert(
    fc.property(someKinds, someKinds, (first, second) => {
      const sides = [first, second] as const;
      const slugs = sides.map((own) => kindsInOrder(own, sides).map(({ slug }) => slug));
      assert.deepEqual(slugs[0], slugs[1]);
      assert.deepEqual(
        slugs[0]?.slice(0, first.length),
        first.map(({ slug }) => slug),
      );
      for (const own of sides)
        assert.deepEqual(
          kindsInOrder(own, sides)
            .filter(({ count }) => count > 0)
            .toSorted((a, b) => a.slug.localeCompare(b.slug)),
          own.toSorted((a, b) => a.slug.localeCompare(b.slug)),
        );
    }),
  );
});

/** Parameters, headers, members of a reply. */
const forPrograms = /`|Retry-After|X-|API key|\bsend the call\b|\brequest id\b|=/;

test('no code is told in words for programs', () => {
  const fields = ['minPrice', 'maxPrice', 'months', 'type', 'street', 'newBuild', 'sort', 'offset', 'limit'];
  // What these say is of the parameters that pages choose themselves, or of calls that pages do not make.
  const notOfPages =
    /^(MISSING|METHOD|URI|HEADERS|BAD_REQUEST|NOT_FOUND|INVALID_(AREA|TAX|DATE|LIMIT)|AUTHORITY)/;
  for (const code of errorCodes.filter((each) => !notOfPages.test(each)))
    for (const field of [undefined, ...fields]) {
      const { message } = errors[code];
      const words = wordsFor({ code, message, ...(field === undefined ? {} : { field }) });
      assert.doesNotMatch(words, forPrograms, code);
      assert.match(words, /^[A-Z].*\.$/, code);
    }
});

test('where there are no crimes a visitor reads why, in words of the page', () => {
  const reasons = readdirSync('src/endpoints', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('crime') && name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(`src/endpoints/${name}`, 'utf8').matchAll(/noData\(\s*'([\w-]+)'/g)])
    .map(([, reason = '']) => reason);
  const told = new Map(
    [...new Set([...reasons, 'scotland', 'channel-islands', 'isle-of-man'])].map((reason) => [
      reason,
      wordsFor({
        code: 'NO_CRIME_DATA',
        message: 'Nothing; ask for one nearby.',
        reason,
        policeForce: 'Kent Police',
      }),
    ]),
  );
  assert.ok(told.size >= 9, [...told.keys()].join());
  assert.equal(new Set(told.values()).size, told.size, 'each has words of its own');
  const unknown = wordsFor({ code: 'NO_CRIME_DATA', message: 'Nothing; ask for one nearby.', reason: 'new' });
  for (const [reason, words] of [...told, ['another', unknown] as const]) {
    assert.doesNotMatch(words, /\bask for\b|\bsend\b|`|=/, reason);
    assert.match(words, /^[A-Z].*\.$/, reason);
    if (reason !== 'another') assert.notEqual(words, unknown, reason);
  }
});

test('none is none only where nothing is lacking; what is lacking is told with its reason', () => {
  assert.deepEqual(silenceOf(null), { kind: 'none' });
  assert.deepEqual(silenceOf('none; no sale in NP is loaded'), {
    kind: 'not loaded',
    why: 'no sale in NP is loaded',
  });
  const abroad = 'the register of sales covers England and Wales, not Scotland';
  assert.deepEqual(silenceOf(`none; ${abroad}`), { kind: 'not published', why: abroad });
  assert.deepEqual(silenceOf('sample'), { kind: 'not loaded', why: 'only a sample is loaded' });
  assert.deepEqual(silenceOf('partial; loaded: 2024-01; and more'), {
    kind: 'not loaded',
    why: 'only a part is loaded: loaded: January 2024; and more',
  });
});
