// For work beside a service, which may take its time: it gets the processor while nothing else wants it, and leaves the disk room.

import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** What files may be fetched at, and a release read and written: a third of what the smallest disks of cloud machines are allowed. */
export const gentleBytesPerSecond = 40_000_000;

/** For the start of a process: its threads have it from the beginning. */
export const lowestPriority = constants.priority.PRIORITY_LOW;

/** Of this process. Where there is no `chrt`, its low priority has to do: the kernel lets that finish its slice of a few
 *  milliseconds before an answer that has just become possible, and an idle process not. */
export async function giveWay(): Promise<void> {
  setPriority(lowestPriority);
  const change = spawn('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], {
    stdio: 'ignore',
  });
  await new Promise((resolve) => change.once('error', resolve).once('close', resolve));
}
