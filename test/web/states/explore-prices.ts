// Sold prices and Bank Rate of a place. Calls go to the real service, but for what it cannot be made to say.

import type { Page } from 'playwright-core';
import { changeAnswers, notNow } from '../change-answers.ts';
import type { State } from '../state.ts';
import { unfold } from '../visit.ts';
import { closed } from './explore-ground.ts';

const sales = '/area/sold-prices';
const trend = '/area/sold-prices/trend';

/** The page is loaded again, and meets this. */
async function refuse(page: Page, path: string): Promise<void> {
  await changeAnswers(page, [path], () => notNow);
  await page.reload();
}

/** As in Scotland: what has no sale says why. */
async function noRegister(page: Page): Promise<void> {
  const coverage = 'none; the register of sales covers England and Wales, not Scotland';
  await changeAnswers(page, [sales, trend], (told) => ({
    ...told,
    headers: { ...told.headers, 'X-Data-Coverage': coverage },
  }));
  await page.reload();
}

const at = (name: string, path: string, shows: string): State => ({
  name,
  path,
  answers: closed,
  shows,
});

export const explorePriceStates: readonly State[] = [
  at('explore-prices-flats', '/explore/ZZ1-1AA?type=F&sales-months=60', 'Median price by month, flat'),
  at(
    'explore-prices-filtered',
    '/explore/ZZ1-1AA?sales-in=area&min-price=200000&max-price=400000&sort=price',
    'Clear the filters',
  ),
  at('explore-prices-none', '/explore/ZZ1-1AA?min-price=90000000', 'No matching sales'),
  at('explore-prices-wrong-filter', '/explore/ZZ1-1AA?min-price=dear', 'A filter does not fit'),
  {
    ...at(
      'explore-prices-no-register',
      '/explore/ZZ1-1AA?min-price=90000000',
      'Sales in ZZ1 are not published',
    ),
    act: noRegister,
  },
  at('explore-prices-compared', '/explore/ZZ1-1AA?with=ZZ2-2AA', 'Price range'),
  at('explore-bank-rate-beside', '/explore/ZZ1-1AA?rate=30&rate-beside=prices', 'Prices in ZZ1 meanwhile'),
  {
    ...at('explore-prices-open', '/explore/ZZ1-1AA?rate-beside=prices&min-price=1000', 'Show 12 more'),
    act: async (page) => {
      await page.locator('#prices-meanwhile canvas').waitFor();
      for (const each of await page.getByText('As a table or a file').all()) await unfold(each);
    },
  },
  {
    ...at('explore-prices-sales-refused', '/explore/ZZ1-1AA', 'This could not be loaded'),
    act: (page) => refuse(page, sales),
  },
  {
    ...at('explore-prices-trend-refused', '/explore/ZZ1-1AA', 'This could not be loaded'),
    act: (page) => refuse(page, trend),
  },
  {
    ...at('explore-prices-loading', '/explore/ZZ1-1AA', 'Sold prices in ZZ1'),
    loads: 'for ever',
    act: async (page) => {
      await page.locator('#sales table').waitFor();
      await page.route('**/api/v1/area/sold-prices**', () => undefined);
      await page.getByRole('button', { name: 'Flat', exact: true }).click();
    },
  },
];
