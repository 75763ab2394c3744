// The bundled data, built once by the real ingest and copied for each test that needs a home with it. `npm test` builds
// it for the whole run (test/run.ts). A file that runs alone keeps it under node_modules/.cache, by what it is made of.

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
import { ensureBundled } from '../src/cli/bundled.ts';

/** Names the folder of the run's own home to the processes of its test files. */
export const homeVariable = 'DOMESDAY_TEST_HOME';

/** Before every clock of the tests, so that whatever they load is newer. */
export const bundledAtMs = Date.UTC(2026, 10, 1, 12);

const root = path.join(import.meta.dirname, '..');
const keptFolder = path.join(root, 'node_modules/.cache/domesday-test-homes');

/** Puts the sample and the sandbox into an empty folder. */
export async function copyBundled(home: string): Promise<void> {
  cpSync(process.env[homeVariable] ?? (await keptHome()), home, { recursive: true });
}

export async function buildBundled(home: string): Promise<void> {
  await ensureBundled(home, bundledAtMs);
}

/** Tells whether anything in the folders differs: every path, every byte. */
export function hashOfFolders(...folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
    for (const file of files) hash.update(`\n${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

const dayMs = 86_400_000;

async function keptHome(): Promise<string> {
  const origin = hashOfFolders(path.join(root, 'src'), path.join(root, 'data'));
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const key = createHash('sha256').update(`${origin} ${process.version} ${bundledAtMs}`).update(lock);
  const kept = path.join(keptFolder, key.digest('hex').slice(0, 16));
  if (existsSync(kept)) return kept;
  mkdirSync(keptFolder, { recursive: true });
  // Another process may still copy from one that is not old.
  for (const name of readdirSync(keptFolder)) {
    const old = path.join(keptFolder, name);
    const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(old, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - dayMs) rmSync(old, { recursive: true, force: true });
  }
  const fresh = mkdtempSync(path.join(keptFolder, 'new-'));
  await buildBundled(fresh);
  try {
    renameSync(fresh, kept);
  } catch (error) {
    // Two files started at once, and the other one was faster.
    rmSync(fresh, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}
