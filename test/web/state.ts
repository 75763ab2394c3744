// A page in one of its states, as a value: what it is told, and what is done to get there. The tests look each of them over, and
// `npm run screenshots` writes them down.

import type { Page } from 'playwright-core';
import type { PersonView } from '../../src/people/people.ts';
import type { Answers } from './answers.ts';

export type State = {
  /** Of the picture: `person-sign-in-refused`. */
  readonly name: string;
  readonly path: string;
  readonly answers: Answers;
  /** What is arranged before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** What a reader does there. */
  readonly act?: (page: Page) => Promise<void>;
  /** Words that are in sight when the state is reached. */
  readonly shows: string;
  /** Of a state in which something never arrives; any other is reached once nothing loads. */
  readonly loads?: 'for ever';
};

export const state = (
  name: string,
  path: string,
  shows: string,
  answers: Answers,
  act?: (page: Page) => Promise<void>,
): State => ({ name, path, shows, answers, ...(act === undefined ? {} : { act }) });

export const person: PersonView = {
  personId: 'person_1',
  email: 'ada.lovelace@example.com',
  name: 'Ada Lovelace',
  standing: 'customer',
  secondFactor: 'none',
  recoveryCodesLeft: 0,
  createdAtMs: Date.UTC(2026, 2, 4, 9, 30),
};

const rules = {
  signUp: 'open',
  mail: 'sent',
  signInRefused: null,
  planChanges: 'approved',
} as const;

/** As a service has them that nobody has told a price. */
const noPrices = {
  'GET /portal/plans': {
    plans: (['trial', 'basic', 'standard', 'premium', 'enterprise'] as const).map((plan) => ({
      plan,
      creditsPerMonth: plan === 'trial' || plan === 'enterprise' ? null : 5_000,
      creditsOnce: plan === 'trial' ? 100 : null,
      limits: { minute: 10, day: 500, month: 5_000 },
      price: null,
      link: null,
    })),
  },
} satisfies Answers;
export const signedOut = { 'GET /portal/me': { person: null, ...rules }, ...noPrices } satisfies Answers;
export const signedIn = { 'GET /portal/me': { person, ...rules }, ...noPrices } satisfies Answers;
export const operator = {
  'GET /portal/me': { person: { ...person, name: 'Olive Operator', standing: 'operator' }, ...rules },
  ...noPrices,
} satisfies Answers;
