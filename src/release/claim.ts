// Who is at work in a home folder: the lock that keeps two ingests apart, and the mark that tells the work of a live
// process from what a dead one left behind. The system may have given a dead process's id to another process, so the
// mark has the start time too, where the system tells it (Linux).

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** `<pid>-<start time>`; the start time is 0 where the system does not tell it. */
export type Claim = string;

function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name (second field) may contain spaces and brackets, so fields are counted from its closing bracket.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

export const ownClaim = (): Claim => `${process.pid}-${startTimeOf(process.pid)}`;

export function isAlive(claim: Claim): boolean {
  const found = /^(\d{1,10})-(\d+)$/.exec(claim);
  if (found === null) return false;
  const pid = Number(found[1]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to someone else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return found[2] === '0' || found[2] === startTimeOf(pid);
}

/** Another process is at work in this home folder. */
export class HomeBusy extends Error {
  override name = 'HomeBusy';
}

export type Lock = { release(): void };

// Locks that this process holds. A lock with our own claim that is not here was left by a dead process with our process
// id: in a container every run may have the same one.
const held = new Set<string>();

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

/** Throws HomeBusy while a live process holds it; the lock of a dead one is taken over. */
export function takeLock(file: string, claim: Claim = ownClaim()): Lock {
  const aside = `${file}.${claim}`;
  writeFileSync(aside, claim);
  try {
    // A link appears with its content or not at all, so nobody ever reads a half-written lock.
    while (!tryLink(aside, file)) removeIfDead(file, aside);
  } finally {
    rmSync(aside, { force: true });
  }
  held.add(file);
  return {
    release: () => {
      held.delete(file);
      if (readClaim(file) === claim) rmSync(file, { force: true });
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readClaim(file: string): Claim | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function removeIfDead(file: string, aside: string): void {
  const holder = readClaim(file);
  if (holder === undefined) return;
  if (holder === ownClaim() ? held.has(file) : isAlive(holder)) {
    throw new HomeBusy(
      `Process ${holder.split('-')[0]} is already changing the releases of this home folder; wait until it has finished.`,
    );
  }
  // Between the look and the move another process may have taken the dead lock over: then give it back.
  const moved = `${aside}.dead`;
  try {
    renameSync(file, moved);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readClaim(moved) !== holder) tryLink(moved, file);
  rmSync(moved, { force: true });
}
