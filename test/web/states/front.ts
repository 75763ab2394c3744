// The front page: its calls go to the real service.

import { refused } from '../answers.ts';
import { type State, signedIn, signedOut } from '../state.ts';
import { plans } from './account-data.ts';

export const frontStates: readonly State[] = [
  { name: 'front', path: '/', answers: signedOut, shows: '200 OK' },
  {
    name: 'front-all-data',
    path: '/',
    answers: signedIn,
    act: (page) => page.getByText(/^All \d+ datasets$/).click(),
    shows: 'Publisher',
  },
  {
    name: 'front-prices',
    path: '/',
    answers: { ...signedOut, 'GET /portal/plans': { plans } },
    shows: 'from £900 a month',
  },
  {
    name: 'front-records-away',
    path: '/',
    answers: { 'GET /portal/me': refused(503, 'UNAVAILABLE', 'Try again in a moment.') },
    shows: 'answered in',
  },
];
