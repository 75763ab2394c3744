// Settings of whoever signs in: who may sign up, and how mails reach them.

import { oneOf, setting } from './values.ts';

export const peopleSettings = {
  signUp: setting<'open' | 'invited' | 'closed' | undefined>({
    env: 'DOMESDAY_SIGNUP',
    flag: 'sign-up',
    fallback: undefined,
    placeholder: 'open|invited|closed',
    help: 'Who may sign up: everybody who confirms an address (open), people with an invitation (invited) or nobody (closed).',
    unset: 'open if HOST is this machine alone, otherwise closed',
    parse: oneOf('open', 'invited', 'closed'),
  }),
  smtpUrl: setting<string | undefined>({
    env: 'SMTP_URL',
    flag: 'smtp-url',
    fallback: undefined,
    placeholder: 'URL',
    secrecy: 'secret',
    help: 'Mail server for confirmations, new passwords and invitations: smtps://USER:PASSWORD@HOST:465, or smtp://…:587. Without it, the operator prints the links with domesday people link.',
    parse: (value) =>
      /^smtps?:$/.test(URL.parse(value)?.protocol ?? '') && URL.parse(value)?.hostname !== ''
        ? { ok: true, value }
        : { ok: false, expected: 'an address such as smtps://USER:PASSWORD@HOST:465' },
  }),
  mailFrom: setting<string | undefined>({
    env: 'DOMESDAY_MAIL_FROM',
    flag: 'mail-from',
    fallback: undefined,
    placeholder: 'ADDRESS',
    help: 'Sender of mails, such as Domesday <no-reply@example.com>.',
    unset: 'no-reply at the host of DOMESDAY_PUBLIC_URL',
    parse: (value) =>
      /^(?:[^<>\p{C}"]{1,100} <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(value)
        ? { ok: true, value }
        : {
            ok: false,
            expected: 'an address such as no-reply@example.com or Domesday <no-reply@example.com>',
          },
  }),
} as const;
