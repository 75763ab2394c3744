// `domesday keys`: makes, lists, changes, revokes and rotates API keys. A key is shown once, when it is made.

import { checkBinding } from '../ledger/binding.ts';
import type { Accounts, Binding, Key, KeyChange, KeyWish, NewKey } from '../ledger/ledger.ts';
import { keyState } from '../ledger/rules.ts';
import { type Command, type Io, printJson, printTable, readArgs, WrongUsage } from './command.ts';
import {
  formatTime,
  ledgerOptions,
  readPositionals,
  readWhole,
  requireOption,
  runSubCommand,
  type SubCommand,
  withAccounts,
} from './ledger-home.ts';
import { didYouMean } from './nearest.ts';

const help = `domesday keys: makes, lists, changes, rotates and revokes API keys.

Usage: domesday keys create --account ID [--test] [--endpoint PATH…] [--address CIDR…] [--name NAME] [--expires DATE]
       domesday keys create --account ID --publishable --origin ORIGIN… [--endpoint PATH…] [--address CIDR…]
                            [--name NAME] [--expires DATE]
       domesday keys list --account ID
       domesday keys change KEYID [--name NAME] [--expires DATE] [--endpoint PATH…] [--address CIDR…]
       domesday keys revoke KEYID
       domesday keys rotate KEYID [--overlap HOURS]

API keys of an account. A live key (dd_live_…) spends the account's credits; a test key (dd_test_…) is free, has
Basic limits of its own and is answered from the sandbox. A publishable key (dd_pub_…) spends the account's credits
too and may stand in a web page: it answers only pages of its origins. The ledger keeps only a hash: a key is shown
once, when it is made, and never again. Every command works while the service runs and takes effect at the next
request.

  create   makes a key and shows it.
             --account ID      whose key it is
             --test            a test key instead of a live one
             --publishable     a key for web pages; needs --origin
             --origin ORIGIN   scheme and host of such a page, and its port if the address has one
                               (https://www.example.com; http only for localhost); once for each
             --endpoint PATH   an endpoint that the key answers, such as /bank-rates; once for each (default: all, but
                               that a publishable key answers /account and /account/usage only where they are named)
             --address CIDR    an address, or a block of them, that calls with the key come from, such as 203.0.113.7,
                               203.0.113.0/24 or 2001:db8::/32; once for each (default: any). Behind a proxy, set
                               DOMESDAY_TRUST_PROXY
             --name NAME       what to call it in lists
             --expires DATE    last day it works (YYYY-MM-DD, to the end of that day in UTC), or an exact time
                               (2027-01-31T18:00:00Z); must lie in the future
  list     the account's keys: id, mode, name, last four characters, when each was made and when it ends, and what it
           is bound to. Keys that the dashboard makes for its own pages, for a quarter of an hour, are left out.
  change   changes what is given, and leaves the rest. Lists are replaced as a whole. The origins of a publishable key
           stay; make a new key instead.
             --name NAME       as above; an empty one takes the name away
             --expires DATE    as above; the word never = it does not end
             --endpoint PATH   as above; the word all = every endpoint
             --address CIDR    as above; the word any = from anywhere
  revoke   stops a key at once. There is no way back.
  rotate   makes a new key of the same mode, name, origins, endpoints, addresses and expiry and shows it; the old one
           is revoked at once, or goes on working for the overlap.
             --overlap HOURS   whole hours that both keys work (default 0)

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON; for create and rotate exactly {"keyId": "…", "key": "…"}
  -h, --help   this text

Examples:
  domesday keys create --account acc_1aB2c3D4e5F6g7 --name website
  domesday keys create --account acc_1aB2c3D4e5F6g7 --test --expires 2027-03-31
  domesday keys create --account acc_1aB2c3D4e5F6g7 --publishable --origin https://www.example.com
  domesday keys change key_9zY8x7W6v5U4t3 --address 203.0.113.0/24 --expires never
  domesday keys rotate key_9zY8x7W6v5U4t3 --overlap 24

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const longestOverlapHours = 24 * 366;

const create: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    account: { type: 'string' },
    test: { type: 'boolean' },
    publishable: { type: 'boolean' },
    origin: { type: 'string', multiple: true },
    endpoint: { type: 'string', multiple: true },
    address: { type: 'string', multiple: true },
    name: { type: 'string' },
    expires: { type: 'string' },
  });
  readPositionals(positionals, []);
  const accountId = requireOption(values.account, 'account');
  const atMs = io.now();
  const wanted: KeyWish = {
    accountId,
    ...(await readKind(values)),
    atMs,
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.expires === undefined ? {} : { expiresAtMs: readExpiry(values.expires, atMs) }),
  };
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const made = await accounts.createKey(wanted);
    note({ accountId, what: 'key.created', subject: made.keyId, detail: wanted.kind });
    if (values.json) return printJson(io, made);
    printNewKey(io, made);
    const binding = checkBinding(wanted.kind, wanted.binding ?? {});
    if (binding !== null) io.out(`${sayBinding(binding)}\n`);
    if (wanted.expiresAtMs !== undefined) io.out(`It works until ${formatTime(wanted.expiresAtMs, '')}.\n`);
  });
};

const list: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, account: { type: 'string' } });
  readPositionals(positionals, []);
  const accountId = requireOption(values.account, 'account');
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts) => {
    const keysFound = await accounts.listKeys(accountId);
    const atMs = io.now();
    if (values.json) return printJson(io, { keys: keysFound.map((key) => shownKey(key, atMs)) });
    printTable(
      io,
      ['KEY', 'MODE', 'NAME', 'ENDS IN', 'MADE', 'EXPIRES', 'STATE', 'BOUND TO'],
      keysFound.map((key) => [
        key.keyId,
        key.kind,
        key.name ?? '-',
        `…${key.lastFour}`,
        formatTime(key.createdAtMs, ''),
        formatTime(key.expiresAtMs, 'never'),
        keyState(key, atMs) + (key.replacedBy === null ? '' : `, replaced by ${key.replacedBy}`),
        key.binding === null ? '-' : boundTo(key.binding).join(' '),
      ]),
    );
  });
};

const change: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, {
    ...ledgerOptions,
    name: { type: 'string' },
    expires: { type: 'string' },
    endpoint: { type: 'string', multiple: true },
    address: { type: 'string', multiple: true },
  });
  const [keyId] = readPositionals(positionals, ['KEYID']);
  const { name, expires, endpoint, address } = values;
  if ([name, expires, endpoint, address].every((each) => each === undefined)) {
    throw new WrongUsage('Say what to change: --name, --expires, --endpoint or --address.');
  }
  const atMs = io.now();
  const wanted: KeyChange = {
    atMs,
    ...(name === undefined ? {} : { name: name === '' ? null : name }),
    ...(expires === undefined ? {} : { expiresAtMs: expires === 'never' ? null : readExpiry(expires, atMs) }),
    ...(endpoint === undefined
      ? {}
      : { endpoints: isWord(endpoint, 'all') ? null : await readEndpoints(endpoint) }),
    ...(address === undefined ? {} : { addresses: isWord(address, 'any') ? null : address }),
  };
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const key = await accounts.changeKey(keyId, wanted);
    note({ accountId: key.accountId, what: 'key.changed', subject: keyId });
    if (values.json) return printJson(io, shownKey(key, atMs));
    io.out(`Changed ${keyId}; it counts at the next request.\n`);
    io.out(
      `${key.binding === null ? 'It answers every endpoint, from anywhere.' : sayBinding(key.binding)}\n`,
    );
    io.out(`It works until ${formatTime(key.expiresAtMs, 'it is revoked')}.\n`);
  });
};

const isWord = (values: readonly string[], word: string): boolean =>
  values.length === 1 && values[0] === word;

const revoke: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, ledgerOptions);
  const [keyId] = readPositionals(positionals, ['KEYID']);
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const atMs = io.now();
    const key = await accounts.revokeKey(keyId, atMs);
    note({ accountId: key.accountId, what: 'key.revoked', subject: keyId });
    if (values.json) return printJson(io, shownKey(key, atMs));
    io.out(`Revoked ${keyId}; it no longer works.\n`);
  });
};

const rotate: SubCommand = async (args, io) => {
  const { values, positionals } = readArgs(args, { ...ledgerOptions, overlap: { type: 'string' } });
  const [keyId] = readPositionals(positionals, ['KEYID']);
  const overlapHours = readWhole(values.overlap ?? '0', '--overlap', 0);
  if (overlapHours > longestOverlapHours) {
    throw new WrongUsage(`--overlap is ${overlapHours}; it must be at most ${longestOverlapHours} hours.`);
  }
  await withAccounts(io, { home: values.home, ifMissing: 'refuse' }, async (accounts, note) => {
    const atMs = io.now();
    const made = await accounts.rotateKey(keyId, { overlapMs: overlapHours * hourMs, atMs });
    const accountId = await accountOf(accounts, made.keyId, atMs);
    note({ accountId, what: 'key.rotated', subject: keyId, detail: `replaced by ${made.keyId}` });
    if (values.json) return printJson(io, made);
    printNewKey(io, made);
    io.out(
      overlapHours === 0
        ? `${keyId} is revoked.\n`
        : `${keyId} works until ${formatTime(atMs + overlapHours * hourMs, '')} at the latest.\n`,
    );
  });
};

const subCommands = new Map<string, SubCommand>([
  ['create', create],
  ['list', list],
  ['change', change],
  ['revoke', revoke],
  ['rotate', rotate],
]);

export const keys: Command = {
  name: 'keys',
  help,
  run: (args, io) => runSubCommand({ name: 'keys', help }, subCommands, args, io),
};

/** A key is named without its account. */
async function accountOf(accounts: Accounts, keyId: string, atMs: number): Promise<string | null> {
  for (const { accountId } of await accounts.listAccounts(atMs)) {
    if ((await accounts.findKey(accountId, keyId)) !== undefined) return accountId;
  }
  return null;
}

type KindValues = {
  readonly test?: boolean | undefined;
  readonly publishable?: boolean | undefined;
  readonly origin?: readonly string[] | undefined;
  readonly endpoint?: readonly string[] | undefined;
  readonly address?: readonly string[] | undefined;
};

/** What kind of key it is to be, and what it is bound to. */
async function readKind({ test, publishable, origin, endpoint, address }: KindValues) {
  const endpoints = endpoint === undefined ? null : await readEndpoints(endpoint);
  const binding = { endpoints, addresses: address ?? null };
  if (publishable !== true) {
    if (origin !== undefined) throw new WrongUsage('--origin is for keys of web pages; add --publishable.');
    return { kind: test ? 'test' : 'live', binding } as const;
  }
  if (test) {
    throw new WrongUsage(
      'A key is made with --test or --publishable, not both; pages of any origin may use a test key as it is.',
    );
  }
  if (origin === undefined) {
    throw new WrongUsage('--publishable needs --origin, such as --origin https://www.example.com.');
  }
  return { kind: 'publishable', binding: { ...binding, origins: origin } } as const;
}

/** The paths as the API names them; they may be typed with what stands before each. */
async function readEndpoints(typed: readonly string[]): Promise<readonly string[]> {
  // The endpoints bring in the readers of all data, which no other key needs.
  const { endpoints } = await import('../endpoints/index.ts');
  const paths = endpoints.map(({ path }): string => path);
  return typed.map((each) => {
    const path = each.replace(/^\/api\/v1(?=\/)/, '');
    if (paths.includes(path)) return path;
    throw new WrongUsage(
      `--endpoint is "${each}", and there is no such endpoint.${didYouMean(path, paths)} There are ${paths.join(', ')}.`,
    );
  });
}

function sayBinding({ origins, endpoints, addresses }: Binding): string {
  const everything = origins === null ? 'every endpoint' : 'every endpoint but those of the account';
  const where = endpoints === null ? everything : endpoints.join(', ');
  const whom = [
    ...(origins === null ? [] : [`pages of ${originsOf(origins).join(', ')}`]),
    ...(addresses === null ? [] : [`calls from ${addresses.join(', ')}`]),
  ].join(' in ');
  return whom === '' ? `It answers ${where} only.` : `It answers ${where} to ${whom}, and nobody else.`;
}

const originsOf = (origins: NonNullable<Binding['origins']>): readonly string[] =>
  origins === 'own' ? ['the dashboard'] : origins;

const boundTo = ({ origins, endpoints, addresses }: Binding): readonly string[] => [
  ...(origins === null ? [] : originsOf(origins)),
  ...(endpoints ?? []),
  ...(addresses ?? []),
];

/** A day means its end, so that a key works through the day its operator named. */
function readExpiry(text: string, nowMs: number): number {
  const expiresAtMs = parseExpiry(text);
  if (expiresAtMs === undefined) {
    throw new WrongUsage(
      `--expires is "${text}"; it must be a date such as 2027-03-31 or a time such as 2027-03-31T18:00:00Z.`,
    );
  }
  if (expiresAtMs <= nowMs) throw new WrongUsage(`--expires is "${text}"; it must lie in the future.`);
  return expiresAtMs;
}

function parseExpiry(text: string): number | undefined {
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const day = form?.[1];
  if (day === undefined) return undefined;
  const dayStartMs = Date.parse(`${day}T00:00:00Z`);
  // Date.parse turns 30 February into March.
  if (Number.isNaN(dayStartMs) || !new Date(dayStartMs).toISOString().startsWith(day)) return undefined;
  const atMs = form?.[2] === undefined ? dayStartMs + dayMs : Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function printNewKey(io: Io, { keyId, key }: NewKey): void {
  io.out(`Made ${keyId}. The key, shown only this once:\n${key}\n`);
}

function shownKey(key: Key, atMs: number): Record<string, unknown> {
  const iso = (timeMs: number | null): string | null =>
    timeMs === null ? null : new Date(timeMs).toISOString();
  const { keyId, accountId, name, kind, lastFour, replacedBy } = key;
  return {
    keyId,
    accountId,
    name,
    mode: kind,
    lastFour,
    origins: key.binding?.origins ?? null,
    endpoints: key.binding?.endpoints ?? null,
    addresses: key.binding?.addresses ?? null,
    state: keyState(key, atMs),
    createdAt: iso(key.createdAtMs),
    expiresAt: iso(key.expiresAtMs),
    revokedAt: iso(key.revokedAtMs),
    replacedBy,
  };
}
