// The documentation: one page of each kind, and what a reader does there.

import { type State, signedOut, state } from '../state.ts';

const answers = signedOut;

export const docsStates: readonly State[] = [
  state('docs-start', '/docs', 'Make a call', answers),
  state('docs-start-search', '/docs', 'Credits and limits', answers, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('credits');
    await page.locator('#found').waitFor();
    await page.keyboard.press('ArrowDown');
  }),
  state('docs-start-contents', '/docs', 'Keys and test mode', answers, async (page) => {
    if (await page.locator('.menu').isVisible()) await page.locator('.menu').click();
  }),
  state('docs-guide-errors', '/docs/guides/errors', 'Which calls to send again', answers),
  state('docs-guide-coverage', '/docs/guides/coverage', 'Council tax of one home', answers),
  state('docs-guide-batch', '/docs/guides/batch', 'One path, many postcodes', answers),
  state('docs-reference', '/docs/reference', 'API reference', answers),
  state('docs-reference-endpoint', '/docs/reference/area-statistics', 'Example answer', answers),
  state('docs-reference-sent', '/docs/reference/bank-rates', '200 OK', answers, (page) =>
    page.locator('form.try button[type=submit]').click(),
  ),
  state('docs-errors', '/docs/errors', 'Every code that a reply can have', answers),
  state('docs-error', '/docs/errors/POSTCODE_NOT_FOUND', 'What to do', answers),
  state('docs-data', '/docs/data', 'What is loaded', answers),
  // Its words change with each version; a page that is not there has no link to its Markdown.
  state('docs-changelog', '/docs/changelog', 'Markdown', answers),
  state('docs-unknown', '/docs/guides/nothing', 'No such page', answers),
];
