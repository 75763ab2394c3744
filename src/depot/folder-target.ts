// A folder as the target of publishing, such as the root of a web server: each file is written aside, synced and renamed.
// Whoever may read the folder may read all that is published there, such as a web server under a user of its own; rights
// in the home and the umask, which are for the publisher alone, do not count.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { takeLock } from '../lock.ts';
import { syncFolder, writeDurable } from '../release/durable.ts';
import { DepotFault } from './fault.ts';
import { contentOf, isSame } from './hashing.ts';
import type { Stored, Target } from './target.ts';

const asidePrefix = '.arriving-';

export function folderTarget(folder: string): Target {
  const placeOf = (key: string) => path.join(folder, key);
  const grant = (place: string, most: number) => chmodSync(place, statSync(folder).mode & most);
  const asideOf = (place: string) => {
    const made = mkdirSync(path.dirname(place), { recursive: true });
    if (made !== undefined) grant(made, 0o755);
    return path.join(path.dirname(place), `${asidePrefix}${randomUUID()}`);
  };
  return {
    shown: folder,
    lock: () => {
      mkdirSync(folder, { recursive: true });
      const lock = takeLock(placeOf('.publishing.lock'));
      if (lock === 'taken')
        throw new DepotFault(
          'conflict',
          `Another process publishes to ${folder}; wait until it has finished.`,
        );
      sweep(folder);
      return lock;
    },
    read: async (key, mostBytes) => {
      const facts = statSync(placeOf(key), { throwIfNoEntry: false });
      if (facts === undefined) return undefined;
      if (facts.size > mostBytes) throw new DepotFault('invalid', `${placeOf(key)} is much too large.`);
      const text = readFileSync(placeOf(key), 'utf8');
      return { text, tag: text };
    },
    list: async (prefix) => filesBelow(folder, prefix),
    putFile: async (key, file, content) => {
      const place = placeOf(key);
      const aside = asideOf(place);
      try {
        await copyFile(file, aside);
        const handle = await open(aside, 'r+');
        await handle.sync().finally(() => handle.close());
        if (!isSame(await contentOf(aside), content))
          throw new DepotFault('invalid', `${file} changed while it was published; nothing was published.`);
        grant(aside, 0o644);
        renameSync(aside, place);
      } catch (error) {
        rmSync(aside, { force: true });
        throw error;
      }
      syncFolder(path.dirname(place));
    },
    // The lock is held: nobody else has written meanwhile.
    putText: async (key, text) => {
      const place = placeOf(key);
      const aside = asideOf(place);
      writeDurable(aside, Buffer.from(text));
      const seconds = nextSecond(place);
      utimesSync(aside, seconds, seconds);
      grant(aside, 0o644);
      renameSync(aside, place);
      syncFolder(path.dirname(place));
    },
    remove: async (key) => rmSync(placeOf(key), { force: true }),
  };
}

/** Many web servers tell versions of a file by its second alone: no two of one file have the same. */
function nextSecond(place: string): number {
  const before = statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.max(Math.floor(Date.now() / 1000), Math.floor(before / 1000) + 1);
}

/** What a publisher that was killed left behind: the lock is ours, so that none is at work. */
function sweep(folder: string): void {
  for (const below of ['.', 'files', 'releases'])
    for (const name of namesIn(path.join(folder, below)))
      if (name.startsWith(asidePrefix)) rmSync(path.join(folder, below, name), { force: true });
}

function filesBelow(folder: string, prefix: string): readonly Stored[] {
  return namesIn(path.join(folder, prefix)).flatMap((name) => {
    const facts = statSync(path.join(folder, prefix, name), { throwIfNoEntry: false });
    return facts?.isFile() === true
      ? [{ key: `${prefix}${name}`, bytes: facts.size, changedAtMs: facts.mtimeMs }]
      : [];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
