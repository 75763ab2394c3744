// Crime, council tax and the area in the explorer. Answers come from the real service; a refusal is prepared.

import type { Page } from 'playwright-core';
import { refused } from '../answers.ts';
import { changeAnswers, refusal } from '../change-answers.ts';
import { type State, signedOut } from '../state.ts';

const nobodyPays = {
  ...signedOut,
  'POST /portal/explore/key': refused(403, 'NOT_ALLOWED', 'Real places are shown to whoever signs in.'),
} as const;

const place = (name: string, path: string, shows: string, more: Partial<State> = {}): State => ({
  name: `explore-${name}`,
  path,
  answers: nobodyPays,
  shows,
  ...more,
});

const press =
  (...words: readonly string[]) =>
  async (page: Page) => {
    for (const each of words) await page.getByText(each).first().click();
  };

export const exploreCrimeStates: readonly State[] = [
  place('crime-gap', '/explore/ZZ3-1AA', 'Nothing usable was published for'),
  place('crime-none', '/explore/ZZ2-9ZZ', 'NO_CRIME_DATA'),
  place('crime-compared', '/explore/ZZ1-1AA', 'Share of each kind', {
    act: press('Compare with Zedbury Constabulary', 'Outcomes by kind of crime'),
  }),
  place('crime-refused', '/explore/ZZ1-1AA', 'The police data service did not answer', {
    prepare: (page) =>
      changeAnswers(page, ['/crime/by-postcode'], () =>
        refusal(502, {
          code: 'POLICE_API_ERROR',
          message: 'The police data service did not answer; try again.',
          requestId: 'req_made_up',
        }),
      ),
  }),
  place('tax-open', '/explore/ZZ1-1AB', 'Zedhaven Council', {
    act: press('Which band is a home here in?', 'What nearby authorities charge'),
  }),
  place('tax-home', '/explore/ZZ1-1AB', 'In this band since', {
    act: press('Which band is a home here in?', 'Show its band'),
  }),
  place('beside', '/explore/ZZ1-1AA?with=ZZ3-1AA', 'Nothing usable was published for'),
  place('scotland', '/explore/ZZ4-1AA', 'Police Scotland does not publish'),
  place('area-source', '/explore/ZZ1-1AA', 'Residents: Census 2021', {
    act: (page) => page.getByRole('button', { name: /^Residents \d/ }).click(),
  }),
];
