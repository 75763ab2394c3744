// Signing up and in, links of mails, and a person's settings.

import type { Page } from 'playwright-core';
import type { SessionView } from '../../../src/people/people.ts';
import { type Answers, refused } from '../answers.ts';
import { person, type State, signedIn, signedOut, state } from '../state.ts';

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
  state('sign-up', '/account/sign-up', 'You choose your password when', signedOut),
  state(
    'sign-up-by-invitation',
    '/account/sign-up#a-token',
    'At least 12 characters',
    me({ signUp: 'invited' }),
  ),
  state(
    'sign-up-refused',
    '/account/sign-up#a-token',
    'not among the most common',
    {
      ...signedOut,
      'POST /portal/sign-up': refused(
        400,
        'INVALID',
        'Choose a password that is not among the most common.',
        'password',
      ),
    },
    async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign up' }).click();
    },
  ),
  state(
    'sign-up-sent',
    '/account/sign-up',
    'We have sent an e-mail',
    { ...signedOut, 'POST /portal/sign-up': { next: 'confirm' } },
    async (page) => {
      await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
      await page.getByRole('button', { name: 'Sign up' }).click();
    },
  ),
  state('sign-up-closed', '/account/sign-up', 'Sign-up is closed', me({ signUp: 'closed' })),
  state('sign-up-invited', '/account/sign-up', 'By invitation', me({ signUp: 'invited' })),
];

const signInStates: readonly State[] = [
  state('sign-in', '/account/sign-in', 'Forgotten your password?', signedOut),
  {
    name: 'sign-in-loading',
    loads: 'for ever',
    path: '/account/sign-in',
    answers: { 'GET /portal/me': 'never' },
    shows: 'Sign in',
  },
  state(
    'sign-in-refused',
    '/account/sign-in',
    'Address or password is wrong',
    {
      ...signedOut,
      'POST /portal/sign-in': refused(
        401,
        'WRONG_CREDENTIALS',
        'Address or password is wrong. Try again, or reset the password.',
      ),
    },
    async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  ),
  state(
    'sign-in-second-factor',
    '/account/sign-in',
    'Code from your authenticator app',
    { ...signedOut, 'POST /portal/sign-in': { next: 'second factor' } },
    async (page) => {
      await fill(page);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  ),
  state(
    'sign-in-plain-http',
    '/account/sign-in',
    'Nobody can sign in here',
    me({
      signInRefused:
        'This service is reached over plain HTTP, where a password could be read on the way. Its operator sets DOMESDAY_PUBLIC_URL to an https address and puts TLS in front.',
    }),
  ),
  state('sign-in-service-away', '/account/sign-in', 'Not available at the moment', {
    'GET /portal/me': refused(
      503,
      'UNAVAILABLE',
      'People cannot be looked up at the moment. Try again shortly.',
    ),
  }),
];

const linkStates: readonly State[] = [
  state('confirm', '/account/confirm#a-token', 'Choose your password here', signedOut),
  state(
    'confirm-done',
    '/account/confirm#a-token',
    'Your address is confirmed',
    { ...signedOut, 'POST /portal/confirm': { email: person.email } },
    choosePassword,
  ),
  state(
    'confirm-expired',
    '/account/confirm#a-token',
    'too old',
    {
      ...signedOut,
      'POST /portal/confirm': refused(
        400,
        'INVALID',
        'This link was used or is too old. Sign in to get another one.',
        'token',
      ),
    },
    choosePassword,
  ),
  state('confirm-no-token', '/account/confirm', 'The link is incomplete', signedOut),
  state('reset', '/account/reset', 'The one that you sign in with', signedOut),
  state(
    'reset-sent-by-operator',
    '/account/reset',
    'This service sends no e-mail',
    { ...me({ mail: 'by the operator' }), 'POST /portal/reset-request': { done: true } },
    async (page) => {
      await page.getByLabel('E-mail address').fill('ada.lovelace@example.com');
      await page.getByRole('button', { name: 'Make the link' }).click();
    },
  ),
  state('reset-new-password', '/account/reset#a-token', 'New password', signedOut),
  state('invite-signed-out', '/account/invite#a-token', 'You are invited', signedOut),
  state('invite', '/account/invite#a-token', 'You join as', signedIn),
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
  state('settings', '/account/person', 'this one', settings),
  state('settings-second-factor-on', '/account/person', '2 recovery codes left', withFactor),
  state('settings-much-data', '/account/person', 'this one', {
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
  }),
  state('settings-sessions-away', '/account/person', 'Not available at the moment', {
    ...signedIn,
    'GET /portal/sessions': refused(
      503,
      'UNAVAILABLE',
      'Sessions cannot be read at the moment. Try again shortly.',
    ),
  }),
  state(
    'settings-qr-code',
    '/account/person',
    'Scan this',
    { ...settings, 'POST /portal/totp/begin': { secret, uri } },
    toQrCode,
  ),
  state(
    'settings-recovery-codes',
    '/account/person',
    'This is the only time they are shown',
    {
      ...settings,
      'POST /portal/totp/begin': { secret, uri },
      'POST /portal/totp/confirm': {
        recoveryCodes: Array.from({ length: 10 }, (_, at) => `${2345 + at * 17}-k7mq-${at}xpw`),
      },
    },
    async (page) => {
      await toQrCode(page);
      await page.getByLabel('Six digits').fill('123456');
      await page.getByRole('button', { name: 'Switch it on' }).click();
    },
  ),
  state('settings-erase', '/account/person', 'Nothing brings', withFactor, (page) =>
    page.getByRole('button', { name: 'Erase me' }).click(),
  ),
];

export const personStates: readonly State[] = [
  ...signUpStates,
  ...signInStates,
  ...linkStates,
  ...settingsStates,
];
