// Whoever starts the command before it is set up, or on a Node that cannot run it, is told in one line what to do.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { olderNode, testWith } from '../requirements.ts';

const root = path.join(import.meta.dirname, '../..');
const runtimes = ['node-', 'node-bin-'].map((prefix) => `${prefix}${process.platform}-${process.arch}`);

/** A checkout with some packages in place, each an empty one. */
function startWith(node: string, packages: readonly string[], words = ['bin/domesday.js', 'serve']) {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-set-up-'));
  try {
    for (const part of ['bin', 'src', 'package.json', 'test/run.js']) {
      cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
    }
    for (const name of packages) {
      const place = path.join(folder, 'node_modules', name);
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, 'package.json'), '{}');
    }
    const { status, stdout, stderr } = spawnSync(node, words, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PORT: '0', DOMESDAY_HOME: path.join(folder, 'var') },
    });
    return { status, stdout, stderr: stderr.replaceAll(folder, 'FOLDER') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function assertOneLine(told: ReturnType<typeof startWith>, words: RegExp): void {
  assert.equal(told.status, 1, told.stderr);
  assert.equal(told.stdout, '');
  assert.match(told.stderr, /^[^\n]+\n$/);
  assert.match(told.stderr, words);
}

test('before npm ci one line says to run it', () => {
  assertOneLine(startWith(process.execPath, []), /run "npm ci" in FOLDER/);
});

testWith(olderNode(), 'on an older Node, too', (node) => {
  assertOneLine(startWith(node, []), /run "npm ci" in FOLDER/);
});

testWith(olderNode(), 'so does npm test', (node) => {
  assertOneLine(startWith(node, [], ['test/run.js']), /run "npm ci" first/);
});

testWith(
  olderNode(),
  'an older Node without the optional packages is told that they bring a newer one',
  (node) => {
    assertOneLine(
      startWith(node, ['fastify']),
      /needs Node 24\.16\.0 or later, and this is v\d+\..*optional packages/,
    );
  },
);

testWith(olderNode(), 'a Node that came along and does not run here is one line', (node) => {
  assertOneLine(startWith(node, ['fastify', ...runtimes]), /cannot be run here \(\w+\), so install it/);
});
