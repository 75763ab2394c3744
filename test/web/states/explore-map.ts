// The map of a place: its calls go to the real service.

import type { Page } from 'playwright-core';
import { changeAnswers, refusal } from '../change-answers.ts';
import { type State, signedOut } from '../state.ts';
import { unfold } from '../visit.ts';

const path = '/explore/ZZ1-1AA';

/** Loaded anew, with that part of the API refused. */
const reloadWithout = (target: string) => async (page: Page) => {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'This data is not available at the moment.' };
  await changeAnswers(page, [target], () => refusal(503, error));
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
    act: reloadWithout('/crime/by-postcode'),
    shows: 'no answer',
  },
  {
    name: 'explore-map-refused',
    path,
    answers: signedOut,
    act: reloadWithout('/postcodes/lookup'),
    shows: 'This could not be loaded',
  },
];
