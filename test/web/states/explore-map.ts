// The map of a place: its calls go to the real service.

import type { Page } from 'playwright-core';
import { changeAnswers, refusal } from '../change-answers.ts';
import { type State, signedOut, state } from '../state.ts';
import { unfold } from '../visit.ts';

const path = '/explore/ZZ1-1AA';

/** Loaded anew, with that part of the API refused. */
const reloadWithout = (target: string) => async (page: Page) => {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'This data is not available at the moment.' };
  await changeAnswers(page, [target], () => refusal(503, error));
  await page.reload();
};

export const exploreMapStates: readonly State[] = [
  state(
    'explore-map-every-layer',
    `${path}?layers=crime,schools,stations,stops,amenities,sales`,
    'No rating is known',
    signedOut,
    async (page) => {
      await page.getByText('Sales as a list').waitFor();
      for (const list of await page.getByText(/ as a list/).all()) await unfold(list);
    },
  ),
  state('explore-map-pointed', path, 'away', signedOut, async (page) => {
    await unfold(page.getByText('Schools as a list'));
    await page
      .getByRole('button', { name: /^Show .* on the map$/ })
      .first()
      .click();
  }),
  state('explore-map-crime-refused', path, 'no answer', signedOut, reloadWithout('/crime/by-postcode')),
  state(
    'explore-map-refused',
    path,
    'This could not be loaded',
    signedOut,
    reloadWithout('/postcodes/lookup'),
  ),
];
