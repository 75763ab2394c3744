// `npm run release` in a clone of this checkout: what it makes, and what it refuses.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { npm, testWith } from '../requirements.ts';

const root = path.join(import.meta.dirname, '../..');

function cloned(context: TestContext): string {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'domesday-release-')), 'clone');
  context.after(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder]);
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
  ] as const)
    execFileSync('git', ['config', name, value], { cwd: folder });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // The link is none of what a checkout ignores.
  appendFileSync(path.join(folder, '.git/info/exclude'), 'node_modules\n');
  return folder;
}

function release(folder: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/release.ts', ...words, '--checked', '--without-image'],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

testWith(
  npm,
  'a release is a package, its SBOM and checksums, with the version wherever it stands',
  (_npm, context) => {
    const folder = cloned(context);
    appendFileSync(path.join(folder, 'CHANGELOG.md'), '\n## 0.9.0\n\nReleased on 1 May 2026.\n');
    execFileSync('git', ['commit', '--quiet', '--all', '--message', 'An earlier release'], { cwd: folder });
    const { status, stdout, stderr } = release(folder, '1.0.0');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /Nothing is published yet.*\n\n.*git commit/);
    assert.match(stdout, /npm publish dist\/domesday-1\.0\.0\.tgz\n/);
    const sums = readFileSync(path.join(folder, 'dist/SHA256SUMS'), 'utf8').trim().split('\n');
    assert.equal(sums.length, 2);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      const content = readFileSync(path.join(folder, 'dist', name));
      assert.equal(createHash('sha256').update(content).digest('hex'), sum, name);
    }
    const changed = execFileSync('git', ['diff', '--unified=0'], { cwd: folder, encoding: 'utf8' });
    assert.match(changed, /^\+Released on \d+ \w+ \d{4}\.$/m);
    assert.match(changed, /^\+ {2}"version": "1\.0\.0",$/m);
    assert.doesNotMatch(changed, /^\+.*1\.0\.0-rc/m);
    assert.doesNotMatch(changed, /^-Released/m, 'the day of an earlier release stays');
    // Begun again, for a disk that was full, it is no other release.
    assert.equal(release(folder, '1.0.0').status, 0);
    assert.equal(execFileSync('git', ['diff', '--unified=0'], { cwd: folder, encoding: 'utf8' }), changed);
    assert.equal(
      execFileSync('git', ['tag', '--list'], { cwd: folder, encoding: 'utf8' }),
      '',
      'nothing is tagged',
    );
  },
);

testWith(
  npm,
  'no release is made of what is not committed, not written down, or tagged already',
  (_npm, context) => {
    const folder = cloned(context);
    const refused = (version: string, reason: RegExp) => {
      const { status, stderr } = release(folder, version);
      assert.equal(status, 1);
      assert.match(stderr, reason);
    };
    refused('banana', /"banana" is no version/);
    refused('1.1.0', /CHANGELOG\.md has no chapter "## 1\.1\.0"/);
    execFileSync('git', ['tag', 'v1.0.0'], { cwd: folder });
    refused('1.0.0', /There is a tag v1\.0\.0 already/);
    appendFileSync(path.join(folder, 'README.md'), 'more\n');
    refused('1.0.0-rc.2', /not committed:\n.*README\.md/);
  },
);
