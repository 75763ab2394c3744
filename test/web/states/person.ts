// Signing up and in, links of mails, and a person's settings.

import type { Page } from 'playwright-core';
import type { SessionView } from '../../../src/people/people.ts';
import { type Answers, refused } from '../answers.ts';
import { person, type State, signedIn, signedOut } from '../state.ts';

const me = (
  more:
    | Partial<(typeof signedOut)['GET /portal/me']>
    | { signUp: 'invited' | 'closed' }
    | { mail: 'by the operator' }
    | { signInRefused: string },
): Answers => ({
  'GET /portal/me': { ...signedOut['GET /portal/me'], ...more },
});

const fill = async (page: Page) => {
  await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
  await page.getByLabel('Password', { exact: true }).fill('four words nobody joins');
};

const choosePassword = async (page: Page) => {
  await page.getByLabel('Password', { exact: true }).fill('four words nobody joins');
  await page.getByRole('button', { name: 'Confirm' }).click();
};

const signUpStates: readonly State[] = [
  { name: 'sign-up', path: '/account/sign-up', answers: signedOut, shows: 'You choose your password when' },
  {
    name: 'sign-up-by-invitation',
    path: '/account/sign-up#a-token',
    answers: me({ signUp: 'invited' }),
    shows: 'At least 12 characters',
  },
  {
    name: 'sign-up-refused',
    path: '/account/sign-up#a-token',
    answers: {
      ...signedOut,
      'POST /portal/sign-up': refused(
        400,
        'INVALID',
        'Choose a password that is not among the most common.',
        'password',
      ),
    },
    act: async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign up' }).click();
    },
    shows: 'not among the most common',
  },
  {
    name: 'sign-up-sent',
    path: '/account/sign-up',
    answers: { ...signedOut, 'POST /portal/sign-up': { next: 'confirm' } },
    act: async (page) => {
      await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
      await page.getByRole('button', { name: 'Sign up' }).click();
    },
    shows: 'We have sent an e-mail',
  },
  {
    name: 'sign-up-closed',
    path: '/account/sign-up',
    answers: me({ signUp: 'closed' }),
    shows: 'Sign-up is closed',
  },
  {
    name: 'sign-up-invited',
    path: '/account/sign-up',
    answers: me({ signUp: 'invited' }),
    shows: 'By invitation',
  },
];

const signInStates: readonly State[] = [
  { name: 'sign-in', path: '/account/sign-in', answers: signedOut, shows: 'Forgotten your password?' },
  {
    name: 'sign-in-loading',
    loads: 'for ever',
    path: '/account/sign-in',
    answers: { 'GET /portal/me': 'never' },
    shows: 'Sign in',
  },
  {
    name: 'sign-in-refused',
    path: '/account/sign-in',
    answers: {
      ...signedOut,
      'POST /portal/sign-in': refused(
        401,
        'WRONG_CREDENTIALS',
        'Address or password is wrong. Try again, or reset the password.',
      ),
    },
    act: async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    shows: 'Address or password is wrong',
  },
  {
    name: 'sign-in-second-factor',
    path: '/account/sign-in',
    answers: { ...signedOut, 'POST /portal/sign-in': { next: 'second factor' } },
    act: async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    shows: 'Code from your authenticator app',
  },
  {
    name: 'sign-in-plain-http',
    path: '/account/sign-in',
    answers: me({
      signInRefused:
        'This service is reached over plain HTTP, where a password could be read on the way. Its operator sets DOMESDAY_PUBLIC_URL to an https address and puts TLS in front.',
    }),
    shows: 'Nobody can sign in here',
  },
  {
    name: 'sign-in-service-away',
    path: '/account/sign-in',
    answers: {
      'GET /portal/me': refused(
        503,
        'UNAVAILABLE',
        'People cannot be looked up at the moment. Try again shortly.',
      ),
    },
    shows: 'Not available at the moment',
  },
];

const linkStates: readonly State[] = [
  {
    name: 'confirm',
    path: '/account/confirm#a-token',
    answers: signedOut,
    shows: 'Choose your password here',
  },
  {
    name: 'confirm-done',
    path: '/account/confirm#a-token',
    answers: { ...signedOut, 'POST /portal/confirm': { email: person.email } },
    act: choosePassword,
    shows: 'Your address is confirmed',
  },
  {
    name: 'confirm-expired',
    path: '/account/confirm#a-token',
    answers: {
      ...signedOut,
      'POST /portal/confirm': refused(
        400,
        'INVALID',
        'This link was used or is too old. Sign in to get another one.',
        'token',
      ),
    },
    act: choosePassword,
    shows: 'too old',
  },
  { name: 'confirm-no-token', path: '/account/confirm', answers: signedOut, shows: 'The link is incomplete' },
  { name: 'reset', path: '/account/reset', answers: signedOut, shows: 'The one that you sign in with' },
  {
    name: 'reset-sent-by-operator',
    path: '/account/reset',
    answers: { ...me({ mail: 'by the operator' }), 'POST /portal/reset-request': { done: true } },
    act: async (page) => {
      await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
      await page.getByRole('button', { name: 'Make the link' }).click();
    },
    shows: 'This service sends no e-mail',
  },
  { name: 'reset-new-password', path: '/account/reset#a-token', answers: signedOut, shows: 'New password' },
  {
    name: 'invite-signed-out',
    path: '/account/invite#a-token',
    answers: signedOut,
    shows: 'You are invited',
  },
  { name: 'invite', path: '/account/invite#a-token', answers: signedIn, shows: 'You join as' },
];

const session = (at: number, more: Partial<SessionView> = {}): SessionView => ({
  sessionId: `session_${at}`,
  device: ['Firefox on Linux', 'Safari on iPhone', 'Chrome on Windows', 'curl'][at % 4] ?? 'unknown',
  address: at % 2 === 0 ? `198.51.100.${at + 10}` : `2001:db8:85a3::8a2e:370:${7000 + at}`,
  createdAtMs: Date.UTC(2026, 10, 1 + at, 8, 12),
  lastSeenAtMs: Date.now() - at * 7_000_000 - 60_000,
  expiresAtMs: Date.UTC(2026, 10, 20 + at),
  isThisOne: at === 0,
  ...more,
});

const settings: Answers = {
  ...signedIn,
  'GET /portal/sessions': { sessions: [0, 1, 2, 3].map((at) => session(at)) },
};

const withFactor: Answers = {
  ...settings,
  'GET /portal/me': {
    ...signedIn['GET /portal/me'],
    person: { ...person, secondFactor: 'totp', recoveryCodesLeft: 2 },
  },
};

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const uri = `otpauth://totp/Domesday:ada.lovelace%40example.com?secret=${secret}&issuer=Domesday`;

const toQrCode = async (page: Page) => {
  await page.getByRole('button', { name: 'Set it up' }).click();
  await page.getByLabel('Your password').fill('four words nobody joins');
  await page.getByRole('button', { name: 'Go on' }).click();
};

const settingsStates: readonly State[] = [
  { name: 'settings', path: '/account/person', answers: settings, shows: 'this one' },
  {
    name: 'settings-second-factor-on',
    path: '/account/person',
    answers: withFactor,
    shows: '2 recovery codes left',
  },
  {
    name: 'settings-much-data',
    path: '/account/person',
    answers: {
      ...settings,
      'GET /portal/me': {
        ...signedIn['GET /portal/me'],
        person: {
          ...person,
          email: `${'a-very-long-name.of-somebody'.repeat(3)}@${'a-long-host-name.'.repeat(4)}example.com`,
          name: 'Adelaide Wilhelmina Montgomery-Featherstonehaugh of Chipping Norton',
        },
      },
      'GET /portal/sessions': {
        sessions: Array.from({ length: 40 }, (_, at) =>
          session(at, at === 3 ? { device: `<script>alert('a device')</script> ${'on '.repeat(30)}` } : {}),
        ),
      },
    },
    shows: 'this one',
  },
  {
    name: 'settings-sessions-away',
    path: '/account/person',
    answers: {
      ...signedIn,
      'GET /portal/sessions': refused(
        503,
        'UNAVAILABLE',
        'Sessions cannot be read at the moment. Try again shortly.',
      ),
    },
    shows: 'Not available at the moment',
  },
  {
    name: 'settings-qr-code',
    path: '/account/person',
    answers: { ...settings, 'POST /portal/totp/begin': { secret, uri } },
    act: toQrCode,
    shows: 'Scan this',
  },
  {
    name: 'settings-recovery-codes',
    path: '/account/person',
    answers: {
      ...settings,
      'POST /portal/totp/begin': { secret, uri },
      'POST /portal/totp/confirm': {
        recoveryCodes: Array.from({ length: 10 }, (_, at) => `${2345 + at * 17}-k7mq-${at}xpw`),
      },
    },
    act: async (page) => {
      await toQrCode(page);
      await page.getByLabel('Six digits').fill('123456');
      await page.getByRole('button', { name: 'Switch it on' }).click();
    },
    shows: 'This is the only time they are shown',
  },
  {
    name: 'settings-erase',
    path: '/account/person',
    answers: withFactor,
    act: (page) => page.getByRole('button', { name: 'Erase me' }).click(),
    shows: 'Nothing brings',
  },
];

export const personStates: readonly State[] = [
  ...signUpStates,
  ...signInStates,
  ...linkStates,
  ...settingsStates,
];
