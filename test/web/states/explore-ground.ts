// The explorer's own pages: its calls go to the real service, by the public key.

import type { Page } from 'playwright-core';
import { refused } from '../answers.ts';
import { changeAnswers, refusal } from '../change-answers.ts';
import { type State, signedOut, state } from '../state.ts';
import { empty } from './account-data.ts';

export const closed = {
  ...signedOut,
  'POST /portal/explore/key': refused(
    403,
    'NOT_ALLOWED',
    'Real places are shown here to whoever signs in; the made-up town is free for everybody.',
  ),
} as const;

/** Every call of the page meets it. */
const limited = (retryAfterSeconds: number) => async (page: Page) => {
  const error = { code: 'RATE_LIMITED', message: 'The public sandbox key allows 120 requests per minute.' };
  const told = refusal(429, error, { 'Retry-After': String(retryAfterSeconds) });
  await changeAnswers(page, 'every call', () => told);
};

export const exploreGroundStates: readonly State[] = [
  state('explore', '/explore', 'Zedbury: nearly everything is known', closed),
  state('explore-demo', '/explore', 'Three real places', {
    ...signedOut,
    'POST /portal/explore/key': { payer: 'demo', key: 'dd_web_none', expiresAtMs: 4_000_000_000_000 },
  }),
  state('explore-search', '/explore', 'Zedbury: a short street', closed, (page) =>
    page.getByRole('combobox').fill('zz1'),
  ),
  state('explore-town', '/explore/ZZ1-1AA', 'Zedbury Market', closed),
  state('explore-withdrawn', '/explore/ZZ1-2ZZ', 'withdrew this postcode in May 2019', closed),
  state('explore-no-such-place', '/explore/ZZ9-9ZZ', 'is not a postcode of the made-up town', closed),
  state('explore-nobody-pays', '/explore/NP10-8WA', 'Sign in to see this place', closed),
  state('explore-consent', '/explore/NP10-8WA', 'A place costs up to 8 credits', {
    ...empty,
    'POST /portal/explore/key': closed['POST /portal/explore/key'],
  }),
  {
    name: 'explore-limited',
    path: '/explore/ZZ1-1AA',
    answers: closed,
    prepare: limited(50),
    shows: 'Too many requests just now',
  },
  {
    name: 'explore-limit-of-a-day',
    path: '/explore/ZZ1-1AA',
    answers: closed,
    prepare: limited(20_000),
    shows: 'It answers again in 5 hours',
  },
  {
    name: 'explore-loading',
    path: '/explore/ZZ1-1AA',
    answers: closed,
    loads: 'for ever',
    prepare: (page) => page.route('**/api/v1/batch', () => undefined),
    shows: 'Loading the place',
  },
  {
    name: 'explore-unreachable',
    path: '/explore/ZZ1-1AA',
    answers: closed,
    prepare: (page) => page.route('**/api/v1/batch', (route) => route.abort()),
    shows: 'The service did not answer',
  },
  state('explore-report', '/explore/ZZ1-1AA/report', 'Council tax', closed),
];
