// The one scale for Ofsted's judgements, against cases labelled by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Inspections, rateSchool, type Tier } from '../../src/uk/ofsted.ts';

type Wish = {
  card?: Partial<Inspections['reportCard']>;
  oeif?: Partial<Inspections['oeif']>;
  ungraded?: Partial<Inspections['ungraded']>;
  concern?: Inspections['concern'];
};

const visit = { day: null, isOfPredecessor: false };
const rate = ({ card = {}, oeif = {}, ungraded = {}, concern = null }: Wish) =>
  rateSchool({
    reportCard: { ...visit, areas: [], safeguarding: null, ...card },
    oeif: { ...visit, overall: null, qualityOfEducation: null, ...oeif },
    ungraded: { ...visit, outcome: '', ...ungraded },
    concern,
  });

const [ex, st, exp, na, ui] = [
  'Exceptional',
  'Strong standard',
  'Expected standard',
  'Needs attention',
  'Urgent improvement',
] as const;

const cases: readonly (readonly [what: string, wish: Wish, tier: Tier, label: string])[] = [
  ['nothing was ever published', {}, 0, ''],
  ['overall grade 1', { oeif: { overall: 1 } }, 4, 'Outstanding'],
  ['overall grade 2', { oeif: { overall: 2 } }, 3, 'Good'],
  ['overall grade 3', { oeif: { overall: 3 } }, 2, 'Requires improvement'],
  ['overall grade 4', { oeif: { overall: 4 } }, 1, 'Inadequate'],
  [
    'a later ungraded inspection leaves the grade',
    { oeif: { overall: 2 }, ungraded: { outcome: 'School remains Good' } },
    3,
    'Good',
  ],
  [
    'no overall grade, education good',
    { oeif: { overall: 'Not judged', qualityOfEducation: 2 } },
    3,
    'Quality of education: Good',
  ],
  [
    'no overall grade, education 1',
    { oeif: { overall: 'Not judged', qualityOfEducation: 1 } },
    4,
    'Quality of education: Outstanding',
  ],
  [
    'no grade at all, then ungraded',
    { oeif: { overall: 'Not judged' }, ungraded: { outcome: 'School remains Good' } },
    3,
    'School remains Good',
  ],
  [
    'a grade for education without overall column is no overall grade',
    { oeif: { qualityOfEducation: 1 } },
    0,
    '',
  ],
  [
    'ungraded, outstanding',
    { ungraded: { outcome: 'School remains Outstanding' } },
    4,
    'School remains Outstanding',
  ],
  [
    'ungraded with concerns',
    { ungraded: { outcome: 'School remains Good (Concerns) - S5 Next' } },
    3,
    'School remains Good (Concerns) - S5 Next',
  ],
  ['ungraded since 2024', { ungraded: { outcome: 'Standards maintained' } }, 0, 'Standards maintained'],
  ['ungraded, better', { ungraded: { outcome: 'Improved significantly' } }, 0, 'Improved significantly'],
  [
    'ungraded, weaker',
    { ungraded: { outcome: 'Some aspects not as strong' } },
    0,
    'Some aspects not as strong',
  ],
  [
    'card, all expected',
    { card: { areas: [exp, exp, exp, exp], safeguarding: 'Met' } },
    3,
    'Expected standard 4; safeguarding met',
  ],
  [
    'card, half strong',
    { card: { areas: [st, ex, exp, exp], safeguarding: 'Met' } },
    4,
    'Exceptional 1, Strong standard 1, Expected standard 2; safeguarding met',
  ],
  [
    'card, less than half strong',
    { card: { areas: [st, ex, exp, exp, exp], safeguarding: 'Met' } },
    3,
    'Exceptional 1, Strong standard 1, Expected standard 3; safeguarding met',
  ],
  [
    'card, one area needs attention',
    { card: { areas: [ex, ex, ex, na], safeguarding: 'Met' } },
    2,
    'Exceptional 3, Needs attention 1; safeguarding met',
  ],
  [
    'card, one area urgent',
    { card: { areas: [ex, ex, na, ui], safeguarding: 'Met' } },
    1,
    'Exceptional 2, Needs attention 1, Urgent improvement 1; safeguarding met',
  ],
  [
    'card, safeguarding not met',
    { card: { areas: [ex, ex], safeguarding: 'Not met' } },
    1,
    'Exceptional 2; safeguarding not met',
  ],
  [
    'a card stands before any old grade',
    { card: { areas: [exp], safeguarding: 'Met' }, oeif: { overall: 1 } },
    3,
    'Expected standard 1; safeguarding met',
  ],
  ['safeguarding alone is no card', { card: { safeguarding: 'Met' }, oeif: { overall: 2 } }, 3, 'Good'],
  ['special measures', { oeif: { overall: 4 }, concern: 'SM' }, 1, 'Inadequate; special measures'],
  [
    'serious weaknesses with a good card',
    { card: { areas: [st], safeguarding: 'Met' }, concern: 'SWK' },
    1,
    'Strong standard 1; safeguarding met; serious weaknesses',
  ],
  ['a category of concern and no grade', { concern: 'RSI' }, 1, 'requires significant improvement'],
];

for (const [what, wish, tier, label] of cases) {
  test(`${what}: tier ${tier}, "${label}"`, () => {
    const rating = rate(wish);
    assert.deepEqual([rating.tier, rating.label], [tier, label]);
  });
}

test('outstanding is an overall grade that still stands: not of a card, not of one area, not in a category of concern', () => {
  const isOutstanding = (wish: Wish) => rate(wish).isOutstanding;
  assert.equal(isOutstanding({ oeif: { overall: 1 } }), true);
  assert.equal(isOutstanding({ ungraded: { outcome: 'School remains Outstanding' } }), true);
  assert.equal(isOutstanding({ oeif: { overall: 1 }, card: { areas: [ex, ex] } }), false);
  assert.equal(isOutstanding({ oeif: { overall: 'Not judged', qualityOfEducation: 1 } }), false);
  assert.equal(isOutstanding({ oeif: { overall: 1 }, concern: 'SM' }), false);
});

test('date, framework and predecessor are those of the inspection that gave the rating', () => {
  const all: Wish = {
    card: { areas: [exp], day: 3 },
    oeif: { overall: 2, day: 2, isOfPredecessor: true },
    ungraded: { outcome: 'School remains Good', day: 1 },
  };
  const told = (wish: Wish) => {
    const { framework, day, isOfPredecessor } = rate(wish);
    return [framework, day, isOfPredecessor];
  };
  assert.deepEqual(told(all), ['Report card', 3, false]);
  assert.deepEqual(told({ ...all, card: {} }), ['OEIF', 2, true]);
  assert.deepEqual(told({ ungraded: all.ungraded ?? {} }), ['Ungraded inspection', 1, false]);
  assert.deepEqual(told({}), [null, null, false]);
});
