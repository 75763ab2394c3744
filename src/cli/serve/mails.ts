// Mails that waited while the service was down go out soon after it is up, whether or not anybody opens a page.

import type { Settings } from '../../config.ts';
import type { Tell } from '../../ledger/ledger.ts';
import { openPeople } from '../../people/open.ts';
import type { Records } from '../../records/records.ts';
import { peopleWish } from '../people/open-people.ts';

type MailParts = {
  /** With the port that the service was given. */
  readonly settings: Settings;
  readonly records: Records;
  readonly now: () => number;
  readonly tell: Tell;
};

/** Returns what ends it. */
export function sendMails({ settings, records, now, tell }: MailParts): () => Promise<void> {
  const people = openPeople({ records, ...peopleWish(settings), now, tell });
  people.mail.sendSoon();
  return () => people.close();
}
