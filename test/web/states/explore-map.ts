// The map of a place: its calls go to the real service.

import type { Page } from 'playwright-core';
import { type State, signedOut } from '../state.ts';
import { unfold } from '../visit.ts';

const path = '/explore/ZZ1-1AA';

/** Loaded anew, with that part of the API refused, or never answered. */
const reloadWith = (target: string, how: 'refused' | 'never') => async (page: Page) => {
  await page.route(target, async (asked) => {
    if (how === 'never') return;
    await asked.fulfill({
      status: 503,
      json: {
        success: false,
        error: { code: 'SERVICE_UNAVAILABLE', message: 'This data is not available at the moment.' },
      },
    });
  });
  await page.reload();
};

export const exploreMapStates: readonly State[] = [
  { name: 'explore-map', path, answers: signedOut, shows: 'Crimes as a list' },
  {
    name: 'explore-map-every-layer',
    path: `${path}?layers=crime,schools,stations,stops,amenities,sales`,
    answers: signedOut,
    act: async (page) => {
      await page.getByText('Sales as a list').waitFor();
      for (const list of await page.getByText(/ as a list/).all()) await unfold(list);
    },
    shows: 'No rating is known',
  },
  {
    name: 'explore-map-pointed',
    path,
    answers: signedOut,
    act: async (page) => {
      await unfold(page.getByText('Schools as a list'));
      await page
        .getByRole('button', { name: /^Show .* on the map$/ })
        .first()
        .click();
    },
    shows: 'away',
  },
  {
    name: 'explore-map-crime-refused',
    path,
    answers: signedOut,
    act: reloadWith('**/api/v1/crime/**', 'refused'),
    shows: 'no answer',
  },
  {
    name: 'explore-map-layers-loading',
    loads: 'for ever',
    path,
    answers: signedOut,
    act: reloadWith('**/api/v1/area/places*', 'never'),
    shows: 'Loading…',
  },
  {
    name: 'explore-map-loading',
    loads: 'for ever',
    path,
    answers: signedOut,
    act: reloadWith('**/api/v1/postcodes/lookup*', 'never'),
    shows: 'This call',
  },
  {
    name: 'explore-map-refused',
    path,
    answers: signedOut,
    act: reloadWith('**/api/v1/postcodes/lookup*', 'refused'),
    shows: 'This could not be loaded',
  },
];
