// The program as it is after one more migration of a ledger, in a folder of its own: what it finds is a ledger of the version before.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

const lists = { sqlite: 'up: (db) => db.exec(', postgres: 'sql: (' };

export type NextVersion = {
  /** The command line of it. */
  readonly program: string;
  readonly file: (name: string) => string;
  readonly remove: () => void;
};

/** What `sql` changes, no other program minds. */
export function makeNextVersion(engine: keyof typeof lists, sql: string): NextVersion {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-next-'));
  for (const name of ['bin', 'src', 'data', 'web', 'package.json', 'package-lock.json'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const list = path.join(folder, `src/ledger/${engine}/schema/migrations.ts`);
  const text = readFileSync(list, 'utf8');
  const next = `{ version: 2, name: 'later', since: '9.9.9', breaks: false, ${lists[engine]}${JSON.stringify(sql)}) }`;
  const longer = text.replace(/\n\];\n$/, `\n  ${next},\n];\n`);
  assert.notEqual(longer, text, 'the list of migrations has another form');
  writeFileSync(list, longer);
  return {
    program: path.join(folder, 'bin/domesday.js'),
    file: (name) => path.join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
