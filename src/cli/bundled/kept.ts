// Bundled releases that were built when a checkout was installed (scripts/compile-ahead.ts) or a package was made
// (scripts/package.ts). A first start copies them, which takes a tenth of the time of building them. Without them, or after any
// change of the program, it builds.

import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { isPackaged, preparedFolder } from '../../packaged.ts';
import { openRelease, partFileName, type Release, ReleaseDamaged } from '../../release/reader.ts';
import { ReleaseStore } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { type BuildOrder, buildInThread } from './bundled.ts';

const root = path.join(import.meta.dirname, '../../..');
const keptFolder = isPackaged
  ? path.join(preparedFolder, 'releases')
  : path.join(root, 'node_modules/.cache/domesday-bundled');

/** Changes with every change of the program. Ids of releases tell another layout, but not another way of reading. What a package
 *  has was made by its own program. */
function programKey(): string {
  if (isPackaged) return 'bundled';
  const folder = path.join(root, 'src');
  const key = createHash('sha256').update(process.version);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const { size, mtimeMs } = statSync(path.join(folder, name));
    key.update(`\n${name} ${size} ${mtimeMs}`);
  }
  return key.digest('hex').slice(0, 16);
}

/** Keeps a release for later first starts, and nothing of an earlier program. */
export function keepRelease({ id, dir }: Release, folder = keptFolder): void {
  const place = path.join(folder, programKey());
  for (const other of existsSync(folder) ? readdirSync(folder) : [])
    if (other !== path.basename(place)) rmSync(path.join(folder, other), { recursive: true, force: true });
  const fresh = path.join(place, `new-${randomUUID()}`);
  mkdirSync(place, { recursive: true });
  cpSync(dir, fresh, { recursive: true });
  rmSync(path.join(place, id), { recursive: true, force: true });
  renameSync(fresh, path.join(place, id));
}

/** Whether there was one; it is then in place as if it had been built at this moment. */
export async function copyKept({ id, kind, folder, atMs }: BuildOrder, from = keptFolder): Promise<boolean> {
  if (!existsSync(from)) return false;
  const dir = path.join(from, programKey(), id);
  if (!existsSync(dir)) return false;
  let kept: Release;
  try {
    kept = openRelease(dir, layouts);
    kept.verify();
  } catch (error) {
    if (error instanceof ReleaseDamaged) return false;
    throw error;
  }
  const writer = new ReleaseStore(folder, layouts).beginRelease({
    id,
    kind,
    createdAtMs: atMs,
    base: undefined,
  });
  try {
    const names = Object.keys(kept.manifest.parts);
    await Promise.all(
      names.map((name) => writer.writeEncoded(name, readFileSync(path.join(dir, partFileName(name))))),
    );
    const loadedAt = new Date(atMs).toISOString();
    for (const dataset of kept.datasets) writer.putDataset({ ...dataset, loadedAt });
    for (const derived of kept.manifest.derived) writer.putDerived(derived);
    writer.finish();
    return true;
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** For a service that is about to answer: what was kept, else a thread builds it. */
export async function buildQuickly(order: BuildOrder): Promise<void> {
  if (!(await copyKept(order))) await buildInThread(order);
}
