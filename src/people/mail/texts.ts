// What mails say: plain text, short, and nothing that a stranger could have written but the name of an account.

import type { Ask, Purpose } from './asks.ts';

type MailText = { readonly subject: string; readonly text: string };

/** Where pages take what a link carries. It stands behind #, which browsers send to no server: no log has it. */
const paths: Readonly<Record<Purpose, string | null>> = {
  confirm: '/account/confirm',
  reset: '/account/reset',
  invite: '/account/invite',
  'account exists': null,
  'no account': null,
};

export const hasLink = (purpose: Purpose): boolean => paths[purpose] !== null;

export const linkOf = (publicUrl: string, purpose: Purpose, token: string): string =>
  `${publicUrl}${paths[purpose]}#${token}`;

const nameMost = 60;

export function mailOf(ask: Ask, publicUrl: string, token: string | null): MailText {
  const link = token === null ? publicUrl : linkOf(publicUrl, ask.purpose, token);
  const { subject, lines } = contents(ask, link, publicUrl);
  return { subject, text: `${lines.join('\n\n')}\n\nDomesday, ${publicUrl}\n` };
}

function contents(
  ask: Ask,
  link: string,
  publicUrl: string,
): { readonly subject: string; readonly lines: readonly string[] } {
  switch (ask.purpose) {
    case 'confirm':
      return {
        subject: 'Confirm your address',
        lines: [
          'Somebody, probably you, signed up with this address. Follow this link to confirm it and choose your password:',
          link,
          'The link works once, within 24 hours. If it was not you, ignore this mail: nothing happens.',
        ],
      };
    case 'reset':
      return {
        subject: 'Choose a new password',
        lines: [
          'Somebody, probably you, asked for a new password. Follow this link to choose one:',
          link,
          'The link works once, within one hour. If it was not you, ignore this mail: your password stays as it is.',
        ],
      };
    case 'invite':
      return {
        subject: ask.account === null ? 'Your invitation' : 'An invitation to an account',
        lines: [
          ask.account === null
            ? 'You are invited to sign up. Follow this link:'
            : `You are invited to the account ${quoted(ask.account.name)}, as ${roleWords[ask.account.role]}. Follow this link to join:`,
          link,
          'The link works once, within 7 days, and only for this address. If you do not expect an invitation, ignore this mail.',
        ],
      };
    case 'account exists':
      return {
        subject: 'You have an account already',
        lines: [
          'Somebody, probably you, signed up with this address, but it already has an account. Nothing was changed.',
          `Sign in, or ask for a new password, at ${publicUrl}/account`,
          'If it was not you, ignore this mail.',
        ],
      };
    case 'no account':
      return {
        subject: 'There is no account for this address',
        lines: [
          'Somebody, probably you, asked for a new password, but there is no account with this address.',
          'Perhaps you signed up with another address. If it was not you, ignore this mail.',
        ],
      };
  }
}

const roleWords = {
  owner: 'an owner',
  developer: 'a developer',
  billing: 'billing',
  reader: 'a reader',
} as const;

/** One line, and nothing that a mail program would make a link of. */
function quoted(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/:\/\/|www\./gi, ' ')
    .replace(/\.(?=\S)/g, '. ');
  return `"${[...plain].slice(0, nameMost).join('')}"`;
}
