// What settings say of people, for the service and for commands that work without one.

import type { Settings } from '../../config.ts';
import type { Tell } from '../../ledger/ledger.ts';
import { openPeople, type PeopleWish } from '../../people/open.ts';
import type { Database } from '../../storage/sql.ts';
import { localUrl } from '../serve/left-address.ts';
import { isLoopback } from '../serve/reach.ts';

type Wanted = Pick<Settings, 'host' | 'port' | 'publicUrl' | 'signUp' | 'smtpUrl' | 'mailFrom'>;

/** What settings say of people. */
export function peopleWish(
  settings: Wanted,
): Pick<PeopleWish, 'signUp' | 'publicUrl' | 'smtpUrl' | 'mailFrom'> {
  const { host, port, publicUrl, signUp, smtpUrl, mailFrom } = settings;
  return {
    signUp: signUp ?? (isLoopback(host) ? 'open' : 'closed'),
    publicUrl: publicUrl ?? localUrl(host, port),
    smtpUrl,
    mailFrom,
  };
}

// Mails that waited while the service was down go out soon after it is up, whether or not anybody opens a page.

type MailParts = {
  /** With the port that the service was given. */
  readonly settings: Settings;
  readonly database: Database;
  readonly now: () => number;
  readonly tell: Tell;
};

/** Returns what ends it. */
export function sendMails({ settings, database, now, tell }: MailParts): () => Promise<void> {
  const people = openPeople({ database, ...peopleWish(settings), now, tell });
  people.mail.sendSoon();
  return () => people.close();
}
