// How the command line takes what was typed: help where people look for it, one plain sentence for every slip, and no
// folder made by merely looking.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { commands } from '../../src/cli/index.ts';
import { runDomesday, temporaryHome } from '../rig.ts';

test('domesday help COMMAND says what domesday COMMAND --help says', async () => {
  for (const { name, load } of commands) {
    const { code, out } = await runDomesday(['help', name]);
    assert.deepEqual([code, out], [0, (await load()).help]);
  }
});

test('domesday help COMMAND WORD shows the help that names the word, for every word of every command', async () => {
  let words = 0;
  for (const { name, load } of commands) {
    const { help } = await load();
    for (const [, word = ''] of help.matchAll(new RegExp(`^(?:Usage:)? +domesday ${name} ([a-z]+)`, 'gm'))) {
      words += 1;
      const { code, out } = await runDomesday(['help', name, word]);
      assert.deepEqual([code, out], [0, help], `${name} ${word}`);
    }
  }
  assert.ok(words > 20, `${words} words`);
});

test('the help of all commands names every exit status that one of them names', async () => {
  const general = (await runDomesday(['help'])).out;
  for (const { name, load } of commands) {
    const [, told = ''] = /^Exit status: ([\s\S]*)/m.exec((await load()).help) ?? [];
    for (const [, status = ''] of told.matchAll(/(?:^|[,;]\s)(\d)\b/g))
      assert.match(general, new RegExp(`Exit status: .*\\b${status} `), `${name} ${status}`);
  }
});

/** What was typed, and what is said. */
const slips: readonly (readonly [args: string, said: RegExp])[] = [
  ['ingset x', /^There is no command "ingset"\. Did you mean ingest\? Commands: .*See: `npx domesday help`$/],
  ['help chekc', /^There is no command "chekc"\. Did you mean check\?/],
  ['help accounts extra', /^accounts has no "extra"\. See: `npx domesday accounts --help`$/],
  ['help accounts crate', /^accounts has no "crate"\. Did you mean create\? See: `npx domesday accounts /],
  ['help check extra', /^check has no "extra"\. See: `npx domesday check --help`$/],
  ['help keys create now', /^"now" is one argument too many\. See: `npx domesday help`$/],
  ['keys crate', /^There is no "crate"\. Did you mean create\? keys takes one of create, list, /],
  ['accounts xyzzy', /^There is no "xyzzy"\. accounts takes one of /],
  ['plans ste basic', /^There is no "ste"\. Did you mean set\? plans takes one of list, set, clear\./],
  ['releases lits', /^releases has no "lits"\. Did you mean list\? It has list, use ID, prune, /],
  ['accounts create --name x --plan premuim', /Did you mean premium\?/],
  ['hlep', /Did you mean help\?/],
  ['version', /Did you mean --version\?/],
  [
    'keys --home x list',
    /^Say what to do before --home: keys takes one of create, list, change, revoke, rotate\./,
  ],
  ['xyzzy', /^There is no command "xyzzy"\. Commands: /],
  ['serve --port abc', /^--port is "abc"; it must be a whole number from 0 to 65535\./],
  ['serve --port', /^--port needs a value\./],
  ['serve --port --host', /^--port needs a value\./],
  ['serve --prot 1', /^There is no option --prot\. Did you mean --port\?/],
  ['serve -q', /^There is no option -q\. See/],
  ['releases --home', /^--home needs a value\./],
  ['releases list --newer', /^--newer belongs to releases prune\./],
  ['keys rotate key_x --overlap -1', /^--overlap is "-1"; it must be a whole number from 0\./],
  ['keys rotate key_x --overlap=-1', /^--overlap is "-1"/],
  ['keys create --acount x', /^There is no option --acount\. Did you mean --account\?/],
  ['keys create --account --test', /^--account needs a value\./],
  ['accounts list --json=yes', /^--json takes no value\./],
  ['accounts list --constructor', /^There is no option --constructor\./],
  ['check --al', /^There is no option --al\. Did you mean --all\?/],
  ['update --set some', /^--set is "some"; it must be one of essential, all\./],
  [
    'update --address naptan',
    /^--address is "naptan"; it must be NAME=URL, separated by commas, with https /,
  ],
  [
    'update --address naptn=https://x.org/y',
    /^--address names "naptn", and there is no publication of that name\. Did you mean naptan\? There are: /,
  ],
  [
    'update --accept-licences price-paid-adresses',
    /there are no terms .*Did you mean price-paid-addresses\?/,
  ],
  ['update --from no/such/mirror', /^--from is neither an http\(s\) address without a query nor a folder /],
  ['ingest --fast x', /^There is no option --fast\./],
];

test('every slip of typing is one sentence with exit status 2, in words of ours', async () => {
  const { home, remove } = temporaryHome();
  for (const [args, said] of slips) {
    const { code, out, err } = await runDomesday(args.split(' '), { DOMESDAY_HOME: home });
    assert.deepEqual([code, out], [2, ''], args);
    assert.match(err, /^[^\n]+See: `npx domesday [a-z]+( --help)?`\n$/, args);
    assert.match(err.trimEnd(), said, args);
  }
  remove();
});

test('a bad setting from the environment is refused by the name of its variable, with exit status 1', async () => {
  const { home, remove } = temporaryHome();
  for (const [variable, value] of [
    ['DOMESDAY_UPDATE_SET', 'some'],
    ['DOMESDAY_UPDATE_ADDRESSES', 'naptan'],
    ['DOMESDAY_UPDATE_ADDRESSES', 'naptn=https://x.org/y'],
    ['DOMESDAY_UPDATE_RHYTHM', 'naptn=3'],
    ['DOMESDAY_ACCEPT_LICENCES', 'al'],
    ['DOMESDAY_UPDATE_FROM', 'no/such/mirror'],
  ] as const) {
    const env = {
      DOMESDAY_HOME: home,
      DOMESDAY_UPDATE_FROM: path.join(home, 'no mirror'),
      [variable]: value,
    };
    const { code, out, err } = await runDomesday(['update'], env);
    assert.deepEqual([code, out], [1, ''], err);
    assert.match(err, new RegExp(`^${variable} (is|names) `));
  }
  remove();
});

test('a home that is not there is refused, and not made by looking', async () => {
  const { home, remove } = temporaryHome();
  const nowhere = path.join(home, 'nowhere');
  for (const args of [['releases'], ['releases', 'list', '--json'], ['releases', 'prune'], ['check']]) {
    const { code, out, err } = await runDomesday([...args, '--home', nowhere]);
    assert.equal(code, 1, args.join(' '));
    assert.match(out + err, /There is no home folder .*nowhere.*DOMESDAY_HOME/s);
    assert.ok(!existsSync(nowhere), args.join(' '));
  }
  remove();
});

test('a file where the home should be is called so by every command, and stays as it is', async () => {
  const { home, remove } = temporaryHome();
  const file = path.join(home, 'file');
  writeFileSync(file, 'mine');
  for (const place of [file, path.join(file, 'below')]) {
    for (const words of [
      'serve --port 0',
      'ingest x.csv',
      'accounts create --name a --plan basic',
      ...(place === file ? ['accounts list', 'releases', 'check', 'backup b', 'restore b'] : []),
    ]) {
      const { code, out, err } = await runDomesday([...words.split(' '), '--home', place]);
      assert.deepEqual([code, out], [1, ''], words);
      assert.match(
        err,
        /^The home \S+file is not a folder; choose another with DOMESDAY_HOME or --home\.\n$/,
        words,
      );
    }
  }
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  remove();
});

test('a home where the file system takes no folder is refused at once', async () => {
  const { code, err } = await runDomesday([
    'accounts',
    'create',
    '--name',
    'a',
    '--plan',
    'basic',
    '--home',
    '/proc/a/b',
  ]);
  assert.equal(code, 1);
  assert.equal(
    err,
    'Cannot use the home folder /proc/a/b (ENOENT), because /proc takes no folders or has just been removed; choose another with DOMESDAY_HOME or --home.\n',
  );
});

test('counts are written for people, with one or several of a thing; JSON has plain numbers', async () => {
  const { home, remove } = temporaryHome();
  const create = (...more: string[]) =>
    runDomesday(['accounts', 'create', '--name', 'x', '--home', home, ...more]);
  assert.match((await create('--plan', 'trial', '--credits', '1')).out, /: 1 credit once\n/);
  assert.match((await create('--plan', 'premium')).out, /: 100,000 credits a month\n/);
  const { accounts } = JSON.parse((await runDomesday(['accounts', 'list', '--json', '--home', home])).out);
  assert.deepEqual(
    accounts.map(({ balance }: { balance: number }) => balance),
    [1, 100_000],
  );
  remove();
});
