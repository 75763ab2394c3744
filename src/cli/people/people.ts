// `domesday people`: who has signed up, who is an operator, and the links that a mail would carry. The first operator is made here,
// and the role is taken away here alone.

import type { Operator } from '../../control/calls.ts';
import { parseEmail } from '../../people/email.ts';
import { type Outcome, type Role, roles } from '../../people/people.ts';
import {
  type Command,
  CommandRefused,
  counted,
  formatTime,
  type Io,
  ledgerOptions,
  printJson,
  printTable,
  readArgs,
  readPositionals,
  runSubCommand,
  type SubCommand,
  WrongUsage,
} from '../command.ts';
import { didYouMean } from '../nearest.ts';
import { withOperator } from '../operator.ts';

const help = `domesday people: lists people, makes operators, and prints the links that a mail would carry.

Usage: domesday people list [--search TEXT]
       domesday people operator EMAIL [--remove]
       domesday people invite EMAIL [--account ID --role ROLE]
       domesday people link EMAIL
       domesday people erase EMAIL

Every command works while the service runs, and takes effect at the next request. The audit logs of the affected accounts
show each change as "operator (command)".

  list      lists everybody who has signed up, newest first: address, whether it is confirmed, standing, second factor and
            accounts.
              --search TEXT   only people whose address or name contains the text
  operator  makes a person an operator, who sees every account and approves plans at /admin.
              --remove        makes an operator a customer again
  invite    sends an invitation or, without a mail server (SMTP_URL), prints its link. It works once, within 7 days, and
            only for this address. Somebody without an account can sign up with it unless DOMESDAY_SIGNUP is closed.
              --account ID    account to add the person to
              --role ROLE     role of the person there: owner, developer, billing or reader
  link      prints a link for everything that waits for this address: a sign-up to confirm, a new password, an invitation.
            Each link works once. Nobody is signed in by a link alone, but whoever opens that of a sign-up or a new
            password chooses the password, so give it only to the owner of the address.
  erase     removes a person: name, address, sessions, and every mention in the audit log, which then says "erased person".
            Accounts, keys and the journal of the ledger stay. The address gets no second trial.

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON
  -h, --help   print this help

Examples:
  domesday people invite ann@example.com
  domesday people operator ann@example.com
  domesday people invite bob@example.com --account acc_1aB2c3D4e5F6g7 --role developer

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const listMost = 1_000_000;

const list: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, search: { type: 'string' } });
  readPositionals(positionals, []);
  await withPeople(io, values.home, async ({ persons }) => {
    const { people: found } = await persons.list({ search: values.search, limit: listMost });
    if (values.json) {
      return printJson(io, {
        people: found.map(({ createdAtMs, ...person }) => ({
          ...person,
          createdAt: formatTime(createdAtMs, ''),
        })),
      });
    }
    printTable(
      io,
      ['ADDRESS', 'CONFIRMED', 'STANDING', 'SECOND FACTOR', 'SINCE', 'ACCOUNTS'],
      found.map(({ email, confirmed, standing, secondFactor, createdAtMs, accounts }) => [
        email,
        confirmed,
        standing,
        secondFactor,
        formatTime(createdAtMs, ''),
        accounts.join(' ') || '-',
      ]),
    );
    io.out(`${counted(found.length, 'person', 'people')}.\n`);
  });
};

/** The one address that a command is about. */
function readEmail(positionals: readonly string[]): string {
  const [email] = readPositionals(positionals, ['EMAIL']);
  if (parseEmail(email) === undefined) {
    throw new WrongUsage(`"${email}" is not an e-mail address, such as ann@example.com.`);
  }
  return email;
}

const operator: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, remove: { type: 'boolean' } });
  const email = readEmail(positionals);
  const standing = values.remove ? 'customer' : 'operator';
  await withPeople(io, values.home, async ({ persons }) => {
    const person = await persons.findByEmail(email);
    if (person === undefined) throw nobody(email);
    unlessRefused(await persons.setStanding(person.personId, standing));
    if (values.json) return printJson(io, { personId: person.personId, standing });
    io.out(
      standing === 'operator'
        ? `${person.email} is an operator from the next request.\n`
        : `${person.email} is an ordinary customer from the next request.\n`,
    );
  });
};

const invite: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    account: { type: 'string' },
    role: { type: 'string' },
  });
  const email = readEmail(positionals);
  const { account: accountId } = values;
  if ((accountId === undefined) !== (values.role === undefined)) {
    throw new WrongUsage('--account and --role go together: the account to join, and the role there.');
  }
  const ifMissing = accountId === undefined ? 'make' : 'refuse';
  const role = values.role === undefined ? undefined : readRole(values.role);
  await withOperator(io, { home: values.home, ifMissing }, async ({ accounts, members, joining, mail }) => {
    const account =
      accountId === undefined || role === undefined
        ? undefined
        : { accountId, role, name: await nameOf(accounts, accountId, io.now()) };
    unlessRefused(
      await members.invite({ kind: 'command' }, account === undefined ? { email } : { email, account }),
    );
    const policy = await joining.policy();
    const isPrinted = policy.mail === 'by the operator';
    const waiting = isPrinted ? await mail.links(email) : [];
    const made = waiting.find(
      (each) => each.purpose === 'invite' && each.accountId === (account?.accountId ?? null),
    );
    const link = made?.link ?? null;
    const left = isPrinted ? 0 : await mail.sendDue();
    if (values.json) return printJson(io, { email, link });
    if (link !== null)
      io.out(`Give this link to the owner of ${email}. It works once, within 7 days:\n\n${link}\n\n`);
    else if (left === 0) io.out(`Sent an invitation to ${email}.\n`);
    else
      io.out(`${counted(left, 'mail waits', 'mails wait')} for the mail server; the service tries again.\n`);
    if (policy.signUp === 'closed') {
      io.err(
        'DOMESDAY_SIGNUP is closed, so people without an account cannot use the link; set it to invited.\n',
      );
    }
  });
};

const link: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const email = readEmail(positionals);
  await withPeople(io, values.home, async ({ mail }) => {
    const pending = await mail.links(email);
    if (pending.length === 0) {
      throw new CommandRefused(
        `Nothing waits for ${email}: no sign-up, no request for a new password, no invitation. They can ask for one at /account, or you can invite them with \`domesday people invite ${email}\`.`,
      );
    }
    if (values.json) {
      return printJson(io, {
        links: pending.map(({ purpose, askedAtMs, expiresAtMs, link: address }) => ({
          purpose,
          askedAt: formatTime(askedAtMs, ''),
          expiresAt: formatTime(expiresAtMs, ''),
          link: address,
        })),
      });
    }
    for (const { purpose, askedAtMs, expiresAtMs, link: address } of pending) {
      io.out(
        `${purposeWords[purpose]}, requested ${formatTime(askedAtMs, '')}, valid until ${formatTime(expiresAtMs, '')}\n`,
      );
      if (address !== null) io.out(`${address}\n`);
    }
  });
};

const erase: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const email = readEmail(positionals);
  await withPeople(io, values.home, async ({ persons, members, pageKeys }) => {
    const person = await persons.findByEmail(email);
    const ownerless = person === undefined ? [] : await members.ownedAlone(person.personId);
    const outcome =
      person === undefined
        ? await persons.eraseAddress(email)
        : await persons.erase({ kind: 'command' }, person.personId, { ownerless: 'accepted' });
    if (outcome.kind === 'refused') {
      throw new CommandRefused(
        `Nobody with the address ${email} is known here, so there is nothing to erase.`,
      );
    }
    await pageKeys.endOrphans();
    if (values.json) return printJson(io, { erased: email, withoutOwner: ownerless });
    io.out(`Erased ${email}. Accounts, keys and the journal stay.\n`);
    for (const accountId of ownerless) {
      io.out(
        io.asTyped(
          `${accountId} now has no owner; close it with \`domesday accounts close ${accountId}\`, or invite an owner with \`domesday people invite EMAIL --account ${accountId} --role owner\`.\n`,
        ),
      );
    }
  });
};

export const people: Command = {
  name: 'people',
  help,
  run: (args, io) =>
    runSubCommand(
      { name: 'people', help },
      new Map([
        ['list', list],
        ['operator', operator],
        ['invite', invite],
        ['link', link],
        ['erase', erase],
      ]),
      args,
      io,
    ),
};

const purposeWords = {
  confirm: 'Confirm a sign-up',
  reset: 'Choose a new password',
  invite: 'Invitation',
  'account exists': 'Signed up again, but already has an account: no link',
  'no account': 'Asked for a new password, but has no account: no link',
} as const;

const nobody = (email: string) =>
  new CommandRefused(
    `Nobody has confirmed ${email}; \`domesday people list\` shows who has, and \`domesday people invite ${email}\` sends an invitation.`,
  );

function unlessRefused(outcome: Outcome): void {
  if (outcome.kind === 'refused') throw new CommandRefused(outcome.message);
}

function readRole(text: string): Role {
  const found = roles.find((role) => role === text.toLowerCase());
  if (found === undefined) {
    throw new WrongUsage(
      `"${text}" is not a role; choose one of ${roles.join(', ')}.${didYouMean(text, roles)}`,
    );
  }
  return found;
}

async function nameOf(accounts: Operator['accounts'], accountId: string, atMs: number): Promise<string> {
  const account = await accounts.findAccount(accountId, atMs);
  if (account === undefined) {
    throw new CommandRefused(`There is no account ${accountId}; \`domesday accounts list\` shows them.`);
  }
  if (account.closedAtMs !== null) {
    throw new CommandRefused(`The account ${accountId} is closed, so nobody can join it any more.`);
  }
  return account.name;
}

const withPeople = (io: Io, home: string | undefined, work: (operator: Operator) => Promise<void>) =>
  withOperator(io, { home, ifMissing: 'refuse' }, work);
