// Commands that messages advise can be typed as they stand: by whoever has a clone, an install, or neither, and they act on
// the home that the first command was given.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { runDomesday, temporaryHome } from '../rig.ts';

const clone = path.join(import.meta.dirname, '../..');
const program = path.join(clone, 'bin/domesday.js');
const folder = mkdtempSync(path.join(tmpdir(), 'domesday-typed-'));
after(() => rmSync(folder, { recursive: true }));

const installed = path.join(folder, 'installed');
mkdirSync(installed);
symlinkSync(program, path.join(installed, 'domesday'));
const node = path.dirname(process.execPath);

type Start = {
  readonly typed: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};
const starts: Readonly<Record<string, Start>> = {
  'in a clone': { typed: 'npx domesday', cwd: clone, env: { PATH: node } },
  'by npx or npm start': {
    typed: 'npx domesday',
    cwd: folder,
    env: { PATH: `${installed}:${node}`, npm_lifecycle_event: 'npx' },
  },
  'where it is installed': { typed: 'domesday', cwd: folder, env: { PATH: `${installed}:${node}` } },
  'where it is not': { typed: `node ${program}`, cwd: folder, env: { PATH: node } },
};

for (const [where, { typed, cwd, env }] of Object.entries(starts)) {
  test(`a hint to somebody who started it ${where} says ${typed.replace(program, '…')}`, () => {
    const { stderr } = spawnSync(process.execPath, [program, 'chekc'], { cwd, env, encoding: 'utf8' });
    assert.ok(stderr.endsWith(` See: \`${typed} help\`\n`), stderr);
  });
}

for (const name of ['plain', 'with space', "it's", '$HOME', 'a"b;c', 'é']) {
  for (const given of ['flag', 'environment'] as const) {
    test(`a hint typed into a shell as it stands acts on the home "${name}" given by ${given}`, () => {
      const home = path.join(folder, `${given} ${name}`);
      const { cwd, env } = starts['where it is installed'] ?? assert.fail();
      const made = spawnSync(
        'domesday',
        [
          'accounts',
          'create',
          '--name',
          'a',
          '--plan',
          'basic',
          ...(given === 'flag' ? ['--home', home] : []),
        ],
        { cwd, env: given === 'flag' ? env : { ...env, DOMESDAY_HOME: home }, encoding: 'utf8' },
      );
      const hint = /^Create a key for it: `(.+)`$/m.exec(made.stdout)?.[1] ?? assert.fail(made.stderr);
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', hint], { cwd, env, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /dd_live_/);
    });
  }
}

test('a hint to sign releases can be typed as it stands, with a file for FILE', () => {
  const { cwd, env } = starts['where it is installed'] ?? assert.fail();
  const asking = ['releases', 'fetch', '--from', 'http://192.0.2.1/', '--home', path.join(folder, 'replica')];
  const refused = spawnSync('domesday', asking, { cwd, env, encoding: 'utf8' });
  const hint =
    /`(domesday releases keygen FILE[^`]*)`/.exec(refused.stderr)?.[1] ?? assert.fail(refused.stderr);
  const file = path.join(folder, 'signing.pem');
  const typed = spawnSync('/bin/sh', ['-c', hint.replace('FILE', file)], { cwd, env, encoding: 'utf8' });
  assert.equal(typed.status, 0, typed.stderr);
  assert.match(typed.stdout, /^DOMESDAY_RELEASE_PUBLIC_KEY=ed25519:/m);
});

test('no message, whatever went wrong, names a command that cannot be typed', async () => {
  const { home, remove } = temporaryHome();
  const junk = path.join(folder, 'junk.csv');
  writeFileSync(junk, 'a,b\n1,2\n');
  const commands = [
    ['releases'],
    ['releases', 'use'],
    ['releases', 'use', 'none'],
    ['releases', 'prune'],
    ['ingest', junk],
    ['ingest'],
    ['keys', 'list', '--account', 'acc_none'],
    ['accounts', 'show', 'acc_none'],
    ['accounts', 'frob'],
    ['check'],
    ['chekc'],
  ];
  let named = 0;
  for (const args of commands) {
    const { out, err } = await runDomesday([...args, '--home', home]);
    for (const [line] of (out + err).matchAll(
      /.*\bdomesday (?:serve|ingest|releases|accounts|keys|ledger|check|help)\b.*/g,
    )) {
      const commandsIn = [...line.matchAll(/.{5}\bdomesday [^`]*/g)];
      assert.ok(commandsIn.length > 0, line);
      for (const [command] of commandsIn) {
        named += 1;
        assert.match(command, /^`npx domesday (?:help|.*--help$|.*--home )/, line);
      }
    }
  }
  assert.ok(named > commands.length);
  remove();
});
