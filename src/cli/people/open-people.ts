// How commands and service reach people: over the records of the home or the database, by the same settings.

import { existsSync } from 'node:fs';
import { readSettings, type Settings } from '../../config.ts';
import type { Tell } from '../../ledger/ledger.ts';
import { openPeople, type PeopleWish } from '../../people/open.ts';
import type { People } from '../../people/people.ts';
import { openRecords, recordsFile } from '../../records/open.ts';
import { type Records, RecordsUnavailable } from '../../records/records.ts';
import { CommandRefused, type Io, tellTo } from '../command.ts';
import { prepareHome, requireHome } from '../home.ts';
import { findAddress, localUrl } from '../serve/left-address.ts';
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

export async function withPeople(
  io: Io,
  place: { readonly home: string | undefined; readonly ifMissing: 'make' | 'refuse' },
  work: (people: People) => Promise<void>,
): Promise<void> {
  const settings = readSettings(io.env, { home: place.home });
  const { home, databaseUrl } = settings;
  if (databaseUrl === undefined) {
    if (place.ifMissing === 'make') prepareHome(home);
    else requireRecords(home);
  }
  const tell = tellTo(io);
  const records = await openRecords({ home, databaseUrl, tell });
  const publicUrl = settings.publicUrl ?? findAddress(home);
  const people = openPeople({ records, ...peopleWish({ ...settings, publicUrl }), now: io.now, tell });
  try {
    await work(people);
  } catch (error) {
    if (error instanceof RecordsUnavailable) throw new CommandRefused(error.message, { cause: error });
    throw error;
  } finally {
    await people.close();
    await records.close();
  }
}

/** Whoever only reads makes no file: nobody is told of people that are gone as if there had been none. */
function requireRecords(home: string): void {
  requireHome(home);
  if (existsSync(recordsFile(home))) return;
  throw new CommandRefused(
    'The home has no records yet: the first sign-up, call or `domesday people invite EMAIL` makes them. If there were people before, stop the service and put the last copy back as records.sqlite.',
  );
}

// Mails that waited while the service was down go out soon after it is up, whether or not anybody opens a page.

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
