// The home folder as commands meet it: present, readable, writable, or one line that says what to do.

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isEarlyHome, sayEarly } from '../before-release.ts';
import type { Settings } from '../config.ts';
import { findService, ServiceUnreachable } from '../control/client.ts';
import { isReplica, replicaFile } from '../depot/state.ts';
import { errorCode } from '../errno.ts';
import { type Lock, takeLock } from '../lock.ts';
import { CommandRefused } from './command.ts';
import { version } from './version.ts';

/** Makes the folder when it is absent, and returns the outermost one that it made. */
export function prepareHome(home: string): string | undefined {
  try {
    const made = lookAt(home) === 'absent' ? makeFolder(path.resolve(home)) : undefined;
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    if (error instanceof CommandRefused) throw error;
    throw new CommandRefused(`Cannot use the home folder ${home} ${adviceOn(error)} ${elsewhere}.`);
  }
}

/** For commands that only look at a home, or change what is in it. */
export function requireHome(home: string): void {
  if (lookAt(home) === 'folder') return;
  throw new CommandRefused(
    `There is no home folder ${home}; name the right one with DOMESDAY_HOME or --home, or start the service once with \`domesday serve\`.`,
  );
}

/** For commands that load data: a replica serves what others publish, and nothing else. */
export function refuseInReplica({ home, releasesUrl }: Pick<Settings, 'home' | 'releasesUrl'>): void {
  if (releasesUrl === undefined && !isReplica(home)) return;
  throw new CommandRefused(
    releasesUrl === undefined
      ? `The home folder ${home} belongs to a replica, which serves published releases and loads no data itself. Load the data where releases are published. To let this home load data, remove ${replicaFile(home)}.`
      : 'DOMESDAY_RELEASES_URL is set, so this is a replica, which serves published releases and loads no data itself. Load the data where releases are published, or unset the variable.',
  );
}

/** A file in its place is never meant, and nothing begins in a home that cannot be used as a whole. */
export function lookAt(home: string): 'folder' | 'absent' {
  const facts = statSync(home, { throwIfNoEntry: false });
  if (facts === undefined) return 'absent';
  if (facts.isDirectory()) {
    if (isEarlyHome(home)) throw new CommandRefused(sayEarly(`The home folder ${home}`));
    return 'folder';
  }
  throw new CommandRefused(`The home ${home} is not a folder; choose another with DOMESDAY_HOME or --home.`);
}

/**
 * One after the other, from the outermost that is lacking, which it returns. Node's own way to make several tries for ever
 * where a file system takes none, as /proc does.
 */
function makeFolder(folder: string): string {
  const parent = path.dirname(folder);
  const made = lookAt(parent) === 'absent' ? makeFolder(parent) : folder;
  try {
    // Accounts, keys and what customers asked for are the owner's alone.
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another command may have made it meanwhile.
    if (lookAt(folder) === 'absent') throw error;
  }
  return made;
}

const elsewhere = 'choose another with DOMESDAY_HOME or --home';

/** Why it cannot be used and what would help, up to the advice to choose another. */
function adviceOn(error: unknown): string {
  const code = errorCode(error);
  switch (code) {
    case undefined:
      return `(${String(error)});`;
    case 'EACCES':
    case 'EPERM':
      return `(${code}); correct its permissions, or`;
    case 'EROFS':
      return '(EROFS), because the file system is read-only;';
    case 'ENOSPC':
      return '(ENOSPC), because the disk is full; free some space, or';
    // Its parents that were lacking have just been made.
    case 'ENOENT':
      return `(ENOENT), because ${error instanceof Error && 'path' in error ? path.dirname(String(error.path)) : 'the folder above it'} takes no folders or has just been removed;`;
    default:
      return `(${code});`;
  }
}

/** The lock of a home, for commands that must not meet a service on it, also where the database was removed under the service. A home that is not there is
 *  more often a slip of typing than meant. */
export async function takeHome(home: string, then: 'move' | 'restore'): Promise<Lock> {
  if (lookAt(home) === 'absent') {
    throw new CommandRefused(
      `There is no folder ${home}; name the right home with ${then === 'move' ? 'FROM or TO' : 'DOMESDAY_HOME or --home'}, or make a new one first: mkdir ${home}`,
    );
  }
  const lock = takeLock(path.join(home, 'service.lock'));
  if (lock !== 'taken') return lock;
  throw new CommandRefused(
    (await isServed(home))
      ? `A service runs on ${home}; stop it, then ${then} again.`
      : `Another command works on ${home}, or a service there is starting or stopping; wait for it, or stop the service, then ${then} again.`,
  );
}

/** One that hangs, or is of another version, runs too. */
async function isServed(home: string): Promise<boolean> {
  try {
    return (await findService({ home, version })) !== 'absent';
  } catch (error) {
    if (error instanceof ServiceUnreachable) return true;
    throw error;
  }
}
