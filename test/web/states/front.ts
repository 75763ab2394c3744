// The front page: its calls go to the real service.

import { refused } from '../answers.ts';
import { type State, signedIn, signedOut, state } from '../state.ts';
import { plans } from './account-data.ts';

export const frontStates: readonly State[] = [
  state('front', '/', '200 OK', signedOut),
  state('front-all-data', '/', 'Publisher', signedIn, (page) => page.getByText(/^All \d+ datasets$/).click()),
  state('front-prices', '/', 'from £900 a month', { ...signedOut, 'GET /portal/plans': { plans } }),
  state('front-records-away', '/', 'answered in', {
    'GET /portal/me': refused(503, 'UNAVAILABLE', 'Try again in a moment.'),
    'GET /portal/plans': refused(503, 'UNAVAILABLE', 'Try again in a moment.'),
  }),
];
