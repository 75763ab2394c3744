// Puts people together over the database. Nothing is read or loaded before the first question.

import type { Tell } from '../ledger/ledger.ts';
import type { Database } from '../storage/sql.ts';
import { hourMs } from '../time.ts';
import { KeptMembers } from './accounts/members.ts';
import { KeptPageKeys } from './accounts/page-keys.ts';
import { KeptPlanPrices } from './accounts/plan-prices.ts';
import { KeptPlanRequests } from './accounts/plan-requests.ts';
import { KeptTrials } from './accounts/trials.ts';
import { AuditLog } from './audit.ts';
import type { Ground } from './ground.ts';
import { Entrance } from './joining.ts';
import { Outbox } from './mail/outbox.ts';
import { smtpPost } from './mail/post.ts';
import type { People, SignUpPolicy } from './people.ts';
import { KeptPersons } from './persons.ts';
import { type Cost, Passwords } from './proof/passwords.ts';
import { Authenticator } from './proof/second-factor.ts';
import { Throttle } from './proof/throttle.ts';
import { KeptSessions } from './sessions.ts';
import { SignIn } from './signing-in.ts';
import { clearOut } from './upkeep.ts';
import { KeptWatching } from './watching.ts';

export type PeopleWish = {
  readonly database: Database;
  readonly signUp: SignUpPolicy;
  /** Where pages are reached, without a slash at the end: the beginning of links. */
  readonly publicUrl: string;
  readonly smtpUrl: string | undefined;
  /** Sender of mails; without one an address at the host of `publicUrl`. */
  readonly mailFrom: string | undefined;
  readonly now: () => number;
  readonly tell: Tell;
  /** Of hashes of passwords; the usual one unless a test wants it cheap. */
  readonly passwordCost?: Cost;
  /** How long a mail server may be silent. */
  readonly mailStepMs?: number;
};

export function openPeople(wish: PeopleWish): People {
  const { database, now, publicUrl, smtpUrl, tell } = wish;
  const ground: Ground = { database, now };
  const passwords = new Passwords(wish.passwordCost);
  const throttle = new Throttle(database);
  const from = wish.mailFrom ?? `Domesday <no-reply@${new URL(publicUrl).hostname}>`;
  const stepMs = wish.mailStepMs === undefined ? {} : { stepMs: wish.mailStepMs };
  const post = smtpUrl === undefined ? undefined : smtpPost({ smtpUrl, from, ...stepMs });
  const outbox = new Outbox(ground, { publicUrl, post, tell });
  const signIn = new SignIn(ground, passwords, throttle);
  const upkeep = setInterval(() => {
    clearOut(database, now()).catch((fault: unknown) =>
      tell({
        level: 'warn',
        message: 'expired sessions and links could not be removed; it is tried again',
        fault,
      }),
    );
  }, hourMs).unref();
  return {
    joining: new Entrance(ground, { signUp: wish.signUp, passwords, throttle, outbox }),
    signingIn: signIn,
    sessions: new KeptSessions(ground),
    secondFactor: new Authenticator(ground, signIn),
    persons: new KeptPersons(ground, passwords, signIn),
    members: new KeptMembers(ground, outbox),
    trials: new KeptTrials(ground),
    planRequests: new KeptPlanRequests(ground),
    planPrices: new KeptPlanPrices(ground),
    pageKeys: new KeptPageKeys(ground),
    watching: new KeptWatching(ground),
    audit: new AuditLog(ground),
    mail: outbox,
    close: async () => {
      clearInterval(upkeep);
      await outbox.close();
    },
  };
}
