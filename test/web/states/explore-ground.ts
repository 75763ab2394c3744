// The explorer's own pages: its calls go to the real service, by the public key.

import type { Page } from 'playwright-core';
import { refused } from '../answers.ts';
import { changeAnswers, refusal } from '../change-answers.ts';
import { type State, signedOut } from '../state.ts';
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
  { name: 'explore', path: '/explore', answers: closed, shows: 'Zedbury: nearly everything is known' },
  {
    name: 'explore-demo',
    path: '/explore',
    answers: {
      ...signedOut,
      'POST /portal/explore/key': { payer: 'demo', key: 'dd_web_none', expiresAtMs: 4_000_000_000_000 },
    },
    shows: 'Three real places',
  },
  {
    name: 'explore-search',
    path: '/explore',
    answers: closed,
    act: (page) => page.getByRole('combobox').fill('zz1'),
    shows: 'Zedbury: a short street',
  },
  {
    name: 'explore-town',
    path: '/explore/ZZ1-1AA',
    answers: closed,
    shows: 'Zedbury Market',
  },
  {
    name: 'explore-withdrawn',
    path: '/explore/ZZ1-2ZZ',
    answers: closed,
    shows: 'withdrew this postcode in May 2019',
  },
  {
    name: 'explore-no-such-place',
    path: '/explore/ZZ9-9ZZ',
    answers: closed,
    shows: 'is not a postcode of the made-up town',
  },
  {
    name: 'explore-nobody-pays',
    path: '/explore/NP10-8WA',
    answers: closed,
    shows: 'Sign in to see this place',
  },
  {
    name: 'explore-consent',
    path: '/explore/NP10-8WA',
    answers: {
      ...empty,
      'POST /portal/explore/key': closed['POST /portal/explore/key'],
    },
    shows: 'A place costs up to 8 credits',
  },
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
  { name: 'explore-report', path: '/explore/ZZ1-1AA/report', answers: closed, shows: 'Council tax' },
];
