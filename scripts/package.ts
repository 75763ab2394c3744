// Makes the npm package in dist/package: the program as JavaScript with source maps, a file for a file, and what a start would else make
// (the bundle of the pages, the bundled releases). Without tests, without the sources of the pages, and with no script that runs
// at install. The packages that it needs are in it, as they were tested, and an SBOM names them.

import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { bundleText, preparedBundle } from '../src/bundle/bundle.ts';
import { makeBundle } from '../src/bundle/make.ts';
import { type Lock, lockedFor, type Manifest, sbomOf } from './locked.ts';

const root = path.join(import.meta.dirname, '..');
/** What only a checkout uses: packages bundle the pages when they are made. */
const leftOut = ['src/bundle/make.ts', 'src/bundle/child.ts'];
/** Copied as they are. `web/docs` has what /docs sends. */
const copied = ['bin', 'data', 'deploy', 'docs/guides', 'web/docs', 'CHANGELOG.md', 'LICENSE', 'README.md'];
/** Libraries that are in the bundle of the pages; a package does not bring them along. */
const inPages = ['preact', 'uplot', 'uqr', 'pmtiles'];
const forCheckouts = ['esbuild', ...inPages];
/** As bin/domesday.js has it (decision 45). */
export const oldestNode = '24.16.0';

/** Makes it anew, and returns its folder. */
export async function makePackage(into = path.join(root, 'dist/package')): Promise<string> {
  rmSync(into, { recursive: true, force: true });
  for (const place of copied)
    cpSync(path.join(root, place), path.join(into, place), { recursive: true, filter: isPublic });
  for (const file of globSync('src/**/*.ts', { cwd: root }))
    if (!leftOut.includes(path.normalize(file))) await emit(file, into);
  bringPackages(into);
  mkdirSync(path.join(into, 'prepared'));
  writeFileSync(preparedBundle(path.join(into, 'prepared')), bundleText(await makeBundle()));
  await prepareReleases(into);
  return into;
}

/** What an operator has written for Compose or Kubernetes stays where it is. */
const isPublic = (file: string): boolean =>
  !/^deploy\/(?:compose\/(?:[^/]+\.env|keys)|kubernetes\/(?!base|example)[^/]+)$/.test(
    path.relative(root, file).replaceAll(path.sep, '/'),
  );

async function emit(file: string, into: string): Promise<void> {
  const target = path.join(into, file.replace(/\.ts$/, '.js'));
  const name = path.basename(target);
  const { code, map } = await transform(readFileSync(path.join(root, file), 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: `node${oldestNode}`,
    sourcemap: 'external',
    sourcefile: path.basename(file),
    tsconfigRaw: '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
  });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${namingEmitted(code)}//# sourceMappingURL=${name}.map\n`);
  writeFileSync(`${target}.map`, map);
}

/** Imports, threads and child processes name the files of the program, by paths that begin with a dot. */
const namingEmitted = (code: string): string => code.replace(/(["'])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');

/** The packages that it needs are copied from this checkout, where they were tested: npm follows no shrinkwrap of a package that it
 *  installs from a file. */
function bringPackages(into: string): void {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const lock: Lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const { name, version, description, license, type, bin } = manifest;
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([each]) => !forCheckouts.includes(each)),
  );
  const brought = lockedFor(lock, Object.keys(dependencies));
  for (const place of Object.keys(brought))
    cpSync(path.join(root, place), path.join(into, place), { recursive: true });
  const write = (file: string, content: unknown) =>
    writeFileSync(path.join(into, file), `${JSON.stringify(content, null, 2)}\n`);
  const engines = { node: `>=${oldestNode}` };
  const described = { name, version, description, license, type, bin, engines, dependencies };
  write('package.json', { ...described, bundleDependencies: true });
  write('sbom.cdx.json', sbomOf(manifest, lockedFor(lock, [...Object.keys(dependencies), ...inPages])));
}

/** By the emitted program itself: the id of a release says which files made it. */
async function prepareReleases(into: string): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-package-'));
  const emitted = (file: string) => import(pathToFileURL(path.join(into, 'src', file)).href);
  try {
    const { ensureBundled }: typeof import('../src/cli/bundled/bundled.ts') =
      await emitted('cli/bundled/bundled.js');
    const { keepRelease }: typeof import('../src/cli/bundled/kept.ts') = await emitted('cli/bundled/kept.js');
    const { openHome }: typeof import('../src/release/store.ts') = await emitted('release/store.js');
    const { layouts }: typeof import('../src/tables/index.ts') = await emitted('tables/index.js');
    await ensureBundled(home, Date.now());
    const { releases, sandbox } = openHome(home, layouts);
    for (const store of [releases, sandbox]) keepRelease(store.openCurrent());
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(await makePackage());
