// The documentation: one page of each kind, and what a reader does there.

import { type State, signedOut } from '../state.ts';

const answers = signedOut;

export const docsStates: readonly State[] = [
  { name: 'docs-start', path: '/docs', answers, shows: 'Make a call' },
  {
    name: 'docs-start-search',
    path: '/docs',
    answers,
    act: async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('credits');
      await page.locator('#found').waitFor();
      await page.keyboard.press('ArrowDown');
    },
    shows: 'Credits and limits',
  },
  {
    name: 'docs-start-contents',
    path: '/docs',
    answers,
    act: async (page) => {
      if (await page.locator('.menu').isVisible()) await page.locator('.menu').click();
    },
    shows: 'Keys and test mode',
  },
  { name: 'docs-guide-errors', path: '/docs/guides/errors', answers, shows: 'Which calls to send again' },
  { name: 'docs-guide-coverage', path: '/docs/guides/coverage', answers, shows: 'Council tax of one home' },
  { name: 'docs-guide-batch', path: '/docs/guides/batch', answers, shows: 'One path, many postcodes' },
  { name: 'docs-reference', path: '/docs/reference', answers, shows: 'API reference' },
  {
    name: 'docs-reference-endpoint',
    path: '/docs/reference/area-statistics',
    answers,
    shows: 'Example answer',
  },
  {
    name: 'docs-reference-sent',
    path: '/docs/reference/bank-rates',
    answers,
    act: (page) => page.locator('form.try button[type=submit]').click(),
    shows: '200 OK',
  },
  { name: 'docs-errors', path: '/docs/errors', answers, shows: 'Every code that a reply can have' },
  { name: 'docs-error', path: '/docs/errors/POSTCODE_NOT_FOUND', answers, shows: 'What to do' },
  { name: 'docs-data', path: '/docs/data', answers, shows: 'What is loaded' },
  // Its words change with each version; a page that is not there has no link to its Markdown.
  { name: 'docs-changelog', path: '/docs/changelog', answers, shows: 'Markdown' },
  { name: 'docs-unknown', path: '/docs/guides/nothing', answers, shows: 'No such page' },
];
