// `domesday accounts`: makes, shows, changes and closes the accounts of a ledger.

import {
  type Account,
  type Accounts,
  LedgerRefusal,
  type Limits,
  type PlanName,
  type Terms,
  type Window,
  type WindowUse,
} from '../ledger/ledger.ts';
import { planNames, plans, windows } from '../ledger/plans.ts';
import { isCustomer } from '../ledger/public-sandbox.ts';
import type { JournalEntry } from '../ledger/told/entries.ts';
import type { BalanceCheck } from '../ledger/told/journals.ts';
import {
  type Command,
  counted,
  formatCount,
  formatTime,
  type Io,
  ledgerOptions,
  printJson,
  printTable,
  readArgs,
  readPlan,
  readPositionals,
  readWhole,
  requireOption,
  runSubCommand,
  type SubCommand,
  WrongUsage,
} from './command.ts';
import { withAccounts } from './operator.ts';

// How the commands show an account: in words, and as JSON.

function stateWords(account: Pick<Account, 'accountId' | 'closedAtMs' | 'suspended'>): string {
  if (!isCustomer(account)) return 'public, for the sandbox';
  if (account.closedAtMs !== null) return `closed ${formatTime(account.closedAtMs, '')}`;
  return account.suspended === null ? 'open' : `suspended ${formatTime(account.suspended.atMs, '')}`;
}

function hasOwnTerms({ allowance, limits }: Terms): boolean {
  return allowance !== undefined || windows.some((window) => limits?.[window] !== undefined);
}

function formatLimit(limit: number | null): string {
  return limit === null ? 'no limit' : formatCount(limit);
}

function formatLimits(limits: Limits): string {
  return windows.map((window) => `${formatLimit(limits[window])} per ${window}`).join(', ');
}

function printAccount(io: Io, account: Account): void {
  const { accountId, name, balance, lasting, allowance, limits } = account;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = account;
  const renewal = plans[account.plan].renewal === 'monthly' ? 'a month' : 'once';
  const own = hasOwnTerms(account.terms) ? ' (own terms)' : '';
  io.out(`Account     ${accountId}  ${name}\n`);
  io.out(`Plan        ${account.plan}${own}: ${counted(allowance, 'credit')} ${renewal}\n`);
  const perAddress = isCustomer(account) ? '' : ', counted per address';
  io.out(`Limits      ${formatLimits(limits)}${perAddress}\n`);
  io.out(
    `Balance     ${counted(balance, 'credit')}: ${formatCount(balance - lasting)} left of the allowance, ${formatCount(lasting)} lasting\n`,
  );
  io.out(`Refresh     ${formatTime(refreshAtMs, 'never')}\n`);
  io.out(`Created     ${formatTime(createdAtMs, '')}\n`);
  if (closedAtMs !== null) io.out(`Closed      ${formatTime(closedAtMs, '')}\n`);
  if (suspended !== null) io.out(`Suspended   ${formatTime(suspended.atMs, '')}: ${suspended.reason}\n`);
}

function shownAccount(account: Account): Record<string, unknown> {
  const { accountId, name, balance, lasting, allowance, limits, terms } = account;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = account;
  return {
    accountId,
    name,
    purpose: isCustomer(account) ? 'customer' : 'public sandbox',
    plan: account.plan,
    balance,
    allowanceLeft: balance - lasting,
    lasting,
    allowance,
    limits,
    ownTerms: hasOwnTerms(terms) ? terms : null,
    refreshAt: isoOrNull(refreshAtMs),
    createdAt: isoOrNull(createdAtMs),
    closedAt: isoOrNull(closedAtMs),
    suspended: suspended === null ? null : { at: isoOrNull(suspended.atMs), reason: suspended.reason },
  };
}

function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

const planLines = planNames.map((name) => {
  const { limits, allowance, renewal } = plans[name];
  const numbers = windows.map((window) => `${formatLimit(limits[window])} per ${window}`).join(', ');
  const credits = allowance === null ? 'agreed credits' : counted(allowance, 'credit');
  const what = renewal === 'monthly' ? `${credits} a month` : `${credits}, once`;
  return `  ${name.padEnd(11)} ${what}; ${numbers}`;
});

const help = `domesday accounts: creates and changes accounts.

Usage: domesday accounts create --name NAME --plan PLAN [options]
       domesday accounts list
       domesday accounts show ID
       domesday accounts plan ID PLAN [options]
       domesday accounts credit ID N [--note TEXT]
       domesday accounts rename ID NAME
       domesday accounts suspend ID --reason TEXT
       domesday accounts resume ID
       domesday accounts close ID

An account has credits and limits. All keys of the account (see \`domesday keys\`) share them. Every command works while the
service runs, and takes effect at the next request.

  create   creates an account with its opening balance. If there is no home folder or ledger, it makes them.
  list     lists every account: plan, balance (and how much of it lasts), next refresh. The list includes closed accounts
           and the account of the public sandbox key (acc_public), which has no credits and cannot be changed.
  show     shows one account: its terms, its calls in the current minute, day and month, the last entries of its journal,
           and whether the journal adds up to the balance.
  plan     changes the plan. The new limits apply from the next request. A larger allowance adds the difference at once,
           but only once in a period. A smaller allowance waits for the next refresh. A move to trial keeps the balance
           and ends the refreshes. The first move from trial starts a period, and the new allowance replaces what was
           left of the trial's. Within a period that began earlier, it is a change like any other. The command clears the
           account's own credits and limits unless you give them again.
  credit   grants N lasting credits. A negative N is a correction; it is refused if the balance would fall below zero.
  rename   gives the account another name, which its people and you see; its id, keys and credits stay.
  suspend  refuses every call of the account's keys (403 ACCOUNT_SUSPENDED) until you resume the account. Credits stay and
           are still refreshed. The owner of the account can read the reason.
  resume   lets the account's keys work again.
  close    ends the account. Its keys and its open invitations stop at once; its journal and usage stay. This cannot be
           undone.

The balance has two parts. The allowance comes with the plan: it is spent first, and each monthly refresh sets it
again. Lasting credits are granted: they are spent after the allowance, and no refresh changes them. A correction
takes lasting credits first.

Plans (requests and credits; all windows are in UTC):
${planLines.join('\n')}

Options of create and plan:
  --credits N       the account's own allowance instead of the plan's, at the opening and at each monthly refresh (on
                    trial at the opening only). The enterprise plan needs it.
  --per-minute N    the account's own limits instead of the plan's, on any plan; the word none means no limit
  --per-day N
  --per-month N

Options of all:
  --home DIR        home folder (environment DOMESDAY_HOME, default ./var)
  --json            print JSON; for create exactly {"accountId": "…"}
  -h, --help        print this help

Examples:
  domesday accounts create --name "Acme Homes" --plan basic
  domesday accounts create --name Bigco --plan enterprise --credits 2000000 --per-minute 600
  domesday accounts credit acc_1aB2c3D4e5F6g7 -50 --note "counted twice on 3 May"

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const termsOptions = {
  credits: { type: 'string' },
  'per-minute': { type: 'string' },
  'per-day': { type: 'string' },
  'per-month': { type: 'string' },
} as const;

const create: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    ...termsOptions,
    name: { type: 'string' },
    plan: { type: 'string' },
  });
  readPositionals(positionals, []);
  const name = requireOption(values.name, 'name');
  const plan = readPlan(requireOption(values.plan, 'plan'));
  const terms = readTerms(plan, values);
  await withAccounts(io, { home: values.home, ifMissing: 'make' }, async (accounts, note) => {
    const account = await accounts.createAccount({ name, plan, terms, atMs: io.now() });
    const { accountId } = account;
    note({ accountId, what: 'account.opened', subject: accountId, detail: plan });
    if (values.json) return printJson(io, { accountId });
    io.out(`Created account ${accountId}.\n`);
    printAccount(io, account);
    io.out(io.asTyped(`Create a key for it: \`domesday keys create --account ${accountId}\`\n`));
  });
};

const list: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  readPositionals(positionals, []);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts) => {
    const found = customersFirst(await accounts.listAccounts(io.now()));
    if (values.json) return printJson(io, { accounts: found.map(shownAccount) });
    const header = ['ACCOUNT', 'NAME', 'PLAN', 'BALANCE', 'LASTING', 'REFRESH', 'STATE'];
    printTable(
      io,
      header,
      found.map((account) => [
        account.accountId,
        account.name,
        account.plan,
        formatCount(account.balance),
        formatCount(account.lasting),
        formatTime(account.refreshAtMs, '-'),
        stateWords(account),
      ]),
    );
  });
};

const newestEntries = 10;

const show: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [accountId] = readPositionals(positionals, ['ID']);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts) => {
    const atMs = io.now();
    const account = await findAccount(accounts, accountId, atMs);
    const live = await accounts.windowsOf(accountId, 'live', atMs);
    const test = await accounts.windowsOf(accountId, 'test', atMs);
    const journal = await accounts.journalOf(accountId, { newest: newestEntries });
    const check = (await accounts.recomputeBalances()).find((each) => each.accountId === accountId);
    if (values.json) {
      return printJson(io, {
        ...shownAccount(account),
        windows: { live: live.map(shownUse), test: test.map(shownUse) },
        journal: journal.map(shownEntry),
        journalSum: check?.journalSum ?? null,
        journalLastingSum: check?.journalLastingSum ?? null,
        journalEqualsBalance: check?.kind === 'equal',
      });
    }
    printAccount(io, account);
    for (const [mode, uses] of isCustomer(account)
      ? ([
          ['live', live],
          ['test', test],
        ] as const)
      : []) {
      const parts = uses.map(
        ({ window, used, limit }) =>
          `${formatCount(used)} ${limit === null ? '(no limit)' : `of ${formatCount(limit)}`} this ${window}`,
      );
      io.out(`Used, ${mode}  ${parts.join(', ')}\n`);
    }
    io.out(`Journal     ${journalWords(check)}\n\n`);
    printTable(io, ['AT', 'KIND', 'CREDITS', 'BALANCE', 'LASTING', 'KEY', 'WHAT'], journal.map(entryCells));
  });
};

const plan: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, ...termsOptions });
  const [accountId, planText] = readPositionals(positionals, ['ID', 'PLAN']);
  const wanted = readPlan(planText);
  const terms = readTerms(wanted, values);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const atMs = io.now();
    const before = await findAccount(accounts, accountId, atMs);
    const account = await accounts.changePlan(accountId, { plan: wanted, terms, atMs });
    note({ accountId, what: 'plan.changed', subject: wanted, detail: `from ${before.plan}` });
    if (values.json) return printJson(io, shownAccount(account));
    io.out(`Changed the plan of ${accountId} from ${before.plan} to ${wanted}, from the next request.\n`);
    if (hasOwnTerms(before.terms)) io.out('Its own credits and limits are cleared.\n');
    io.out(balanceLine(before, account));
    printAccount(io, account);
  });
};

const credit: SubCommand = async (args, io) => {
  // A negative number would be read as a bundle of short options.
  const isNegative = (arg: string): boolean => /^-\d/.test(arg);
  const negatives = args.filter(isNegative);
  const reordered = [
    ...args.filter((arg) => !isNegative(arg)),
    ...(negatives.length > 0 ? ['--'] : []),
    ...negatives,
  ];
  const { values, positionals } = readArgs(reordered, { ...ledgerOptions, note: { type: 'string' } });
  const [accountId, creditsText] = readPositionals(positionals, ['ID', 'N']);
  const credits = readWhole(creditsText, 'N', Number.NEGATIVE_INFINITY);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const reason = values.note === undefined ? {} : { note: values.note };
    const account = await accounts.grantCredits(accountId, { credits, atMs: io.now(), ...reason });
    const what = credits < 0 ? 'credits.taken' : 'credits.granted';
    note({ accountId, what, subject: String(credits), detail: values.note });
    if (values.json) return printJson(io, shownAccount(account));
    const done = credits > 0 ? 'Granted' : 'Took back';
    io.out(
      `${done} ${counted(Math.abs(credits), 'credit')}. The balance is ${formatCount(account.balance)}; ${formatCount(account.lasting)} of it last.\n`,
    );
  });
};

const rename: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [accountId, name] = readPositionals(positionals, ['ID', 'NAME']);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const before = await findAccount(accounts, accountId, io.now());
    const account = await accounts.renameAccount(accountId, name);
    note({
      accountId,
      what: 'account.renamed',
      subject: accountId,
      detail: `from ${before.name} to ${name}`,
    });
    if (values.json) return printJson(io, shownAccount(account));
    io.out(`${accountId} is called ${account.name} now.\n`);
  });
};

const suspend: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, reason: { type: 'string' } });
  const [accountId] = readPositionals(positionals, ['ID']);
  const reason = requireOption(values.reason, 'reason');
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const account = await accounts.suspendAccount(accountId, { reason, atMs: io.now() });
    note({ accountId, what: 'account.suspended', subject: accountId, detail: reason });
    if (values.json) return printJson(io, shownAccount(account));
    const resumes = `\`domesday accounts resume ${accountId}\` lets them work again`;
    io.out(io.asTyped(`Suspended ${accountId}; its keys no longer work. ${resumes}.\n`));
  });
};

const resume: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [accountId] = readPositionals(positionals, ['ID']);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const account = await accounts.resumeAccount(accountId, io.now());
    note({ accountId, what: 'account.resumed', subject: accountId });
    if (values.json) return printJson(io, shownAccount(account));
    io.out(`Resumed ${accountId}; its keys work again.\n`);
  });
};

const close: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [accountId] = readPositionals(positionals, ['ID']);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note, { members }) => {
    await findAccount(accounts, accountId, io.now());
    // Before it is closed, as from the dashboard: a closed account never has an invitation that still lets somebody in.
    await members.dropInvites(accountId);
    const account = await accounts.closeAccount(accountId, io.now());
    note({ accountId, what: 'account.closed', subject: accountId });
    if (values.json) return printJson(io, shownAccount(account));
    io.out(
      `Closed ${accountId}; its keys and its open invitations no longer work. Its journal and usage stay.\n`,
    );
  });
};

const subCommands = new Map<string, SubCommand>([
  ['create', create],
  ['list', list],
  ['show', show],
  ['plan', plan],
  ['credit', credit],
  ['rename', rename],
  ['suspend', suspend],
  ['resume', resume],
  ['close', close],
]);

export const accounts: Command = {
  name: 'accounts',
  help,
  run: (args, io) => runSubCommand({ name: 'accounts', help }, subCommands, args, io),
};

/** They are what the list is asked for. */
function customersFirst(all: readonly Account[]): readonly Account[] {
  return [...all.filter(isCustomer), ...all.filter((account) => !isCustomer(account))];
}

async function findAccount(
  ledger: Pick<Accounts, 'findAccount'>,
  accountId: string,
  atMs: number,
): Promise<Account> {
  const account = await ledger.findAccount(accountId, atMs);
  if (account === undefined) {
    throw new LedgerRefusal(`There is no account ${accountId}; \`domesday accounts list\` shows them.`);
  }
  return account;
}

type TermsValues = Readonly<Partial<Record<keyof typeof termsOptions, string>>>;

function readTerms(wanted: PlanName, values: TermsValues): Terms {
  if (values.credits === undefined && plans[wanted].allowance === null) {
    throw new WrongUsage(`The ${wanted} plan needs --credits N, the account's credits a month.`);
  }
  const limits: Partial<Record<Window, number | null>> = {};
  for (const window of windows) {
    const text = values[`per-${window}`];
    if (text !== undefined) limits[window] = text === 'none' ? null : readWhole(text, `--per-${window}`, 1);
  }
  if (values.credits === undefined) return { limits };
  return { allowance: readWhole(values.credits, '--credits', 0), limits };
}

/** What a change of plan did to the balance. */
function balanceLine(before: Account, after: Account): string {
  if (before.plan !== 'trial' && after.plan === 'trial')
    return 'The balance stays, but a trial never renews it.\n';
  if (before.plan !== 'trial' && after.allowance < before.allowance) {
    return `The smaller allowance applies from the next refresh: ${formatTime(after.refreshAtMs, 'never')}.\n`;
  }
  return `The balance was ${formatCount(before.balance)} and is ${formatCount(after.balance)}.\n`;
}

function journalWords(check: BalanceCheck | undefined): string {
  if (check?.kind === 'equal') return 'adds up to the balance';
  const sums =
    check === undefined
      ? 'it has none'
      : `its sum is ${formatCount(check.journalSum)}, of which ${formatCount(check.journalLastingSum)} last`;
  return `DOES NOT ADD UP: ${sums}; stop the service and restore the ledger from a backup`;
}

function shownUse({ window, used, limit, resetAtMs }: WindowUse): Record<string, unknown> {
  return { window, used, limit, resetAt: isoOrNull(resetAtMs) };
}

function shownEntry({ atMs, accountId: _, ...entry }: JournalEntry): Record<string, unknown> {
  return { at: isoOrNull(atMs), ...entry };
}

function entryCells(entry: JournalEntry): string[] {
  const { atMs, kind, credits, balanceAfter, lastingAfter, keyId, endpoint, note } = entry;
  const signed = credits > 0 ? `+${formatCount(credits)}` : formatCount(credits);
  return [
    formatTime(atMs, ''),
    kind,
    signed,
    formatCount(balanceAfter),
    formatCount(lastingAfter),
    keyId ?? '-',
    endpoint ?? note ?? '-',
  ];
}
