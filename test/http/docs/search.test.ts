// What the search of the documentation looks through: the words of every kind of block, at the part of the page that they stand in;
// examples alone are left out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoints } from '../../../src/endpoints/index.ts';
import {
  type Block,
  type DocsPage,
  heading,
  list,
  note,
  table,
  terms,
  text,
} from '../../../src/http/docs/blocks.ts';
import { searchEntries } from '../../../src/http/docs/site.ts';

const field = (name: string, fields: Extract<Block, { kind: 'fields' }>['fields'] = []) => ({
  name,
  type: 'integer',
  isOptional: false,
  description: 'hidden-description',
  fields,
});

const [first = assert.fail('there are endpoints')] = endpoints;

const page: DocsPage = {
  path: '/docs/made-up',
  title: 'Made up',
  summary: 'opening-words `in-code` and [a-link](/docs)',
  facts: ['hidden-fact'],
  trail: [['hidden-trail', '/docs']],
  blocks: [
    text('before-headings'),
    heading('First part'),
    text('a-text with `some-code`'),
    note('a-note with **bold-words**'),
    list('first-item', 'last-item'),
    heading('Second part', 'other'),
    terms(['a-term', 'its-meaning'], ['last-term', 'last-meaning']),
    table(['hidden-head'], [['first-cell', 'second-cell'], ['last-cell']]),
    { kind: 'cards', cards: [{ href: '/docs', title: 'a-card', text: 'hidden-card' }] },
    heading('Third part'),
    {
      kind: 'params',
      rows: [
        {
          name: 'aParam',
          required: true,
          value: 'hidden-value',
          fallback: 'hidden-fallback',
          meaning: 'its-use',
        },
        { name: 'lastParam', required: false, value: '', fallback: '', meaning: 'last-use' },
      ],
    },
    { kind: 'fields', fields: [field('outer', [field('inner', [field('innermost')])]), field('lastField')] },
    { kind: 'codes', codes: ['INVALID_LIMIT', 'RATE_LIMITED'] },
    { kind: 'code', language: 'sh', code: 'hidden-code' },
    { kind: 'call', call: { method: 'GET', path: '/hidden-call', params: [], headers: {} } },
    { kind: 'answer', status: 200, headers: {}, body: { json: { hidden: 'hidden-answer' } } },
    { kind: 'form', endpoint: first },
  ],
  beside: [text('hidden-beside')],
};

test('each word is found at its part of the page, examples and lengthy meanings nowhere', () => {
  assert.deepEqual(searchEntries(page), [
    ['/docs/made-up', 'Made up', '', 'opening-words in-code and a-link before-headings'],
    [
      '/docs/made-up#first-part',
      'Made up',
      'First part',
      'a-text with some-code a-note with bold-words first-item last-item',
    ],
    [
      '/docs/made-up#other',
      'Made up',
      'Second part',
      'a-term: its-meaning last-term: last-meaning first-cell second-cell last-cell a-card',
    ],
    [
      '/docs/made-up#third-part',
      'Made up',
      'Third part',
      'aParam: its-use lastParam: last-use outer inner innermost lastField 400 INVALID_LIMIT 429 RATE_LIMITED',
    ],
  ]);
});
