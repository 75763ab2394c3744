// `npm run release -- VERSION`: checks that everything is green, writes the version where it stands, and puts into dist/ what a release has:
// package, SBOM, image and checksums. It publishes and tags nothing; it says what a person has to type for that.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makePackage } from './package.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const form = /^\d+\.\d+\.\d+(?:-[0-9a-z]+(?:\.[0-9a-z]+)*)?$/;
/** Where the version stands beside package.json and its lock file: as the tag of the image, and as the folder of an install. */
const naming = [
  'deploy/compose.yaml',
  'deploy/kubernetes/example/kustomization.yaml',
  'docs/self-hosting.md',
];
const written = ['package.json', 'package-lock.json', 'CHANGELOG.md', ...naming];

class Refused extends Error {}

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

function current(): string {
  const { version }: { version: string } = JSON.parse(read('package.json'));
  return version;
}

/** The heading of its chapter in the changelog; a candidate has that of its release. */
const chapterOf = (version: string): string => `\n## ${version.split('-')[0]}\n`;

/** A release is a commit and its version, so that whoever has one can find the other. */
function assertReady(version: string): void {
  if (!form.test(version))
    throw new Refused(
      `"${version}" is no version; say one like 1.2.3 or 1.2.3-rc.1: npm run release -- 1.2.3`,
    );
  const chapter = chapterOf(version);
  if (!read('CHANGELOG.md').includes(chapter))
    throw new Refused(
      `CHANGELOG.md has no chapter "${chapter.trim()}"; write what users notice, and start again.`,
    );
  const changed = git('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== '');
  const others = changed.filter((line) => !(current() === version && written.includes(line.slice(3))));
  if (others.length > 0)
    throw new Refused(`These are not committed:\n${others.join('\n')}\nCommit them, and start again.`);
  if (git('tag', '--list', `v${version}`).trim() !== '')
    throw new Refused(`There is a tag v${version} already; choose the next version.`);
}

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' });

function writeVersion(version: string): void {
  const before = current();
  for (const file of naming) {
    const text = read(file);
    if (before !== version && !text.includes(before))
      throw new Refused(`${file} does not name ${before}; put the version there, and start again.`);
    writeFileSync(path.join(root, file), text.replaceAll(before, version));
  }
  for (const file of ['package.json', 'package-lock.json']) {
    const text = read(file);
    // In the lock file it stands twice, for the package alone.
    const own = /("name": "domesday",\s+"version": ")[^"]+/g;
    writeFileSync(path.join(root, file), text.replaceAll(own, `$1${version}`));
  }
}

/** Of a release; candidates before it have none. */
function writeDay(version: string): void {
  if (version.includes('-')) return;
  const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });
  const chapter = chapterOf(version);
  const [before = '', after = ''] = read('CHANGELOG.md').split(chapter);
  // Of an attempt before this one.
  const rest = after.replace(/^\nReleased on [^\n]+\.\n/, '');
  writeFileSync(path.join(root, 'CHANGELOG.md'), `${before}${chapter}\nReleased on ${day}.\n${rest}`);
}

function buildImage(version: string): string {
  const tool = ['docker', 'podman'].find(
    (name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0,
  );
  if (tool === undefined)
    throw new Refused(
      'Neither docker nor podman runs here; start one, or leave the image out: --without-image.',
    );
  const name = `domesday-${version}-image.tar`;
  run(tool, 'build', '--tag', `domesday:${version}`, root);
  run(tool, 'save', '--output', path.join(dist, name), `domesday:${version}`);
  run('gzip', '--force', path.join(dist, name));
  return `${name}.gz`;
}

function run(program: string, ...words: readonly string[]): void {
  const { status } = spawnSync(program, words, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Refused(`${program} ${words.join(' ')} failed, so nothing is released.`);
}

type Choices = { readonly checks: 'run' | 'done'; readonly image: 'build' | 'leave out' };

async function release(version: string, { checks, image: wanted }: Choices): Promise<void> {
  assertReady(version);
  if (checks === 'run') {
    run('npm', 'run', 'check');
    run('npm', 'run', 'test:everything');
  }
  writeVersion(version);
  writeDay(version);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const folder = await makePackage();
  execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: folder });
  const archive = `domesday-${version}.tgz`;
  const sbom = `domesday-${version}.cdx.json`;
  copyFileSync(path.join(folder, 'sbom.cdx.json'), path.join(dist, sbom));
  const image = wanted === 'build' ? buildImage(version) : undefined;
  const files = [archive, sbom, ...(image === undefined ? [] : [image])];
  const sums = files.map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(path.join(dist, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  writeFileSync(path.join(dist, 'SHA256SUMS'), sums.join(''));
  console.log(whatToType(version, files, image));
}

function whatToType(version: string, files: readonly string[], image: string | undefined): string {
  const label = version.includes('-') ? ' --tag next' : '';
  return `
dist/ has ${[...files, 'SHA256SUMS'].join(', ')}.
${image === undefined ? 'The image is not among them, as you asked.\n' : ''}
Nothing is published yet. To publish, type:

  git commit --all --message "Release ${version}"
  git tag --annotate v${version} --message v${version}
  git push --follow-tags
  npm publish dist/domesday-${version}.tgz${label}
${image === undefined ? '' : `  docker load --input dist/${image} && docker tag domesday:${version} REPOSITORY/domesday:${version} && docker push REPOSITORY/domesday:${version}\n`}
Whether the name "domesday" is free where you publish, a person has to look up first.`;
}

/** `--checked`: what ran just before, as a forge's workflow does. */
const options = { checked: { type: 'boolean' }, 'without-image': { type: 'boolean' } } as const;
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  await release(positionals[0] ?? '', {
    checks: values.checked === true ? 'done' : 'run',
    image: values['without-image'] === true ? 'leave out' : 'build',
  });
} catch (error) {
  if (!(error instanceof Refused || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
