// `domesday keys`: makes, lists, changes, revokes and rotates API keys. A key is shown once, when it is made.

import type { Operator } from '../control/calls.ts';
import { checkBinding } from '../ledger/binding.ts';
import type { Binding, Key, KeyChange, KeyWish, NewKey } from '../ledger/ledger.ts';
import { keyState } from '../ledger/rules.ts';
import { dayMs, hourMs } from '../time.ts';
import {
  type Command,
  formatTime,
  type Io,
  ledgerOptions,
  printJson,
  printTable,
  readArgs,
  readPositionals,
  readWhole,
  requireOption,
  runSubCommand,
  type SubCommand,
  WrongUsage,
} from './command.ts';
import { didYouMean } from './nearest.ts';
import { withAccounts } from './operator.ts';

const help = `domesday keys: creates, lists, changes, rotates and revokes API keys.

Usage: domesday keys create --account ID [--test] [--endpoint PATH…] [--address CIDR…] [--name NAME] [--expires DATE]
       domesday keys create --account ID --publishable --origin ORIGIN… [--endpoint PATH…] [--address CIDR…]
                            [--name NAME] [--expires DATE]
       domesday keys list --account ID
       domesday keys change KEYID [--name NAME] [--expires DATE] [--endpoint PATH…] [--address CIDR…]
       domesday keys revoke KEYID
       domesday keys rotate KEYID [--overlap HOURS]

A live key (dd_live_…) spends the credits of its account. A test key (dd_test_…) is free, has its own Basic limits, and
gets answers from the sandbox. A publishable key (dd_pub_…) spends credits too, but you may put it in a web page: it works
only on pages of its origins. The ledger keeps only a hash of each key, so a key is shown once, when you create it. Every
command works while the service runs, and takes effect at the next request.

  create   creates a key and shows it.
             --account ID      account of the key
             --test            create a test key instead of a live key
             --publishable     create a key for web pages; needs --origin
             --origin ORIGIN   scheme and host of such a page, and its port if the address has one
                               (https://www.example.com; http only for localhost). Repeat it for each origin.
             --endpoint PATH   endpoint that the key may call, such as /bank-rates. Repeat it for each endpoint. Default:
                               all. A publishable key may call /account and /account/usage only if you name them.
             --address CIDR    address or block of addresses that may use the key, such as 203.0.113.7, 203.0.113.0/24
                               or 2001:db8::/32. Repeat it for each. Default: any. Behind a proxy, set
                               DOMESDAY_TRUST_PROXY.
             --name NAME       name of the key in lists
             --expires DATE    last day of the key (YYYY-MM-DD, to the end of that day in UTC), or an exact time
                               (2027-01-31T18:00:00Z). It must be in the future.
  list     lists the keys of the account: id, mode, name, last four characters, when each was made and when it expires, and
           what it is bound to. It leaves out the short-lived keys (15 minutes) that the dashboard makes for its own pages.
  change   changes what you give and leaves the rest. It replaces lists as a whole. It cannot change the origins of a
           publishable key; create a new key instead.
             --name NAME       as above; an empty name removes the name
             --expires DATE    as above; the word never means that it does not expire
             --endpoint PATH   as above; the word all means every endpoint
             --address CIDR    as above; the word any means any address
  revoke   stops a key at once. This cannot be undone.
  rotate   creates a new key with the same mode, name, origins, endpoints, addresses and expiry, and shows it. The old key
           stops at once, or after the overlap.
             --overlap HOURS   whole hours for which both keys work (default 0)

Options of all:
  --home DIR   home folder (environment DOMESDAY_HOME, default ./var)
  --json       print JSON; for create and rotate exactly {"keyId": "…", "key": "…"}
  -h, --help   print this help

Examples:
  domesday keys create --account acc_1aB2c3D4e5F6g7 --name website
  domesday keys create --account acc_1aB2c3D4e5F6g7 --test --expires 2027-03-31
  domesday keys create --account acc_1aB2c3D4e5F6g7 --publishable --origin https://www.example.com
  domesday keys change key_9zY8x7W6v5U4t3 --address 203.0.113.0/24 --expires never
  domesday keys rotate key_9zY8x7W6v5U4t3 --overlap 24

Exit status: 0 done, 1 refused, 2 wrong usage.
`;

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
    io.out(`Changed ${keyId}, from the next request.\n`);
    io.out(
      `${key.binding === null ? 'It works for every endpoint, from anywhere.' : sayBinding(key.binding)}\n`,
    );
    io.out(`It works until ${formatTime(key.expiresAtMs, 'you revoke it')}.\n`);
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
async function accountOf(
  accounts: Operator['accounts'],
  keyId: string,
  atMs: number,
): Promise<string | null> {
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
    if (origin !== undefined) throw new WrongUsage('--origin is for keys for web pages; add --publishable.');
    return { kind: test ? 'test' : 'live', binding } as const;
  }
  if (test) {
    throw new WrongUsage(
      'Use --test or --publishable, not both; a web page on any origin can use a test key as it is.',
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
      `There is no endpoint "${each}".${didYouMean(path, paths)} There are ${paths.join(', ')}.`,
    );
  });
}

function sayBinding({ origins, endpoints, addresses }: Binding): string {
  const everything = origins === null ? 'every endpoint' : 'every endpoint except those of the account';
  const where = endpoints === null ? everything : endpoints.join(', ');
  const whom = [
    ...(origins === null ? [] : [`pages on ${originsOf(origins).join(', ')}`]),
    ...(addresses === null ? [] : [`calls from ${addresses.join(', ')}`]),
  ].join(' in ');
  return whom === '' ? `It works only for ${where}.` : `It works for ${where}, only for ${whom}.`;
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
  if (expiresAtMs <= nowMs) throw new WrongUsage(`--expires is "${text}"; it must be in the future.`);
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
  io.out(`Created ${keyId}. This is the key; it is shown only once:\n${key}\n`);
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
