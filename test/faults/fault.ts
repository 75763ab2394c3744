// What `npm run faults` does to a running service, and what it needs for that.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Requirement } from '../requirements.ts';

export type Scale = 'short' | 'long';

export type Fault = {
  readonly name: string;
  readonly promise: string;
  readonly needs?: Requirement<unknown>;
  /** Tells what was seen; throws where the promise was broken, Unfinished where not all was tried. */
  readonly run: (scale: Scale) => Promise<string>;
};

/** The promise held as far as it was tried, and there was no time for the rest. */
export class Unfinished extends Error {
  override name = 'Unfinished';
}

/** Whether this user may mount file systems, found by doing it. */
export const mounts: Requirement<true> = mayMount()
  ? { kind: 'there', value: true }
  : { kind: 'lacking', what: ['the right to mount'] };

function mayMount(): boolean {
  const place = mkdtempSync(path.join(tmpdir(), 'domesday-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(place);
  }
}

type SmallDisk = { readonly folder: string; readonly remove: () => void };

/** A file system in memory of so many megabytes. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  return {
    folder,
    remove: () => {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}

type CuttableDisk = {
  readonly folder: string;
  /** As if the power had failed: what was not synced is lost, and nothing more is written. */
  readonly cutPower: () => void;
  /** The same disk after the power is back. */
  readonly comeBack: () => void;
  readonly remove: () => void;
};

/** EXT4_IOC_SHUTDOWN without writing the log, which Node has no way to ask for. */
const shutDown =
  'open(my $f, "<", $ARGV[0]) or die; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die "$!";';

export function cuttableDisk(megabytes: number): CuttableDisk {
  const place = mkdtempSync(path.join(tmpdir(), 'domesday-power-'));
  const [image, folder] = [path.join(place, 'image'), path.join(place, 'disk')];
  mkdirSync(folder);
  execFileSync('truncate', ['-s', `${megabytes}M`, image]);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  const mount = () => execFileSync('mount', ['-o', 'loop', image, folder]);
  const unmount = () => execFileSync('umount', [folder]);
  mount();
  return {
    folder,
    cutPower: () => execFileSync('perl', ['-e', shutDown, folder]),
    comeBack: () => {
      unmount();
      mount();
    },
    remove: () => {
      unmount();
      rmSync(place, { recursive: true });
    },
  };
}
