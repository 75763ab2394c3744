// Homes that many tests need alike: built once by the real ingest, and copied by each test. `npm test` keeps them for the
// length of a run (test/run.ts). A file that runs alone finds them under node_modules/.cache, by what they are made of.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { ensureBundled } from '../src/cli/bundled/bundled.ts';
import { dayMs } from '../src/time.ts';

/** Names the folder of the run to the processes of its test files. */
export const prebuiltVariable = 'DOMESDAY_TEST_PREBUILT';

const root = path.join(import.meta.dirname, '..');
const cache = path.join(root, 'node_modules/.cache/domesday-tests');

/** Where it lies, to be copied and never changed. `outside` are files outside the repository that it is made of. */
export async function prebuilt(
  name: string,
  build: (folder: string) => Promise<void>,
  outside: readonly string[] = [],
): Promise<string> {
  const parent = process.env[prebuiltVariable] ?? cacheOf(outside);
  const place = path.join(parent, name);
  if (existsSync(place)) return place;
  const fresh = mkdtempSync(path.join(parent, 'new-'));
  await build(fresh);
  try {
    renameSync(fresh, place);
  } catch (error) {
    // Two files started at once, and the other one was faster.
    rmSync(fresh, { recursive: true });
    if (!existsSync(place)) throw error;
  }
  return place;
}

function cacheOf(outside: readonly string[]): string {
  const key = createHash('sha256').update(process.version);
  for (const file of [...filesIn(path.join(root, 'src')), ...filesIn(path.join(root, 'data'))])
    key.update(`\n${file}\n`).update(readFileSync(file));
  key.update(readFileSync(path.join(root, 'package-lock.json'))).update(readFileSync(import.meta.filename));
  for (const file of outside) key.update(`\n${file} ${statSync(file).size} ${statSync(file).mtimeMs}`);
  const own = path.join(cache, key.digest('hex').slice(0, 16));
  if (existsSync(own)) return own;
  mkdirSync(own, { recursive: true });
  // Another process may still use one that is not old.
  for (const other of readdirSync(cache).map((name) => path.join(cache, name)))
    if (statSync(other).mtimeMs < Date.now() - dayMs) rmSync(other, { recursive: true, force: true });
  return own;
}

export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();

/** Before every clock of the tests, so that whatever they load is newer. */
export const bundledAtMs = Date.UTC(2026, 10, 1, 12);

export const bundled = (): Promise<string> =>
  prebuilt('bundled', async (folder) => {
    await ensureBundled(folder, bundledAtMs);
  });

/** Puts the sample and the sandbox into a home. */
export async function copyBundled(home: string): Promise<void> {
  cpSync(await bundled(), home, { recursive: true });
}
